import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    /// The cost of comparing and evaluating many rules, in steps of the budget, not in time.
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
            "the cost of proving reordered rules equal grows with their number", arguments: [250, 1000, 2000])
        func reordered(_ count: Int) throws {
            let old = try Self.links(count) { "/section\($0)/*" }
            let new = try Self.links(count, seed: 3) { "/section\($0)/*" }
            let budget = LanguageBudget(states: 10 * count, steps: 2_000 * count)
            #expect(
                BehaviourDiff.compare(old, new, meter: WorkMeter(budget))
                    == BehaviourComparison(changes: [], incompleteApps: []))
        }

        @Test(
            "a thousand reordered, overlapping rules end within the budget, reported as unproven"
        )
        func overlapping() throws {
            let old = try Self.links(1000) { "/*/item\($0)/*/end" }
            let new = try Self.links(1000, seed: 3) { "/*/item\($0)/*/end" }
            let budget = LanguageBudget(states: 500, steps: 400_000)
            #expect(BehaviourDiff.compare(old, new, meter: WorkMeter(budget)).incompleteApps == ["A.b"])
        }

        @Test("simple rules are evaluated without automata", arguments: [250, 1000])
        func plain(_ count: Int) throws {
            let paths = (0..<count).flatMap { ["/a\($0)/*", "NOT /a\($0)/x", "/c\($0)/?/*"] } + ["/a7/*"]
            let entry = try #require(try LanguageFixture.paths(paths).entries.first)
            // The patterns are read once. Automata for all of them would cost many times as much.
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

        @Test("rules with long variables are simple, too: values are looked up, not tried one by one")
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

        /// Bytes of a pattern: the maximum of a file, or more than the budget's states.
        private static let long = Rounds.of(12_288, soak: 131_072)

        @Test(
            "one long pattern stays within the budget",
            arguments: ["a", "ä", "%C3%A4", "?", "*a", "a/", "$(lang)"], ["", "*"])
        func longPattern(_ unit: String, _ end: String) throws {
            let text = "/" + String(repeating: unit, count: Self.long / unit.utf8.count) + end
            for flags in ["", #","caseSensitive":false,"percentEncoded":false"#] {
                let entry = try #require(try LanguageFixture.links("{\"/\":\"\(text)\"\(flags)}").entries.first)
                guard let key = RuleKey(entry.rules[0]) else { continue }
                let meter = WorkMeter(LanguageBudget(states: 5_000, steps: 4_000_000))
                let language = try? RuleLanguage(key, meter: meter)
                // The budget is charged for every state that is created.
                #expect(language == nil || meter.left < 4_000_000 - Self.long / unit.utf8.count)
                let verdict = entry.reach(WorkMeter(.lint)).first?.verdict
                if case .shadowed = verdict { Issue.record("no rule comes before it") }
            }
        }
    }
}
