import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    @Suite("Language diff")
    struct LanguageDiffTests {
        private func describe(_ comparison: BehaviourComparison) -> [String] {
            comparison.changes.map { "\($0.from.rawValue) > \($0.to.rawValue) \($0.example)" }
        }

        @Test(
            "files with different notation and the same behaviour are proven equal",
            arguments: [
                (#"{"/":"/buy"}"#, #"{"/":"/buy/"}"#), (#"{"/":"*"}"#, #"{"/":"/*"}"#), ("{}", #"{"/":"*"}"#),
                (#"{"/":"/a"},{"/":"/b"}"#, #"{"/":"/b"},{"/":"/a"}"#),
                (#"{"/":"/a","exclude":true},{"/":"/b"}"#, #"{"/":"/b"},{"/":"/a","exclude":true}"#),
                (#"{"/":"/a//b**"}"#, #"{"/":"a/b*"}"#), (#"{"/":"/?*"},{"/":"/"}"#, #"{"/":"*"}"#),
                (#"{"?":{"a":"1","b":"2"}}"#, #"{"?":{"b":"2","a":"1"}}"#), (#"{"?":{"a":"*"}}"#, "{}"),
                (#"{"/":"/a*"},{"/":"/ab"}"#, #"{"/":"/a*"}"#),
                (#"{"/":"/AB","caseSensitive":false}"#, #"{"/":"/ab","caseSensitive":false}"#),
                (#"{"/":"/a","percentEncoded":false}"#, #"{"/":"/a"},{"/":"/%61"}"#),
                (#"{"/":"/1","percentEncoded":true}"#, #"{"/":"/1","caseSensitive":false}"#),
            ])
        func equal(_ old: String, _ new: String) throws {
            let comparison = BehaviourDiff.compare(try LanguageFixture.links(old), try LanguageFixture.links(new))
            #expect(describe(comparison) == [])
            #expect(comparison.isComplete)
        }

        @Test(
            "each kind of change is shown by its shortest URL",
            arguments: [
                (#"{"/":"/a"}"#, #"{"/":"/a"},{"/":"/buy/*"}"#, ["not_matched > opens /buy"]),
                (#"{"/":"/buy/*"}"#, "", ["opens > not_matched /buy"]),
                (#"{"/":"/buy/*"}"#, #"{"/":"/buy/?*"}"#, ["opens > not_matched /buy"]),
                (
                    #"{"/":"/buy/*"}"#, #"{"/":"/buy/a*","exclude":true},{"/":"/buy/*"}"#,
                    ["opens > blocked /buy/a"]
                ),
                (#"{"/":"/a","exclude":true}"#, #"{"/":"/a"}"#, ["blocked > opens /a"]),
                (#"{"/":"/a","exclude":true}"#, "", ["blocked > not_matched /a"]),
                ("", #"{"/":"/a","exclude":true}"#, ["not_matched > blocked /a"]),
                (#"{"/":"/a"}"#, #"{"/":"/b"}"#, ["opens > not_matched /a", "not_matched > opens /b"]),
                // Only the order differs.
                (
                    #"{"/":"/a/b","exclude":true},{"/":"/a/*"}"#, #"{"/":"/a/*"},{"/":"/a/b","exclude":true}"#,
                    ["blocked > opens /a/b"]
                ),
                (#"{"/":"/a","?":{"x":"1"}}"#, #"{"/":"/a","?":"x=1"}"#, ["opens > not_matched /a?x=1&"]),
                (#"{"?":{"x":"*"}}"#, #"{"?":{"x":"?*"}}"#, ["opens > not_matched /"]),
                (
                    #"{"/":"/a","?":"x=1"}"#, #"{"/":"/a","?":"x=2"}"#,
                    [
                        "opens > not_matched /a?x=1", "not_matched > opens /a?x=2",
                    ]
                ),
                (##"{"/":"/a","#":"top"}"##, #"{"/":"/a"}"#, ["not_matched > opens /a"]),
                (##"{"/":"/a"}"##, ##"{"/":"/a","#":""}"##, ["opens > not_matched /a#a"]),
                (#"{"/":"/ab"}"#, #"{"/":"/ab","caseSensitive":false}"#, ["not_matched > opens /aB"]),
                (#"{"/":"/ä"}"#, #"{"/":"/ä","percentEncoded":false}"#, ["not_matched > opens /%c3%a4"]),
                (
                    #"{"/":"/$(lang)/a"}"#, #"{"/":"/d?/a"}"#,
                    ["opens > not_matched /aa/a", "not_matched > opens /dx/a"]
                ),
                (#"{"/":"/x/$(region)"}"#, #"{"/":"/x/GB"}"#, ["opens > not_matched /x/ax"]),
                (#"{"/":"/100%"}"#, #"{"/":"/100%25"}"#, ["not_matched > opens /100%25"]),
            ])
        func changed(_ old: String, _ new: String, _ expected: [String]) throws {
            let comparison = BehaviourDiff.compare(try LanguageFixture.links(old), try LanguageFixture.links(new))
            #expect(describe(comparison) == expected)
            #expect(comparison.isComplete)
        }

        @Test("paths and components of the same meaning are equal; entries of one app are read in sequence")
        func forms() throws {
            let paths = try LanguageFixture.paths(["NOT /a/x", "/a/*"])
            let components = try LanguageFixture.links(#"{"/":"/a/x","exclude":true},{"/":"/a/*"}"#)
            let entries = try LanguageFixture.links(
                details: #"{"appIDs":["A.b"],"paths":["NOT /a/x"]},{"appID":"A.b","paths":["/a/*"]}"#)
            for other in [components, entries] {
                let comparison = BehaviourDiff.compare(paths, other)
                #expect(comparison.changes == [] && comparison.isComplete)
            }
        }

        @Test("apps are compared separately by their own entries; a file without applinks matches nothing")
        func apps() throws {
            let old = try LanguageFixture.links(
                details: #"{"appIDs":["A.a","A.b"],"paths":["/x"]},{"appIDs":["A.c"],"paths":["/y"]}"#)
            let new = try LanguageFixture.links(details: #"{"appIDs":["A.d","A.b","A.c"],"paths":["/y"]}"#)
            let comparison = BehaviourDiff.compare(old, new)
            #expect(
                comparison.changes.map { "\($0.appID) \($0.from.rawValue) \($0.to.rawValue) \($0.example)" } == [
                    "A.d not_matched opens /y", "A.b opens not_matched /x", "A.b not_matched opens /y",
                    "A.a opens not_matched /x",
                ])
            #expect(comparison.isComplete)
            #expect(BehaviourDiff.compare(nil, nil) == BehaviourDiff.compare(old, old))
            #expect(
                describe(BehaviourDiff.compare(nil, try LanguageFixture.paths(["/a"]))) == ["not_matched > opens /a"])
        }

        @Test("beyond the budget nothing is proven, but changes are still shown")
        func budget() throws {
            let question = String(repeating: "?", count: 40)
            let old = try LanguageFixture.paths(["*a\(question)", "*b\(question)", "*c\(question)"])
            let new = try LanguageFixture.paths(["*a\(question)", "*b\(question)", "*c\(question)?", "/help"])
            for budget in [LanguageBudget(states: 200, steps: 400_000), LanguageBudget(states: 9, steps: 200_000)] {
                let comparison = BehaviourDiff.compare(old, new, meter: WorkMeter(budget))
                #expect(!comparison.isComplete)
                #expect(comparison.incompleteApps == ["A.b"])
                let change = try #require(comparison.changes.first { $0.to == .opens })
                let url = try #require(MatchableURL(change.example))
                #expect(old.behaviour(of: url, for: "A.b") == .notMatched)
                #expect(new.behaviour(of: url, for: "A.b") == .opens)
            }
            // Equal rules need no search, however large their automata are.
            #expect(BehaviourDiff.compare(old, old).isComplete)
        }

        @Test("a difference in one of a hundred components is found")
        func large() throws {
            func file(_ changed: String) throws -> AppLinks {
                let rules = (0..<100).map { index in
                    switch index {
                    case 50: changed
                    case _ where index % 7 == 3: #"{"/":"/item\#(index)/*/edit","exclude":true}"#
                    case _ where index % 5 == 2: #"{"/":"/item\#(index)/*","?":{"id":"?*"}}"#
                    default: #"{"/":"/item\#(index)/*"}"#
                    }
                }
                return try LanguageFixture.links(rules.joined(separator: ","))
            }
            let comparison = BehaviourDiff.compare(
                try file(#"{"/":"/item50/*"}"#), try file(#"{"/":"/item50/*","?":"a"}"#))
            #expect(describe(comparison) == ["opens > not_matched /item50"])
            #expect(comparison.isComplete)
        }

        @Test("hostile variables and rules are bounded by the budget")
        func hostile() throws {
            let values = (0..<3_000).map { "\"\($0)*?\"" }.joined(separator: ",")
            let uses = (0..<300).map { index in
                "{\"/\":\"/\(index)" + String(repeating: "$(v)", count: 60) + "\"}"
            }
            let links = try LanguageFixture.links(
                uses.joined(separator: ","), applinks: #""substitutionVariables":{"v":[\#(values)]},"#)
            let budget = LanguageBudget(states: 1_000, steps: 500_000)
            #expect(!BehaviourDiff.compare(nil, links, meter: WorkMeter(budget)).isComplete)
            #expect(links.entries[0].reach(WorkMeter(budget)).count == 300)
        }

        @Test("each real file equals itself, and each example between two files is true")
        func corpus() throws {
            guard let corpus = Corpus.find(holding: "aasa") else { return }
            let files = try corpus.files(in: "aasa", withExtension: "aasa").compactMap { file in
                try? AssociationFile(parsing: file.bytes)
            }
            for file in files {
                let comparison = BehaviourDiff.compare(file.applinks, file.applinks)
                #expect(comparison.changes == [] && comparison.isComplete)
            }
            let small = files.filter { ($0.applinks?.entries.map(\.rules.count).max() ?? 0) < 20 }
            for (old, new) in zip(small, small.dropFirst()) {
                for change in BehaviourDiff.compare(old.applinks, new.applinks).changes {
                    let url = try #require(MatchableURL(change.example))
                    #expect(old.applinks?.behaviour(of: url, for: change.appID) ?? .notMatched == change.from)
                    #expect(new.applinks?.behaviour(of: url, for: change.appID) ?? .notMatched == change.to)
                }
            }
        }
    }
}
