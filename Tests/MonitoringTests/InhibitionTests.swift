import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Causes and consequences")
    struct InhibitionTests {
        static let file = Reply.file(SampleFile.version(1))

        /// An origin that refuses Apple's crawler (`x`) or not (`o`), and the CDN without a copy (`x`) or with one (`o`).
        private func course(_ origin: String, _ copy: String, maxAge: Int = 3600) throws -> Course {
            var course = try Course()
            for (hour, (origin, copy)) in zip(origin, copy).enumerated() {
                let cdn = copy == "x" ? Reply.crawler("SWCERR00101 Bad HTTP Response: 403", maxAge: maxAge) : Self.file
                try Self.look(&course, at: Double(hour), refusesCrawler: origin == "x", Self.file, cdn)
            }
            return course
        }

        private static func look(
            _ course: inout Course, at hour: Double, refusesCrawler: Bool, _ origin: Reply, _ cdn: Reply
        ) throws {
            var observation = try Observation.of(
                "example.com", at: .testing + hour * 3600, origin: origin, cdn: cdn)
            var full = FullLook(resolution: Resolution(source: .proxy))
            if refusesCrawler {
                let refused = try Observation.of(at: observation.checkedAt, origin: .status(403), cdn: nil)
                full.agents = AgentLook.Agent.allCases.map { AgentLook(agent: $0, retrieval: refused.origin) }
                observation.contents.merge(refused.contents) { first, _ in first }
            }
            observation.full = full
            try course.look(at: hour, observation)
        }

        static let rows: [(origin: String, copy: String, told: [String])] = [
            // One cause, one message, and the consequence that ends with it is never told.
            ("oxxxxooo", "oxxxxooo", ["2 origin.broken firing", "5 origin.broken resolved (recovered)"]),
            // A consequence that outlives its cause is told, after a patience of its own.
            (
                "oxxxooooooo", "oxxxxxxxxxo",
                [
                    "2 origin.broken firing", "4 origin.broken resolved (recovered)", "6 cdn.missing firing",
                    "10 cdn.missing resolved (recovered)",
                ]
            ),
            // What was told before the cause keeps its end.
            (
                "oooxxxxo", "oxxxxooo",
                [
                    "2 cdn.missing firing", "4 origin.broken firing", "5 cdn.missing resolved (recovered)",
                    "7 origin.broken resolved (recovered)",
                ]
            ),
        ]

        @Test("what follows from a broken origin is not told beside it", arguments: 0..<3)
        func refusedCrawler(_ index: Int) throws {
            let row = Self.rows[index]
            #expect(try course(row.origin, row.copy).told == row.told)
        }

        @Test("an inhibited incident is pending, names its cause, and ends without a notification")
        func state() throws {
            let course = try course("oxxxxxx", "oxxxxxx")
            let open = try #require(course.open(.cdnMissing))
            #expect(open.inhibitedBy == .originBroken && open.incident.state == .pending && open.incident.version == 0)
            let end = retire(course.state, now: .testing + 9 * 3600)
            #expect(end.changes.map(\.incident.kind) == [.originBroken])
            #expect(end.dropped.map(\.kind) == [.cdnMissing] && end.state.open.isEmpty)
        }

        @Test("the certificate of an unreachable origin waits for the end of that, and fires at once then")
        func certificate() throws {
            let ending = Reply.certificate(.expired)
            var course = try Course(policy: Policy(failureThreshold: 1))
            try course.look(at: 0, ending, Self.file)
            try course.look(at: 1, Self.file.expiring(at: .testing + 86_400 * 9), Self.file)
            #expect(
                course.told == [
                    "0 origin.unreachable firing", "1 origin.unreachable resolved (recovered)",
                    "1 certificate.expiring firing",
                ])
        }

        @Test("a longer time to follow holds for an old copy that is still pending", arguments: [24, 48])
        func staleAfter(hours: Int) throws {
            let newer = Reply.file(SampleFile.version(2))
            var course = try Course()
            try Self.look(&course, at: 0, refusesCrawler: false, Self.file, Self.file)
            for hour in 1...30 { try Self.look(&course, at: Double(hour), refusesCrawler: true, newer, Self.file) }
            #expect(course.open(.cdnStale)?.inhibitedBy == .originBroken)
            // The cause is over, and the count begins anew.
            try Self.look(&course, at: 31, refusesCrawler: false, newer, Self.file)
            course.policy.staleAfter = .seconds(hours * 3600)
            for hour in 32...60 { try Self.look(&course, at: Double(hour), refusesCrawler: false, newer, Self.file) }
            #expect(
                course.told == [
                    "2 origin.broken firing", "31 origin.broken resolved (recovered)",
                    "\(hours == 24 ? 32 : 49) cdn.stale firing",
                ])
        }

        @Test("every kind of Apple's copy and the certificate follow from the origin, and nothing else does")
        func table() {
            for kind in IncidentKind.ofDomains {
                let isConsequence = kind.isOfCDN || kind == .certificateExpiring
                #expect(kind.inhibitors == (isConsequence ? [.originUnreachable, .originBroken] : []))
            }
        }
    }
}
