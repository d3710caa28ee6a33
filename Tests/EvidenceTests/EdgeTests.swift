import Facts
import Foundation
import TestSupport
import Testing

@testable import Evidence

extension EvidenceSuite {
    @Suite("Edges")
    struct EdgeTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            var origin = Reply.file(SampleFile.version(3))
            var addresses: [Reply]?
            let edges: [Reply]
            /// How many hours ago versions 1, 2, … were superseded.
            var history: [Double] = [40, 2]
            let state: Comparison.State
            /// In sync, old, without a copy, other, unreachable.
            let tally: [Int]
            /// Findings about the CDN.
            let findings: [String]
            var lag: Double?

            init(
                _ name: String, _ edges: [Reply], _ state: Comparison.State, _ tally: [Int], _ findings: [String],
                lag: Double? = nil, change: (inout Row) -> Void = { _ in }
            ) {
                testDescription = name
                self.edges = edges
                self.state = state
                self.tally = tally
                self.findings = findings
                self.lag = lag
                change(&self)
            }
        }

        static let v1 = Reply.file(SampleFile.version(1))
        static let v2 = Reply.file(SampleFile.version(2))
        static let now = Reply.file(SampleFile.version(3))
        static let unknown = Reply.file(SampleFile.version(9))
        static let none = Reply.status(404)
        static let refused = Reply.crawler("SWCERR00301 Timeout")
        static let dead = Reply.failed(.timedOut)
        static let differ = "cdn.edges-differ warning"
        /// Edges that stay old longer than `stale_after` are an error, whether or not others have the file.
        static let late = ["cdn.stale error", "cdn.edges-differ note"]

        static let rows: [Row] = [
            Row("all serve the file", [now, now, .file(SampleFile.spaced(3))], .inSync, [3, 0, 0, 0, 0], []),
            Row("one is behind", [now, v2, now], .mixed, [2, 1, 0, 0, 0], ["cdn.edges-differ note"], lag: 2),
            Row("one is behind for too long", [now, v1, v2], .mixed, [1, 2, 0, 0, 0], late, lag: 40),
            Row("all are equally behind", [v2, v2], .propagating, [0, 2, 0, 0, 0], ["cdn.propagating note"], lag: 2),
            Row("all are behind, in two versions", [v2, v1], .mixed, [0, 2, 0, 0, 0], late, lag: 40),
            Row("one serves something unknown", [now, unknown], .mixed, [1, 0, 0, 1, 0], [differ]),
            Row(
                "one serves a page", [now, .file("<html>")], .mixed, [1, 0, 0, 1, 0],
                ["cdn.bad-copy error", differ]),
            Row("one has no copy", [now, none], .mixed, [1, 0, 1, 0, 0], ["cdn.missing error", differ]),
            Row(
                "one has no copy, and says why", [refused, now, now], .mixed, [2, 0, 1, 0, 0],
                ["cdn.crawler-error error", differ]),
            Row(
                "none has a copy, for two reasons", [refused, .crawler("SWCERR00777 Odd"), none], .missing,
                [0, 0, 3, 0, 0], ["cdn.crawler-error error", "cdn.crawler-error error", "cdn.missing error"]),
            Row("one is unreachable", [now, dead], .inSync, [1, 0, 0, 0, 1], ["cdn.edge-unreachable note"]),
            Row("one is in trouble", [now, .status(502)], .inSync, [1, 0, 0, 0, 1], ["cdn.edge-unreachable warning"]),
            Row(
                "the first is in trouble", [.status(502), now], .inSync, [1, 0, 0, 0, 1],
                ["cdn.edge-unreachable warning"]),
            Row("none is reachable", [dead, dead], .cdnUnavailable, [0, 0, 0, 0, 2], ["cdn.unreachable warning"]),
            Row("the origin has no file", [now, none], .originUnavailable, [1, 0, 1, 0, 0], [differ]) {
                $0.origin = .status(404)
            },
            Row(
                "the origin has no file, and all have its last one", [now, now], .originUnavailable, [2, 0, 0, 0, 0], []
            ) {
                $0.origin = .status(404)
            },
            Row(
                "the origin has no file, and copies are older than its last one", [v1, v2], .originUnavailable,
                [0, 2, 0, 0, 0], [differ]
            ) { $0.origin = .status(404) },
            Row("the origin serves both, one at each address", [now, v2], .mixed, [2, 0, 0, 0, 0], [differ]) {
                $0.addresses = [now, v2]
            },
            Row("all edges serve what another address has", [v2, v2], .inSync, [2, 0, 0, 0, 0], []) {
                $0.addresses = [now, v2]
            },
        ]

        @Test(
            "edges are mixed if they serve different files; edges that cannot be reached do not count", arguments: rows)
        func state(_ row: Row) throws {
            var scene = Scene.calm(row.origin).edges(row.edges)
            if let addresses = row.addresses { scene = scene.addresses(addresses) }
            let verdict = try verdict(
                origin: row.origin, cdn: nil, scene: scene, history: try history(supersededHoursAgo: row.history))
            #expect(verdict.comparison.state == row.state)
            let tally = try #require(verdict.comparison.edges)
            #expect([tally.inSync, tally.old, tally.missing, tally.other, tally.unreachable] == row.tally)
            #expect(tally.asked == row.edges.count)
            #expect(verdict.told.filter { $0.hasPrefix("cdn.") } == row.findings)
            #expect(verdict.comparison.lagSeconds == row.lag.map { Int($0 * 3600) })
            #expect(verdict.comparison.changedAt == row.lag.map { .testing - $0 * 3600 })
            if row.lag != nil { #expect(!verdict.comparison.changes.isEmpty) }
        }

        @Test("the finding says which edges serve what, and where they are")
        func places() throws {
            let near = Self.v2.with {
                $0.headers["Via"] =
                    "http/1.1 uklon5-vp-vst-008.ts.apple.com (acdn/1), https/1.1 usqas4-vp-vfe-006.ts.apple.com (acdn/1)"
            }
            let lumen = Self.v2.with { $0.headers["CDN-Server"] = "lumn" }
            let verdict = try verdict(
                origin: Self.now, cdn: nil,
                scene: Scene.calm(Self.now).edges([Self.now, Self.now, Self.now, near, lumen]))
            let finding = try #require(verdict.findings.first { $0.rule.rawValue == "cdn.edges-differ" })
            #expect(finding.message.contains("3 of 5 serve the origin's file"))
            #expect(finding.message.contains("2 of 5 serve another file"))
            // The message has no hashes and no addresses.
            #expect(!finding.message.contains("SHA-256") && !finding.message.contains("198.51.100"))
            #expect(
                finding.text.evidence["group_2"]?.contains("198.51.100.4 (usqas4), 198.51.100.5 (lumn)") == true)
        }

        @Test(
            "the advice asks about a recent change only if the monitor does not know",
            arguments: [(nil, true), (3600, true), (90_000, false)] as [(Double?, Bool)])
        func justChanged(seconds: Double?, isAsked: Bool) {
            let since = seconds.map { Date.testing - $0 }
            for problem: CDNProblem in [
                .divergent(originSince: since), .edgesDiffer([], of: 2, isPropagating: false, originSince: since),
            ] {
                let fix = Finding(.cdn(problem)).text(at: .testing).fix
                #expect(fix.contains("just changed") == isAsked, "\(fix)")
            }
        }

        @Test("copies are not wrong if the origin's file is unknown")
        func unknownOrigin() throws {
            let scene = Scene.calm(.status(403)).edges([Self.now, Self.now, .file("<html>")])
            let tally = try #require(try verdict(origin: .status(403), cdn: nil, scene: scene).comparison.edges)
            #expect(tally.unknown == 2 && tally.inSync == 0 && tally.old == 0 && tally.other == 1)
        }

        @Test("a light check has no tally, and an older stored verdict without a tally can be read")
        func older() throws {
            let light = try verdict(origin: Self.now, cdn: Self.now)
            #expect(light.comparison.edges == nil)
            let text = #"{"state":"in_sync","changes":[],"behaviour":[]}"#
            #expect(try JSONDecoder().decode(Comparison.self, from: Data(text.utf8)).edges == nil)
            let tally = EdgeTally(asked: 3, inSync: 1, old: 2)
            let comparison = Comparison(state: .mixed, edges: tally)
            let again = try JSONDecoder().decode(Comparison.self, from: try JSONEncoder().encode(comparison))
            #expect(again == comparison)
        }
    }
}
