import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    /// The linter's shortcut gives the same verdicts as the full search.
    @Suite("Language plain reach")
    struct LanguagePlainReachTests {
        private func describe(_ reach: RuleReach) -> String {
            switch reach.verdict {
            case .decides: "decides"
            case .shadowed(let rules): "by " + rules.map(\.pointer).joined(separator: " ")
            case .matchesNothing: "nothing"
            case .undecided: "undecided"
            }
        }

        private func compare(_ entry: AppLinks.Entry) throws {
            let (plain, full) = (entry.reach(WorkMeter(.lint)), entry.reach(WorkMeter(.lint), plainly: false))
            #expect(plain.map(describe) == full.map(describe), "\(entry.rules.map { $0.node.canonicalForm })")
            for (index, reach) in plain.enumerated() {
                guard case .decides(let example) = reach.verdict else { continue }
                let url = try #require(MatchableURL(example))
                #expect(entry.rules.firstIndex { $0.matches(url) } == index, "\(example)")
            }
        }

        @Test(
            "on random rules, both searches give the same verdicts", arguments: UInt64(1)...Rounds.of(2, soak: 8))
        func random(_ seed: UInt64) throws {
            var random = RandomLanguage(seed: seed &* 31)
            for round in 0..<25 {
                let count = 2 + random.random.next() % 6
                let isRich = round % 2 == 0
                let components = (0..<count).map { _ in random.component(isRich: isRich) }
                let links = try LanguageFixture.links(
                    components.joined(separator: ","), applinks: RandomLanguage.variables)
                try compare(try #require(links.entries.first))
            }
        }

        @Test(
            "on random paths with literal ends, both searches give the same verdicts",
            arguments: UInt64(1)...Rounds.of(2, soak: 8))
        func paths(_ seed: UInt64) throws {
            var random = RandomLanguage(seed: seed &* 57)
            for _ in 0..<25 {
                let paths = (0..<3 + random.random.next() % 8).map { _ in
                    random.pick(["", "NOT "]) + random.pick(["/", "*", ""])
                        + random.text(["a", "b", "ab", "/", "*", "?", "%61", "zq"], upTo: 4)
                        + random.pick(["/", "*", "/*", "", "/b", "%62"])
                }
                try compare(try #require(try LanguageFixture.paths(paths).entries.first))
            }
        }

        @Test(
            "escapes at the ends do not hide that two rules overlap",
            arguments: [
                // The two rules share a URL, and the second rule has no other.
                [#"{"/":"/a*","percentEncoded":false}"#, #"{"/":"/%61/b"}"#],
                [#"{"/":"/%61*"}"#, #"{"/":"/%61/b"}"#],
                [#"{"/":"*b/","percentEncoded":false}"#, #"{"/":"/x%62/"}"#],
                [#"{"/":"*%41/","percentEncoded":true}"#, #"{"/":"/x%41/"}"#],
                [#"{"/":"/AB*","caseSensitive":false}"#, #"{"/":"/ab/c"}"#],
                [
                    #"{"/":"/\#u{212A}*","caseSensitive":false,"percentEncoded":false}"#,
                    #"{"/":"/k/c","percentEncoded":false}"#,
                ],
            ])
        func escapes(_ components: [String]) throws {
            let entry = try #require(try LanguageFixture.links(components.joined(separator: ",")).entries.first)
            let reach = entry.reach(WorkMeter(.lint))
            #expect(describe(reach[1]) == "by \(entry.rules[0].pointer)")
            try compare(entry)
        }

        @Test("on each real file, both searches give the same verdicts")
        func corpus() throws {
            guard let corpus = Corpus.find(holding: "aasa") else { return }
            for file in try corpus.files(in: "aasa", withExtension: "aasa") {
                let entries = (try? AssociationFile(parsing: file.bytes))?.applinks?.entries ?? []
                for entry in entries where entry.rules.count < 60 { try compare(entry) }
            }
        }
    }
}
