import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Comparison")
    struct ComparisonTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let origin: Reply
            let cdn: Reply?
            let state: Comparison.State
            let bytesEqual: Bool?

            init(_ name: String, _ origin: Reply, _ cdn: Reply?, _ state: Comparison.State, _ bytesEqual: Bool? = nil) {
                testDescription = name
                self.origin = origin
                self.cdn = cdn
                self.state = state
                self.bytesEqual = bytesEqual
            }
        }

        static let v1 = Reply.file(SampleFile.version(1))
        static let v2 = Reply.file(SampleFile.version(2))
        static let page = Reply.file("<html>")
        static let half = v1.with {
            $0.end = .cutShort(Failure(kind: .connectionReset, phase: .receiving, detail: "reset"))
        }

        static let rows = [
            Row("the same bytes", v1, v1, .inSync, true),
            Row("the same meaning", v1, .file(SampleFile.spaced(1)), .inSync, false),
            Row("another meaning, no history", v1, v2, .divergent, false),
            Row("not asked", v1, nil, .notCompared), Row("no copy", v1, .status(404), .missing),
            Row("no copy, with Apple's reason", v1, .crawler("SWCERR00301 Timeout"), .missing),
            Row(
                "Apple's reason under another status", v1, .crawler("SWCERR00301 Timeout").with { $0.status = 502 },
                .missing),
            Row("the CDN has a server error", v1, .status(503), .cdnUnavailable),
            Row("the CDN refuses us", v1, .status(429), .cdnUnavailable),
            Row("a gate in the network", v1, .status(302), .cdnUnavailable),
            Row("a proxy requires a login", v1, .status(407), .cdnUnavailable),
            Row("the CDN unreachable", v1, .failed(.timedOut), .cdnUnavailable),
            Row("half a copy", v1, half, .cdnUnavailable), Row("the CDN serves a page", v1, page, .divergent, false),
            Row("the origin is gone", .status(404), v1, .originUnavailable),
            Row("both are gone", .status(404), .status(404), .originUnavailable),
            Row("the origin unreachable", .failed(.nameNotFound, .resolving), v1, .originUnavailable),
            Row("the origin serves a page", page, v1, .originUnavailable),
            Row("both serve the same page", page, page, .originUnavailable),
            Row("half a file", half, v1, .originUnavailable),
            Row("an array is not a file", .file("[]"), v1, .originUnavailable),
            Row("an error object is not a version", .file(#"{"error":"later"}"#), v1, .originUnavailable, false),
        ]

        @Test("the comparison tells how Apple's copy differs from the origin's file", arguments: rows)
        func state(_ row: Row) throws {
            let comparison = try verdict(origin: row.origin, cdn: row.cdn).comparison
            #expect(comparison.state == row.state)
            #expect(comparison.bytesEqual == row.bytesEqual)
            #expect(comparison.lagSeconds == nil)
        }

        private func history(supersededHoursAgo hours: Double) throws -> CopyHistory {
            func reading(_ version: Int) throws -> ContentReading {
                ContentReading(Data(SampleFile.version(version).utf8))
            }
            let change = Date.testing - hours * 3600
            let (old, new) = (try reading(2), try reading(1))
            return CopyHistory(periods: [
                OriginPeriod(
                    meaning: try #require(old.meaning), content: old.hash, firstSeen: change - 86400,
                    lastSeen: change - 300, supersededAt: change),
                OriginPeriod(
                    meaning: try #require(new.meaning), content: new.hash, firstSeen: change, lastSeen: .testing),
            ])
        }

        @Test(
            "an old copy is propagating until the limit, then stale",
            arguments: [(0, .propagating), (23.99, .propagating), (24, .stale), (1000, .stale), (-1, .propagating)]
                as [(Double, Comparison.State)])
        func age(_ hours: Double, _ state: Comparison.State) throws {
            let comparison = try verdict(
                origin: Self.v1, cdn: Self.v2, history: try history(supersededHoursAgo: hours)
            ).comparison
            #expect(comparison.state == state)
            #expect(comparison.lagSeconds == Int(max(0, hours) * 3600))
            #expect(comparison.changedAt == .testing - hours * 3600)
            #expect(comparison.changedAfter == .testing - hours * 3600 - 300)
            #expect(!comparison.changes.isEmpty)
        }

        @Test(
            "only a check without history uses Last-Modified",
            arguments: [
                // It does not prove that the origin ever served the copy.
                ("Fri, 20 Nov 2026 07:00:00 GMT", false, .divergent),
                ("Fri, 20 Nov 2026 07:00:01 GMT", false, .propagating),
                ("Sat, 21 Nov 2026 06:00:00 GMT", false, .propagating),
                // Generated with the response.
                ("Sat, 21 Nov 2026 06:59:58 GMT", false, .divergent),
                ("Sat, 21 Nov 2026 06:59:00 GMT", false, .propagating),
                ("Sat, 21 Nov 2026 07:00:01 GMT", false, .divergent),
                ("Thu, 01 Jan 1970 00:00:01 GMT", false, .divergent),
                ("soon", false, .divergent), ("Fri, 20 Nov 2026 07:00:00 GMT", true, .divergent),
            ] as [(String, Bool, Comparison.State)])
        func lastModified(_ header: String, _ isKept: Bool, _ state: Comparison.State) throws {
            let comparison = try verdict(
                origin: Self.v1.with { $0.headers["Last-Modified"] = header }, cdn: Self.v2,
                history: CopyHistory(periods: [], isKept: isKept)
            ).comparison
            #expect(comparison.state == state)
        }

        @Test("a Last-Modified within seconds of Date was generated with the response, even an old one")
        func generated() throws {
            let old = Self.v1.with {
                $0.headers["Last-Modified"] = "Sat, 21 Nov 2026 06:00:00 GMT"
                $0.headers["Date"] = "Sat, 21 Nov 2026 06:00:02 GMT"
            }
            #expect(try verdict(origin: old, cdn: Self.v2).comparison.state == .divergent)
        }

        @Test("URLs that Safari opens under both files are no change on a phone")
        func behaviour() throws {
            func file(_ rules: String) -> Reply {
                .file(#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[\#(rules)]}]}}"#)
            }
            let old = #"{"/":"/a"},{"/":"/b","exclude":true}"#
            let comparison = try verdict(origin: file(#"{"/":"/a"},{"/":"/c"}"#), cdn: file(old)).comparison
            #expect(comparison.changes.count == 2)
            #expect(comparison.behaviour.map(\.example) == ["/c"])
        }

        @Test("if the origin served the same content several times, the latest time counts")
        func latest() throws {
            var kept = try history(supersededHoursAgo: 2)
            var earlier = try #require(kept.periods.first)
            earlier.supersededAt = .testing - 999_999
            kept.periods.insert(earlier, at: 0)
            #expect(try verdict(origin: Self.v1, cdn: Self.v2, history: kept).comparison.lagSeconds == 7200)
        }
    }
}
