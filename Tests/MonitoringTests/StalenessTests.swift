import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Staleness")
    struct StalenessTests {
        @Test("a change propagates silently, is stale after its time, and ends when the copy catches up")
        func wholeCourse() throws {
            var course = try Course.lagging(until: 1)
            #expect(course.state.verdict?.comparison.state == .propagating)
            #expect(course.open(.cdnStale)?.incident.state == .pending)
            try course.probed(at: 2...40, origin: 2, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing"])
            try course.probed(at: 41, origin: 2, cdn: 2)
            try course.probed(at: 42...80, origin: 2, cdn: 2)
            #expect(course.told == ["25 cdn.stale firing", "41 cdn.stale resolved (cdn_caught_up)"])
            #expect(course.events.map(\.incident.version) == [1, 1])
            #expect(Set(course.events.map(\.incident.id)).count == 1)
            #expect(course.state.open.isEmpty)
        }

        @Test("a change that arrives in time is never notified")
        func inTime() throws {
            var course = try Course.lagging(until: 24)
            try course.probed(at: 25, origin: 2, cdn: 2)
            #expect(course.told.isEmpty)
            #expect(course.evaluations.last?.changes.dropped.map(\.kind) == [.cdnStale])
        }

        @Test("the alert fires in the exact second")
        func threshold() throws {
            var course = try Course.lagging(until: 1)
            try course.probed(at: 25 - 1 / 3600.0, origin: 2, cdn: 1)
            #expect(course.told.isEmpty)
            try course.probed(at: 25, origin: 2, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing"])
            #expect(course.events.first?.facts?.comparison.lagSeconds == 86400)
        }

        @Test("a copy that moves to an intermediate version ends the incident and starts a new, silent wait")
        func intermediate() throws {
            var course = try Course.lagging(until: 19)
            try course.probed(at: 20...29, origin: 3, cdn: 1)
            try course.probed(at: 30...43, origin: 3, cdn: 2)
            #expect(course.told == ["25 cdn.stale firing", "30 cdn.stale resolved (cdn_refreshed)"])
            #expect(course.open(.cdnStale)?.incident.since == .testing + 20 * 3600)
            try course.probed(at: 44...50, origin: 3, cdn: 2)
            #expect(course.told.last == "44 cdn.stale firing")
            #expect(course.events.first?.incident.id != course.events.last?.incident.id)
        }

        @Test(
            "a reverted origin or a copy that catches up ends it with that reason, however many checks confirm it",
            arguments: 1...3, [true, false])
        func reason(_ recovery: Int, isReverted: Bool) throws {
            var course = try Course.lagging(policy: Policy(CheckSettings(recoveryThreshold: recovery)))
            try course.probed(at: 27...40, origin: isReverted ? 1 : 2, cdn: isReverted ? 1 : 2)
            // For as long as one of several servers may have the former file: eight contents in a row.
            let end = isReverted ? "\(33 + recovery) cdn.stale resolved (origin_reverted)" : nil
            #expect(
                course.told == [
                    "25 cdn.stale firing", end ?? "\(26 + recovery) cdn.stale resolved (cdn_caught_up)",
                ])
        }

        @Test("an origin that alternates between two files makes neither copy stale")
        func alternation() throws {
            var course = try Course()
            for hour in 0..<200 { try course.probed(at: Double(hour), origin: hour % 2, cdn: 0) }
            #expect(course.told == ["4 origin.inconsistent firing"])
            #expect(course.state.originPeriods.count <= DomainState.maximumPeriods)
        }

        @Test("formatting alone is not a change")
        func formatting() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            for hour in 1..<60 {
                try course.probed(at: Double(hour), .file(SampleFile.spaced(1)), .file(SampleFile.version(1)))
            }
            #expect(course.state.originPeriods.count == 1)
            #expect(course.told.isEmpty && course.state.open.isEmpty)
        }

        @Test(
            "an error page is never a version: it neither opens staleness nor closes it",
            arguments: [
                Reply.status(404), .status(503), .file("<html>"), .file(#"{"error":"later"}"#), .failed(.timedOut),
            ])
        func errorPages(_ fault: Reply) throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            for hour in 1..<30 { try course.probed(at: Double(hour), fault, .file(SampleFile.version(1))) }
            #expect(!course.told.contains { $0.contains("cdn") })
            #expect(course.told.count == 1)
            #expect(course.state.originPeriods.count == 1)
            try course.probed(at: 30...60, origin: 1, cdn: 1)
            #expect(course.told.count == 2 && course.told.last?.contains("(recovered)") == true)
        }

        @Test("an origin failure leaves a firing staleness unchanged")
        func faultWhileStale() throws {
            var course = try Course.lagging()
            for hour in 27..<30 { try course.probed(at: Double(hour), .status(500), .file(SampleFile.version(1))) }
            #expect(course.open(.cdnStale)?.incident.state == .firing)
            #expect(course.open(.cdnStale)?.unknownSince == .testing + 27 * 3600)
            try course.probed(at: 30, origin: 2, cdn: 2)
            #expect(
                course.told.filter { $0.contains("stale") } == [
                    "25 cdn.stale firing", "30 cdn.stale resolved (cdn_caught_up)",
                ])
        }

        @Test("a copy that was correct and is old again has a new age and a new grace")
        func wentBack() throws {
            var course = try Course.lagging(until: 2)
            try course.probed(at: 3...100, origin: 2, cdn: 2)
            try course.probed(at: 101...130, origin: 2, cdn: 1)
            #expect(course.told == ["125 cdn.stale firing"])
            let facts = try #require(course.events.last?.facts)
            #expect(
                facts.comparison.change
                    == OriginChange(at: .testing + 101 * 3600, after: .testing + 100 * 3600, way: .wentBack))
            #expect(facts.comparison.lagSeconds == 86_400)
            #expect(
                facts.text(at: .testing + 125 * 3600).parts.prefix(2) == [
                    "Phones use an older file: /v2 opens the website.",
                    "Apple's CDN went back to an older file 24 h ago.",
                ])
            // Once more: after a day of the correct file, the age starts again.
            try course.probed(at: 131...160, origin: 2, cdn: 2)
            try course.probed(at: 161...162, origin: 2, cdn: 1)
            #expect(course.state.verdict?.comparison.changedAt == .testing + 161 * 3600)
        }

        @Test("caches that answer at random have not gone back: the age counts from the change")
        func chance() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            // Within the hour, each check reaches another cache.
            for probed in 1...61 { try course.probed(at: Double(probed) / 12, origin: 2, cdn: probed % 3 == 0 ? 2 : 1) }
            #expect(course.state.verdict?.comparison.change?.way == .changed)
            #expect(course.state.verdict?.comparison.changedAt == .testing + 300)
        }

        @Test("the next deploy does not make a reverted copy older, and neither does a revert right after it")
        func redeployed() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            try course.probed(at: 1...100, origin: 2, cdn: 2)
            try course.probed(at: 101...102, origin: 2, cdn: 1)
            try course.probed(at: 103...120, origin: 3, cdn: 1)
            #expect(course.state.verdict?.comparison.changedAt == .testing + 101 * 3600)
            #expect(course.told.isEmpty)
            try course.probed(at: 121...200, origin: 3, cdn: 3)
            try course.probed(at: 201, origin: 4, cdn: 3)
            #expect(course.state.verdict?.comparison.change?.way == .changed)
            try course.probed(at: 202, origin: 4, cdn: 1)
            #expect(course.state.verdict?.comparison.changedAt == .testing + 201 * 3600)
            #expect(course.state.verdict?.comparison.change?.way == .wentBack)
            #expect(course.told.isEmpty)
        }

        @Test("a few lucky answers from differing caches do not reset the age: it fires in time")
        func lucky() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            for probed in 1...400 {
                try course.probed(at: Double(probed) / 12, origin: 2, cdn: probed % 14 == 0 ? 1 : 2)
            }
            for probed in 0..<20 {
                try course.probed(at: 34 + Double(probed) / 12, origin: 2, cdn: probed % 3 == 0 ? 2 : 1)
            }
            #expect(course.told.first == "34 cdn.stale firing")
        }

        @Test("hours without a result do not count as hours with a correct copy")
        func unseen() throws {
            var course = try Course.lagging(until: 1)
            try course.probed(at: 2, origin: 2, cdn: 2)
            for hour in 3...9 { try course.probed(at: Double(hour), .file(SampleFile.version(2)), .failed(.timedOut)) }
            try course.probed(at: 10, origin: 2, cdn: 1)
            #expect(course.state.verdict?.comparison.change?.way == .changed)
        }

        @Test("a short good answer does not make a reverted copy younger")
        func relapse() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            try course.probed(at: 1...50, origin: 2, cdn: 2)
            try course.probed(at: 51...60, origin: 2, cdn: 1)
            try course.probed(at: 60.2, origin: 2, cdn: 2)
            try course.probed(at: 60.4, origin: 2, cdn: 1)
            #expect(course.state.verdict?.comparison.changedAt == .testing + 51 * 3600)
            #expect(course.state.verdict?.comparison.change?.way == .wentBack)
        }

        @Test("after a rollback the copy is the withdrawn file, not the old one")
        func rolledBack() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            try course.probed(at: 1...10, origin: 2, cdn: 2)
            try course.probed(at: 11, origin: 1, cdn: 2)
            let early = try #require(course.state.verdict).text(at: .testing + 12 * 3600)
            #expect(early.effect == "Phones use the withdrawn file: /v1 opens the website.")
            #expect(
                early.cause == "The file was rolled back 60 min ago, and Apple's CDN still serves the withdrawn one.")
            try course.probed(at: 12...40, origin: 1, cdn: 2)
            #expect(course.told == ["35 cdn.stale firing"])
            #expect(
                course.events.last?.facts?.text(at: .testing + 35 * 3600).cause
                    == "Apple's CDN still serves the withdrawn file, 24 h after the roll-back.")
        }

        @Test(
            "a change that affects no URL is a note, at one edge or at all, dated or not",
            arguments: [
                (#"[{"/":"/buy/*","comment":"shop"}]"#, true), (#"[{"/":"/buy/?*"},{"/":"/buy/"}]"#, true),
                (#"[{"/":"/buy/?*"}]"#, false),
                (#"[{"/":"/buy/x","exclude":true},{"/":"/buy/*"}]"#, false),
            ])
        func withoutEffect(_ components: String, _ isWithoutEffect: Bool) throws {
            func file(_ components: String) -> Reply {
                .file(
                    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":\#(components)}]}}"#
                )
            }
            let (old, new) = (file(#"[{"/":"/buy/*"}]"#), file(components))
            for isDated in [true, false] {
                var course = try Course()
                if isDated { try course.probed(at: 0, old, old) }
                for hour in 1...40 { try course.probed(at: Double(hour), new, old) }
                let verdict = try #require(course.state.verdict)
                #expect((verdict.level == .ok) == isWithoutEffect, "\(verdict.findings)")
                #expect(course.told.isEmpty == isWithoutEffect)
                #expect(course.state.open.isEmpty == isWithoutEffect)
                guard isWithoutEffect else { continue }
                #expect(verdict.findings.map(\.rule.rawValue) == ["cdn.without-effect"])
                #expect(verdict.diagnosis.effect.links == .work(seen: nil))
                #expect(verdict.comparison.state == (isDated ? .stale : .divergent))
            }
        }

        @Test("swapping two apps that open the same URLs has an effect")
        func order() throws {
            func file(_ apps: [String]) -> Reply {
                let entries = apps.map { #"{"appIDs":["ABCDE12345.\#($0)"],"components":[{"/":"/buy/*"}]}"# }
                return .file(#"{"applinks":{"details":[\#(entries.joined(separator: ","))]}}"#)
            }
            var course = try Course()
            try course.probed(
                at: 0, file(["com.example.a", "com.example.b"]), file(["com.example.a", "com.example.b"]))
            for hour in 1...30 {
                try course.probed(
                    at: Double(hour), file(["com.example.b", "com.example.a"]),
                    file(["com.example.a", "com.example.b"]))
            }
            #expect(course.told == ["25 cdn.stale firing"])
        }

        @Test("what began or ended between checks has a range instead of an age")
        func unwatched() throws {
            var course = try Course(policy: Policy(CheckSettings(failureThreshold: 2)))
            let file = Reply.file(SampleFile.version(1))
            try course.probed(at: 0, file, file)
            for hour in [72.0, 72.1] { try course.probed(at: hour, .status(500), file) }
            #expect(course.told == ["72 origin.broken firing"])
            #expect(course.events.last?.facts?.beganAfter == .testing)
            for hour in [144.0, 144.1] { try course.probed(at: hour, file, file) }
            #expect(course.told.last == "144 origin.broken resolved (recovered)")
            #expect(course.events.last?.facts?.ended?.after == .testing + 72.1 * 3600)
            // With checks in between, there is an age.
            for hour in [145.0, 145.1] { try course.probed(at: hour, .status(500), file) }
            #expect(course.events.last?.facts?.beganAfter == nil)
        }

        @Test("after a thousand changes, a bounded memory still knows when the copy was last current")
        func bounded() throws {
            var state = DomainState(domain: try Domain("example.com"))
            let copy = Reply.file(SampleFile.version(0))
            for step in 0..<1_000 {
                let now = Date.testing + Double(step)
                let observation = try Observation.of(at: now, origin: .file(SampleFile.version(step)), cdn: copy)
                state = evaluate(state, observation, Policy(), now: now, wall: now).state
            }
            #expect(state.originPeriods.count == DomainState.maximumPeriods)
            #expect(state.verdict?.comparison.changedAt == .testing + 1)
            #expect(state.open[.cdnStale]?.incident.since == .testing + 1)
        }
    }
}
