import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    /// What comparing and judging many rules costs, in steps of the budget: no clock is asked.
    @Suite("Language cost")
    struct LanguageCostTests {
        private static func links(_ count: Int, seed: UInt64? = nil, _ path: (Int) -> String) throws -> AppLinks {
            var paths = (0..<count).map(path)
            if let seed {
                var random = SeededGenerator(seed: seed)
                paths.shuffle(using: &random)
            }
            return try LanguageFixture.paths(paths)
        }

        @Test(
            "rules in another order are proven equal for steps that grow as their number", arguments: [250, 1000, 2000])
        func reordered(_ count: Int) throws {
            let old = try Self.links(count) { "/section\($0)/*" }
            let new = try Self.links(count, seed: 3) { "/section\($0)/*" }
            let budget = LanguageBudget(states: 10 * count, steps: 2_000 * count)
            #expect(
                BehaviourDiff.compare(old, new, meter: WorkMeter(budget))
                    == BehaviourComparison(changes: [], incompleteApps: []))
        }

        @Test(
            "a thousand reordered rules that meet everywhere end within the budget, and it is told that there is no proof"
        )
        func overlapping() throws {
            let old = try Self.links(1000) { "/*/item\($0)/*/end" }
            let new = try Self.links(1000, seed: 3) { "/*/item\($0)/*/end" }
            let budget = LanguageBudget(states: 500, steps: 400_000)
            #expect(BehaviourDiff.compare(old, new, meter: WorkMeter(budget)).incompleteApps == ["A.b"])
        }

        @Test("rules that are plain to judge need no automata", arguments: [250, 1000])
        func plain(_ count: Int) throws {
            let paths = (0..<count).flatMap { ["/a\($0)/*", "NOT /a\($0)/x", "/c\($0)/?/*"] } + ["/a7/*"]
            let entry = try #require(try LanguageFixture.paths(paths).entries.first)
            // The patterns are read once; the machines of all would cost many times as much.
            let verdicts = entry.reach(WorkMeter(LanguageBudget(states: 10, steps: 3_000 * count))).map(\.verdict)
            for (index, verdict) in verdicts.enumerated() {
                switch (index % 3, verdict) {
                case (0, .decides), (2, .decides): #expect(index < 3 * count)
                case (1, .shadowed(let by)):
                    #expect(by.map(\.pointer) == ["/applinks/details/0/paths/\(index - 1)"])
                case (_, .shadowed(let by)):
                    #expect(index == 3 * count && by.map(\.pointer) == ["/applinks/details/0/paths/21"])
                default: Issue.record("rule \(index): \(verdict)")
                }
            }
        }

        @Test("rules with long variables are as plain to judge: their values are looked up, not tried one by one")
        func longVariables() throws {
            let values = (0..<800).map { "\"value\($0)\"" }.joined(separator: ",")
            let variables = (0..<20).map { "\"v\($0)\":[\(values)]" }.joined(separator: ",")
            let components = (0..<100).map { "{\"/\":\"/$(v\($0 % 20))/x\($0)/*\"}" }.joined(separator: ",")
            let links = try LanguageFixture.links(components, applinks: "\"substitutionVariables\":{\(variables)},")
            let entry = try #require(links.entries.first)
            for reach in entry.reach(WorkMeter(LanguageBudget(states: 10, steps: 2_000_000))) {
                guard case .decides = reach.verdict else {
                    Issue.record("\(reach.rule.pointer): \(reach.verdict)")
                    break
                }
            }
        }

        /// Bytes of a pattern: as many as a file may have, or more than the budget has states.
        private static let long = Rounds.of(12_288, soak: 131_072)

        @Test(
            "one long pattern costs no more than it may",
            arguments: ["a", "ä", "%C3%A4", "?", "*a", "a/", "$(lang)"], ["", "*"])
        func longPattern(_ unit: String, _ end: String) throws {
            let text = "/" + String(repeating: unit, count: Self.long / unit.utf8.count) + end
            for flags in ["", #","caseSensitive":false,"percentEncoded":false"#] {
                let entry = try #require(try LanguageFixture.links("{\"/\":\"\(text)\"\(flags)}").entries.first)
                guard let key = RuleKey(entry.rules[0]) else { continue }
                let meter = WorkMeter(LanguageBudget(states: 5_000, steps: 4_000_000))
                let language = try? RuleLanguage(key, meter: meter)
                // The budget has been charged for each state that was made.
                #expect(language == nil || meter.left < 4_000_000 - Self.long / unit.utf8.count)
                let verdict = entry.reach(WorkMeter(.lint)).first?.verdict
                if case .shadowed = verdict { Issue.record("nothing stands before it") }
            }
        }
    }
}
