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

        /// An origin that refuses Apple's crawler (`x`) or not (`o`), and a CDN without a copy (`x`) or with one (`o`).
        private func course(_ origin: String, _ copy: String, maxAge: Int = 3600) throws -> Course {
            var course = try Course()
            for (hour, (origin, copy)) in zip(origin, copy).enumerated() {
                let cdn = copy == "x" ? Reply.crawler("SWCERR00101 Bad HTTP Response: 403", maxAge: maxAge) : Self.file
                try Self.probed(&course, at: Double(hour), refusesCrawler: origin == "x", Self.file, cdn)
            }
            return course
        }

        private static func probed(
            _ course: inout Course, at hour: Double, refusesCrawler: Bool, _ origin: Reply, _ cdn: Reply
        ) throws {
            var scene = Scene().edges([cdn, cdn, cdn])
            if refusesCrawler { scene.agents = AgentResult.Agent.allCases.map { ($0, .status(403)) } }
            try course.probed(at: hour, .of(at: .testing + hour * 3600, origin: origin, cdn: cdn, scene: scene))
        }

        static let rows: [(origin: String, copy: String, told: [String])] = [
            // They begin and end together.
            (
                "oxxxxooo", "oxxxxooo",
                [
                    "2 origin.broken firing", "2 cdn.missing firing by origin.broken",
                    "5 origin.broken resolved (recovered)", "5 cdn.missing resolved (recovered)",
                ]
            ),
            // A consequence that outlives its cause continues, no longer inhibited.
            (
                "oxxxooooooo", "oxxxxxxxxxo",
                [
                    "2 origin.broken firing", "2 cdn.missing firing by origin.broken",
                    "4 origin.broken resolved (recovered)", "10 cdn.missing resolved (recovered)",
                ]
            ),
            // An incident from before the cause keeps its end.
            (
                "oooxxxxo", "oxxxxooo",
                [
                    "2 cdn.missing firing", "4 origin.broken firing", "5 cdn.missing resolved (recovered)",
                    "7 origin.broken resolved (recovered)",
                ]
            ),
        ]

        @Test("a consequence of a broken origin is inhibited, only while that lasts", arguments: 0..<3)
        func refusedCrawler(_ index: Int) throws {
            let row = Self.rows[index]
            let course = try course(row.origin, row.copy)
            let told = zip(course.told, course.events).map { words, event in
                words + (event.incident.inhibitedBy.map { " by \($0.rawValue)" } ?? "")
            }
            #expect(told == row.told)
            // The end of the inhibition is a change: channels that suppressed the incident must evaluate it again.
            if index == 1 {
                let changes = course.evaluations[4].changes.filter { $0.incident.kind == .cdnMissing }
                #expect(changes.map(\.incident.inhibitedBy) == [nil])
            }
        }

        @Test("an origin breaks and Apple's copy vanishes later: it gets worse, and outlasts the origin's recovery")
        func worse() throws {
            let page = Reply.status(200, ["content-type": "text/html"])
            var course = try Course()
            let results: [(Reply, Reply)] = [
                (Self.file, Self.file), (page, Self.file), (page, Self.file), (page, .status(404)),
                (page, .status(404)), (page, .status(404)), (Self.file, .status(404)), (Self.file, .status(404)),
                (Self.file, Self.file),
            ]
            for (hour, (origin, cdn)) in results.enumerated() { try course.probed(at: Double(hour), origin, cdn) }
            #expect(
                course.told == [
                    "2 origin.broken firing", "4 cdn.missing firing", "4 origin.broken worse",
                    "6 origin.broken resolved (recovered)", "8 cdn.missing resolved (recovered)",
                ])
            let events = course.events
            try #require(events.count == 5)
            #expect(events[0].facts?.diagnosis.effect.links == .work(seen: nil))
            #expect(events[1].incident.inhibitedBy == .originBroken)
            #expect(events[2].facts?.diagnosis.effect.links == .openWebsite(at: nil))
            #expect(!Acknowledgement(by: "eva", reason: "", at: .testing, version: 1).holds(for: events[2].incident))
            // The end says what is still failing.
            #expect(events[3].facts?.isStillFailing == true)
            #expect(events[3].facts?.diagnosis.effect.links == .openWebsite(at: nil))
            #expect(events[4].facts?.isStillFailing == nil)
        }

        @Test("a worse effect is notified the second time too, and while the origin flaps")
        func worseAgain() throws {
            let page = Reply.status(200, ["content-type": "text/html"])
            var course = try Course(policy: Policy(CheckSettings(failureThreshold: 1)))
            let round = [(page, Self.file), (page, .status(404)), (Self.file, Self.file)]
            try course.probed(at: 0, Self.file, Self.file)
            for step in 0..<9 {
                let (origin, cdn) = round[step % 3]
                try course.probed(at: 1 + Double(step) / 12, origin, cdn)
            }
            let told = course.events.filter { $0.incident.kind == .originBroken }.map(\.transition)
            #expect(told == [.firing, .worse, .resolved, .again, .worse, .resolved, .flapping, .worse])
        }

        @Test("a domain that never had a copy has only its origin's incident")
        func neverThere() throws {
            let page = Reply.status(200, ["content-type": "text/html"])
            var course = try Course()
            for hour in 0..<40 { try course.probed(at: Double(hour), page, .status(404)) }
            #expect(course.told == ["1 origin.broken firing"])
        }

        @Test("a copy that alternates between requests has not recovered")
        func alternates() throws {
            var course = try Course.lagging(until: 30, policy: Policy(CheckSettings(failureThreshold: 1)))
            #expect(course.told == ["25 cdn.stale firing"])
            for step in 0..<20 { try course.probed(at: 31 + Double(step) / 10, origin: 2, cdn: step % 2 == 0 ? 2 : 1) }
            // Until the copy has come back once, one good answer ends the incident.
            #expect(
                course.told == ["25 cdn.stale firing", "31 cdn.stale resolved (cdn_caught_up)", "31 cdn.stale again"])
            for hour in 51...60 { try course.probed(at: Double(hour), origin: 2, cdn: 2) }
            #expect(course.told.last == "54 cdn.stale resolved (cdn_caught_up)")
        }

        @Test("a light check sees the new copy but a full one the old copy: nothing ends")
        func alternatesWithinACheck() throws {
            var course = try Course.lagging(until: 30, policy: Policy(CheckSettings(failureThreshold: 1)))
            let (old, new) = (Reply.file(SampleFile.version(1)), Reply.file(SampleFile.version(2)))
            for minute in 1...5 {
                let at = 30 + Double(minute) / 60
                let instant = Date.testing + at * 3600
                try course.probed(
                    at: at, .of(at: instant, origin: new, cdn: old, scene: Scene().edges([old, old, old])),
                    replacing: .of(at: instant, origin: new, cdn: new))
            }
            // Then all answers are good: the incident ends with the fourth in a row.
            for minute in 6...9 { try course.probed(at: 30 + Double(minute) / 60, origin: 2, cdn: 2) }
            #expect(course.told == ["25 cdn.stale firing", "30 cdn.stale resolved (cdn_caught_up)"])
            let end = course.state.ended[.cdnStale]?.incident.resolvedAt
            #expect(end == Date.testing.addingTimeInterval(30 * 3600 + 9 * 60))
        }

        @Test("a certificate of an unreachable origin waits for that to end, then fires immediately")
        func certificate() throws {
            let ending = Reply.certificate(.expired)
            var course = try Course(policy: Policy(CheckSettings(failureThreshold: 1)))
            try course.probed(at: 0, ending, Self.file)
            try course.probed(at: 1, Self.file.expiring(at: .testing + 86_400 * 9), Self.file)
            #expect(
                course.told == [
                    "0 origin.unreachable firing", "1 origin.unreachable resolved (recovered)",
                    "1 certificate.expiring firing",
                ])
        }

        @Test("a longer propagation time also applies to a copy that is still pending", arguments: [24, 48])
        func staleAfter(hours: Int) throws {
            let newer = Reply.file(SampleFile.version(2))
            var course = try Course()
            try Self.probed(&course, at: 0, refusesCrawler: false, Self.file, Self.file)
            for hour in 1...10 { try Self.probed(&course, at: Double(hour), refusesCrawler: true, newer, Self.file) }
            #expect(course.open(.cdnStale)?.incident.inhibitedBy == .originBroken)
            try Self.probed(&course, at: 11, refusesCrawler: false, newer, Self.file)
            course.policy.checks.staleAfter = .seconds(hours * 3600)
            for hour in 12...60 { try Self.probed(&course, at: Double(hour), refusesCrawler: false, newer, Self.file) }
            #expect(
                course.told == [
                    "2 origin.broken firing", "11 origin.broken resolved (recovered)",
                    "\(hours == 24 ? 25 : 49) cdn.stale firing",
                ])
        }
    }
}
