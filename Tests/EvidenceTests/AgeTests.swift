// Words that age: they say how old something is as of the instant at which they are read.

import Foundation
import TestSupport
import Testing

@testable import Evidence

extension EvidenceSuite {
    @Suite("Ages in words")
    struct AgeTests {
        private static let change = OriginChange(at: .testing - 9)
        private static let copy = CopyWitness(fetchedAt: .testing - 9)
        private static let protection = BotProtection(.akamai, .refusal, sign: "a: b")

        @Test(
            "a cause says its ages as of the reading",
            arguments: [
                Cause(.cdn(.stale(change))), Cause(.cdn(.propagating(change))),
                .copy(.edgesCatchingUp(2, of: 3, since: change)),
                .copy(.lacksService("appclips", app: nil, since: change)),
                .copy(.hasOtherApp(old: "a", new: "b", since: change)),
                .access(.turnedAwayHere(.status(403), copy: copy)),
                .access(.turnedAwayForLong(.status(403), since: .testing - 7200, copy: copy)),
                .access(.challengedHere(protection, status: 403, passes: nil, elsewhere: nil, copy: copy)),
            ])
        func causes(_ cause: Cause) throws {
            let diagnosis = Diagnosis(effect: Effect(.work(seen: nil)), cause: cause)
            #expect(try #require(diagnosis.text(at: .testing).cause).contains("9 s"))
            let later = try #require(diagnosis.text(at: .testing + 30 * 3600).cause)
            #expect(later.contains("30 h") && !later.contains("9 s"), "\(later)")
        }

        @Test("a finding and what speaks against it say their ages as of the reading")
        func findings() {
            let finding = Finding(.cdn(.stale(Self.change)))
            #expect(finding.text(at: .testing + 30 * 3600).message.contains("30 h after the change"))
            var refused = Finding(.origin(.certificateExpiring(.testing + 86_400 * 6)))
            #expect(refused.text(at: .testing).message.contains("expires in 6 days, on"))
            #expect(refused.text(at: .testing + 86_400 * 4).message.contains("expires in 48 h, on"))
            #expect(refused.text(at: .testing + 86_400 * 7).message.contains("expires on"))
            refused.doubt = .freshCopy(fetchedAt: .testing - 60)
            #expect(refused.text(at: .testing + 540).fix.contains("10 min ago"))
            var diagnosis = Diagnosis(effect: Effect(.work(seen: nil)), cause: Cause(finding))
            diagnosis.copySinceFailure = .testing - 60
            #expect(diagnosis.text(at: .testing + 540).cause?.contains("its copy is 10 min old") == true)
        }

        @Test("what is to be done about an old copy follows its age, too")
        func advice() {
            let cause = Cause.copy(.hasOtherApp(old: "a", new: "b", since: nil))
            #expect(cause.declaration.words(.testing).why?.contains("unknown since when") == true)
            let lacks = Cause.copy(.lacksService("appclips", app: nil, since: Self.change))
            #expect(lacks.declaration.words(.testing).action == "Wait. Nothing needs to be done.")
            #expect(lacks.declaration.words(.testing + 86_400 * 8).action?.contains("Report it to Apple") == true)
        }

        @Test(
            "a change that came while nobody looked has a range, and no age",
            arguments: [
                // Checks a minute apart; an hour apart; a week without the daemon.
                (60, 9, false), (3600, 7200, false), (7 * 86_400, 24 * 3600, true), (7 * 86_400, 9, true),
                (7 * 86_400, 40 * 86_400, false),
            ] as [(TimeInterval, TimeInterval, Bool)])
        func least(_ gap: TimeInterval, _ age: TimeInterval, _ isRange: Bool) throws {
            let at = Date.testing - age
            let text = Diagnosis(
                effect: Effect(.work(seen: nil)), cause: Cause(.cdn(.stale(OriginChange(at: at, after: at - gap)))))
            let cause = try #require(text.text(at: .testing).cause)
            #expect(cause.contains(/between .* and .* UTC/) == isRange)
            #expect(cause.contains("after the change") != isRange)
        }
    }
}
