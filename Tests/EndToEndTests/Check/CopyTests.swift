// How Apple's copy compares with the origin's file, and Apple's own error about it.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct CopyTests {
        @Test("the diagnosis names the status that Apple's crawler got")
        func refusedCrawler() async throws {
            try await Stage.with { stage in
                let statuses = [403, 429, 503]
                for status in statuses {
                    let origin = stage.lab.origin("status\(status).test")
                    origin.serve(file())
                    origin.on(userAgentContaining: "AASA-Bot", .reply(.status(status)))
                }
                let reports = try await stage.reports(statuses.map { "status\($0).test" })
                for status in statuses {
                    let report = reports["status\(status).test"] ?? .absent
                    #expect(report["verdict"] == .string("failing"))
                    #expect(report["diagnosis"].string?.contains("\(status)") == true)
                    // Apple's error, and the same answer to its user agent from here. 429 and 503 may be caused by our
                    // own requests.
                    let isRefusal = status == 403
                    if isRefusal { #expect(report["diagnosis"].string?.contains("AASA-Bot") == true) }
                    #expect(
                        report.errorRules
                            == (isRefusal ? ["cdn.crawler-error", "origin.crawler-refused"] : ["cdn.crawler-error"]))
                    let failure = report["cdn"]["failure"]
                    #expect(failure.keys == ["code", "reason", "details", "try_direct"])
                    #expect(failure["code"] == .string("SWCERR00101"))
                    #expect(failure["try_direct"] == .bool(false))
                    #expect(failure["details"]["status"].string?.hasPrefix("\(status) ") == true)
                    #expect(report["cdn"]["status"] == .number(404))
                    #expect(report["comparison"]["state"] == .string("missing"))
                }
            }
        }

        @Test("Apple's failure reason is kept as it came, known or not")
        func unknownWord() async throws {
            try await Stage.with { stage in
                for name in ["a.test", "b.test", "c.test"] { stage.lab.origin(name).serve(file()) }
                stage.lab.cdn.fails("a.test", reason: "SWCERR98765 Something new", details: #"{"n":7,"deep":{}}"#)
                stage.lab.cdn.fails("b.test", reason: "no code at all", details: "no json", tryDirect: true)
                stage.lab.cdn.fails("c.test", reason: nil)
                let reports = try await stage.reports(["a.test", "b.test", "c.test"])
                let first = reports["a.test"]?["cdn"]["failure"] ?? .absent
                #expect(first["code"] == .string("SWCERR98765"))
                #expect(first["reason"] == .string("Something new"))
                #expect(first["details"] == .object(["n": .string("7")]))
                let second = reports["b.test"]?["cdn"]["failure"] ?? .absent
                #expect(second["code"] == .null)
                #expect(second["reason"] == .string("no code at all"))
                #expect(second["try_direct"] == .bool(true))
                #expect(reports["c.test"]?["cdn"]["failure"] == .null)
                #expect(reports["c.test"]?.errorRules == ["cdn.missing"])
            }
        }

        @Test("a recent Last-Modified dates the change; an old one proves nothing about Apple's copy")
        func lastModified() async throws {
            try await Stage.with { stage in
                let hours: [(host: String, hours: Double?)] = [
                    ("old.test", 30), ("young.test", 2), ("now.test", 0), ("unknown.test", nil),
                ]
                for (host, hours) in hours {
                    let date = hours.map { Self.httpDate(Date(timeIntervalSinceNow: -3600 * $0)) }
                    var headers = date.map { [("Last-Modified", $0)] } ?? []
                    // Generated with the answer, like its `Date`, however late the request is.
                    if hours == 0, let date { headers.append(("Date", date)) }
                    stage.lab.origin(host).serve(file("v2"), headers: headers)
                    stage.lab.cdn.holds(host, body: file("v1"))
                }
                let reports = try await stage.reports(hours.map(\.host))
                let young = reports["young.test"] ?? .absent
                #expect(young["comparison"]["state"] == .string("propagating"))
                #expect(young["verdict"] == .string("ok"))
                #expect((7100...10_000).contains(young["comparison"]["lag_seconds"].int ?? 0))
                #expect(young["comparison"]["changed_at"].string?.hasSuffix("Z") == true)
                #expect(!young["comparison"]["changes"].elements.isEmpty)
                for host in ["old.test", "now.test", "unknown.test"] {
                    let unknown = reports[host] ?? .absent
                    #expect(unknown["comparison"]["state"] == .string("divergent"), "\(host)")
                    #expect(unknown["comparison"]["changed_at"] == .null, "\(host)")
                    #expect(unknown["verdict"] == .string("warning"), "\(host)")
                }
            }
        }

        @Test("files that differ only in key order and white space are the same")
        func formatting() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                stage.lab.cdn.holds("site.test", body: file().replacing(",", with: " ,\n "))
                let report = try await stage.report("site.test", ["--strict"])
                #expect(report["comparison"]["state"] == .string("in_sync"))
                #expect(report["comparison"]["bytes_equal"] == .bool(false))
                #expect(report["origin"]["meaning"] == report["cdn"]["meaning"])
                #expect(report["verdict"] == .string("ok"))
            }
        }

        @Test("a CDN copy that is not a valid file is reported")
        func badCopy() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                stage.lab.cdn.holds("site.test", body: "<html>Sign in to the hotel's network</html>")
                let report = try await stage.report("site.test")
                #expect(report.errorRules == ["cdn.bad-copy"])
            }
        }

        @Test("an answer from a proxy on the way says nothing about the copy")
        func gate() async throws {
            try await Stage.with { stage in
                let statuses = [407, 429, 500, 502, 503, 302]
                for status in statuses {
                    stage.lab.origin("status\(status).test").serve(file())
                    stage.lab.cdn.behaves("status\(status).test", .reply(.status(status)))
                }
                let reports = try await stage.reports(statuses.map { "status\($0).test" })
                for status in statuses {
                    let report = reports["status\(status).test"] ?? .absent
                    #expect(report.rules == ["cdn.unreachable"], "\(status)")
                    #expect(report["comparison"]["state"] == .string("cdn_unavailable"), "\(status)")
                }
            }
        }

        @Test("the report has the copy's age and maximum age")
        func age() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                stage.lab.cdn.holds("site.test", body: file(), age: .seconds(120))
                let report = try await stage.report("site.test")
                #expect((120...3600).contains(report["cdn"]["age_seconds"].int ?? -1))
                #expect(report["cdn"]["max_age_seconds"].int != nil)
            }
        }

        static func httpDate(_ date: Date) -> String {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "GMT")
            formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            return formatter.string(from: date)
        }
    }
}
