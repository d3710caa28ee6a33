// Problems of the file itself: an error in it, or links that it no longer opens.

import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("The file itself")
    struct FileTests {
        private static let good = Reply.file(SampleFile.version(1))
        private static let rule = #"[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/v1"}]}]"#

        /// Typical bad deployments, and what happens once Apple has fetched them.
        static let accidents: [(name: String, file: String, rule: String)] = [
            ("no app", #"{"applinks":{"details":[]}}"#, "aasa.service-without-apps"),
            (
                "no prefix", #"{"applinks":{"details":[{"appIDs":["com.example.app"],"components":[{"/":"/v1"}]}]}}"#,
                "aasa.app-id-format"
            ),
            (
                "exclusions alone",
                #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"*","exclude":true}]}]}}"#,
                "aasa.entry-opens-nothing"
            ),
            (
                "other services alone", #"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#,
                "aasa.links-removed"
            ),
            (
                "no app for links, one for passwords",
                #"{"applinks":{"details":[]},"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#,
                "aasa.links-removed"
            ),
        ]

        @Test(
            "a broken file fires at the deploy, gets worse when Apple has it, and ends with the fix",
            arguments: accidents.indices)
        func deployed(_ index: Int) throws {
            let accident = Self.accidents[index]
            let bad = Reply.file(accident.file)
            var course = try Course()
            try course.probed(at: 0, Self.good, Self.good)
            for hour in 1...3 { try course.probed(at: Double(hour), bad, Self.good) }
            #expect(course.told == ["2 file.broken firing"])
            #expect(course.open(.fileBroken)?.rules?.map(\.rawValue) == [accident.rule])
            // Phones use Apple's copy.
            let firing = try #require(course.events.first?.facts)
            #expect(firing.diagnosis.effect.harm != .all)
            for hour in 4...6 { try course.probed(at: Double(hour), bad, bad) }
            #expect(course.told == ["2 file.broken firing", "5 file.broken worse"])
            let worse = try #require(course.events.last?.facts)
            #expect(worse.diagnosis.effect.harm ?? .none >= .some, "\(worse.text(at: .testing).oneLine)")
            try course.probed(at: 7, Self.good, bad)
            #expect(course.told.last == "7 file.broken resolved (recovered)")
        }

        @Test("an error at first sight fires once, and can be ignored")
        func firstResult() throws {
            let accident = Self.accidents[0]
            var course = try Course()
            for hour in 0...20 { try course.probed(at: Double(hour), .file(accident.file), .file(accident.file)) }
            #expect(course.told == ["1 file.broken firing"])
            let ignored = IgnoredRule(Rule(rawValue: accident.rule), reason: "no app yet")
            var calm = try Course(policy: Policy(CheckSettings(ignore: [ignored])))
            for hour in 0...20 { try calm.probed(at: Double(hour), .file(accident.file), .file(accident.file)) }
            #expect(calm.told.isEmpty)
        }

        @Test("an error within its waiting time does not make other problems fire at first sight")
        func graceOfAnother() throws {
            var course = try Course(policy: Policy(CheckSettings(failureThreshold: 3)))
            for hour in 0...1 { try course.probed(at: Double(hour) / 10, Self.good, .status(404)) }
            try course.probed(at: 0.2, .status(500), .status(404))
            try course.probed(at: 0.3, Self.good, .status(404))
            #expect(course.told.isEmpty, "\(course.told)")
        }

        @Test("checks that fail alternately for two reasons count together")
        func inTurn() throws {
            var course = try Course(policy: Policy(CheckSettings(failureThreshold: 3)))
            try course.probed(at: 0, Self.good, Self.good)
            for (hour, origin) in [Reply.status(500), .failed(.timedOut), .status(500)].enumerated() {
                try course.probed(at: Double(hour + 1), origin, Self.good)
            }
            #expect(course.told == ["3 origin.broken firing"])
        }

        @Test("a file that fails at every other check fires, and one good check does not end it")
        func everyOther() throws {
            var course = try Course()
            for hour in 0...20 {
                try course.probed(at: Double(hour), hour % 2 == 0 ? Self.good : .status(500), Self.good)
            }
            #expect(course.told == ["7 origin.broken firing"])
            for hour in 21...24 { try course.probed(at: Double(hour), Self.good, Self.good) }
            #expect(course.told.last == "23 origin.broken resolved (recovered)")
        }

        @Test("a site that never had links is fine; links that were removed on purpose are ignored")
        func onPurpose() throws {
            let passwords = Reply.file(#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#)
            var course = try Course()
            for hour in 0...5 { try course.probed(at: Double(hour), passwords, passwords) }
            #expect(course.told.isEmpty && course.state.verdict?.level == .ok)
            let ignored = IgnoredRule(Rule(rawValue: "aasa.links-removed"), reason: "retired")
            var retired = try Course(policy: Policy(CheckSettings(ignore: [ignored])))
            try retired.probed(at: 0, Self.good, Self.good)
            for hour in 1...5 { try retired.probed(at: Double(hour), passwords, passwords) }
            #expect(retired.told.isEmpty)
            #expect(retired.state.verdict?.diagnosis.effect.harm == Effect.Harm.none)
        }
    }
}
