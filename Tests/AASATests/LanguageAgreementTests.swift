import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    /// The automata and the matcher are two implementations of the same patterns, and must always agree.
    @Suite("Language agreement")
    struct LanguageAgreementTests {
        /// Runs a rule's automaton over a URL.
        private func accepts(_ language: RuleLanguage, _ url: MatchableURL) throws -> Bool {
            var state = language.start(of: .path)
            for (phase, text) in [(URLPhase.path, url.path), (.query, url.query), (.fragment, url.fragment)] {
                for byte in text.utf8 where state != PartState.dead {
                    state = try language.step(state, byte, in: phase)
                }
                if state != PartState.dead { state = language.end(state, of: phase) }
            }
            return state != PartState.dead
        }

        /// Whether the searches' set of all URLs contains this URL.
        private func isInUniverse(_ url: MatchableURL) -> Bool {
            [(URLPhase.path, url.path), (.query, url.query), (.fragment, url.fragment)].allSatisfy { phase, text in
                var place: UniversePlace? = .start
                for byte in text.utf8 { place = place?.step(byte, phase, isStarPlain: false) }
                return place?.mayEnd(phase) ?? false
            }
        }

        @Test("automaton and matcher agree on random rules and URLs", arguments: UInt64(1)...8)
        func agreement(_ seed: UInt64) throws {
            var random = RandomLanguage(seed: seed)
            var matches = 0
            for _ in 0..<60 {
                let text = random.component()
                let links = try LanguageFixture.links(text, applinks: RandomLanguage.variables)
                let rule = try #require(links.entries.first?.rules.first)
                let meter = WorkMeter(LanguageBudget(states: 0, steps: 50_000_000))
                let language = try RuleKey(rule).map { try RuleLanguage($0, meter: meter) }
                for _ in 0..<60 {
                    let given = random.url()
                    let url = try #require(MatchableURL(given))
                    #expect(isInUniverse(url), "\(url.path)")
                    let accepted = try language.map { try accepts($0, url) } ?? false
                    if accepted { matches += 1 }
                    #expect(accepted == rule.matches(url), "\(text) on \(given)")
                }
            }
            #expect(matches > 150)
        }

        @Test("all characters with irregular case mapping are known")
        func foldedCharacters() {
            for value in UInt32(0x80)..<0x2_0000 {
                guard let scalar = Unicode.Scalar(value), scalar.folded != scalar else { continue }
                let known = PatternElement.scalar(scalar.folded).charactersBeyondASCII(false)
                #expect(known.contains(scalar), "U+\(String(value, radix: 16))")
            }
            let classes = ScalarClass.allCases.map { PatternElement.scalarClass($0) }
            for value in UInt32(0x80)..<0x2_0000 {
                guard let scalar = Unicode.Scalar(value),
                    classes[0].takes(scalar, false) || classes[1].takes(scalar, false)
                else { continue }
                #expect(classes[0].charactersBeyondASCII(false).contains(scalar), "U+\(String(value, radix: 16))")
            }
        }

        /// All URLs of a few characters.
        static let small: [String] = {
            let letters = ["a", "b", "/", "c"]
            var paths = ["/"]
            var layer = [""]
            for _ in 0..<4 {
                layer = layer.flatMap { head in letters.map { head + $0 } }
                paths += layer.map { "/" + $0 }
            }
            paths = Array(Set(paths.compactMap { MatchableURL($0)?.path })).sorted { ($0.count, $0) < ($1.count, $1) }
            let queries = ["", "?a", "?b", "?a=a", "?a=b", "?b=a", "?a=a&b=b", "?a=a&a=b", "?c", "?a=a&c"]
            return paths.flatMap { path in queries.flatMap { query in ["", "#a", "#c"].map { path + query + $0 } } }
        }()

        @Test("no short URL contradicts a proof", arguments: UInt64(1)...12)
        func exhaustion(_ seed: UInt64) throws {
            var random = RandomLanguage(seed: seed &* 77)
            func file() throws -> AppLinks {
                let components = (0..<1 + random.random.next() % 4).map { _ in random.component(isRich: false) }
                return try LanguageFixture.links(components.joined(separator: ","))
            }
            let (old, new) = (try file(), try file())
            let comparison = BehaviourDiff.compare(old, new)
            #expect(comparison.isComplete)
            for change in comparison.changes {
                let url = try #require(MatchableURL(change.example))
                #expect(old.behaviour(of: url, for: "A.b") == change.from)
                #expect(new.behaviour(of: url, for: "A.b") == change.to)
            }
            let reach = new.entries[0].reach(WorkMeter(.lint), plainly: false)
            for text in Self.small.shuffled(using: &random.random).prefix(1500) {
                let url = try #require(MatchableURL(text))
                let (from, to) = (old.behaviour(of: url, for: "A.b"), new.behaviour(of: url, for: "A.b"))
                if from != to {
                    #expect(comparison.changes.contains { $0.from == from && $0.to == to }, "\(text)")
                }
                guard let index = new.entries[0].rules.firstIndex(where: { $0.matches(url) }) else { continue }
                guard case .decides(let example) = reach[index].verdict else {
                    Issue.record("\(text) is decided by rule \(index)")
                    continue
                }
                #expect(example.count <= text.count, "\(example) \(text)")
            }
        }
    }
}
