import Evidence
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Headers")
    struct HeaderTests {
        private func failure(_ reason: String, _ details: String? = nil) throws -> CrawlerFailure? {
            try Observation.of(origin: .file("{}"), cdn: .crawler(reason, details: details))
                .cdn.retrieval?.answer.flatMap(CrawlerFailure.init)
        }

        @Test(
            "Apple's reason is split into code and text, and classified by the hundreds of its code",
            arguments: [
                (
                    "SWCERR00101 Bad HTTP Response: 403 Forbidden", "SWCERR00101", "Bad HTTP Response: 403 Forbidden",
                    .status
                ),
                (
                    "SWCERR00202 Connections to private/reserved IP addresses are not allowed", "SWCERR00202",
                    "Connections to private/reserved IP addresses are not allowed", .address
                ),
                ("SWCERR00301 Timeout", "SWCERR00301", "Timeout", .network),
                ("SWCERR00401 Bad JSON content", "SWCERR00401", "Bad JSON content", .content),
                ("SWCERR00999 New", "SWCERR00999", "New", .unknown), ("SWCERR1", "SWCERR1", "", .unknown),
                ("SWCERR", nil, "SWCERR", .unknown), ("SWCERR½ x", nil, "SWCERR½ x", .unknown),
                ("something else", nil, "something else", .unknown),
            ] as [(String, String?, String, CrawlerFailure.Family)])
        func reason(_ header: String, _ code: String?, _ words: String, _ family: CrawlerFailure.Family) throws {
            let failure = try #require(try failure(header))
            #expect(failure.code == code)
            #expect(failure.reason == words)
            #expect(failure.family == family)
        }

        @Test("an empty header gives no reason", arguments: ["", "  "])
        func emptyReason(_ header: String) throws {
            #expect(try failure(header) == nil)
        }

        @Test(
            "the status that Apple got comes from the details, else from the reason",
            arguments: [
                ("SWCERR00101 Bad HTTP Response: 403 Forbidden", nil, 403),
                ("SWCERR00101 Bad HTTP Response: 403 Forbidden", #"{"status":"404 Not Found"}"#, 404),
                ("SWCERR00101 Bad", #"{"status":503}"#, 503), ("SWCERR00101 Bad HTTP Response", "{", nil),
                ("SWCERR00301 Timeout 403", nil, nil),
            ] as [(String, String?, Int?)])
        func status(_ reason: String, _ details: String?, _ expected: Int?) throws {
            #expect(try failure(reason, details)?.originStatus == expected)
        }

        @Test("the details keep the same strings and numbers each time, cleaned and bounded")
        func details() throws {
            let many = "{" + (0..<40).map { "\"k\($0)\":\"v\"" }.joined(separator: ",") + "}"
            #expect(try failure("x", many)?.details.keys.sorted() == (0..<16).map { "k\($0)" }.sorted())
            let odd = #"{"a":"\u001b[2J","b":{"c":1},"d":null,"e":7,"f":"\#(String(repeating: "x", count: 9999))"}"#
            let details = try #require(try failure("x", odd)).details
            #expect(details.keys.sorted() == ["a", "e", "f"])
            #expect(details["a"] == "\u{FFFD}[2J")
            #expect(details["f"]?.count == 500)
        }

        @Test(
            "the remaining lifetime of a response follows from Cache-Control and Age",
            arguments: [
                ("public, max-age=3600", "60", 3540), ("max-age=21600,public", nil, 21600), ("MAX-AGE=10", "99", 0),
                ("no-store", "1", nil), ("max-age=-1", nil, nil), ("max-age=99999999999999999999", nil, nil),
                ("max-age=10", "-5", 10), ("max-age=10", "many", 10), ("s-maxage=5", nil, nil),
            ] as [(String, String?, Int?)])
        func life(_ control: String, _ age: String?, _ left: Int?) throws {
            var headers = ["Cache-Control": control]
            headers["Age"] = age
            let result = try Observation.of(origin: .file("{}"), cdn: .status(404, headers))
            #expect(result.cdn.retrieval?.answer?.secondsUntilExpiry == left)
        }
    }
}
