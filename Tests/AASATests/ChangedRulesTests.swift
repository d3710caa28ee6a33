import AASA
import TestSupport
import Testing

extension AASASuite {
    @Suite("Changed rules")
    struct ChangedRulesTests {
        private func describe(_ rules: ChangedRules) -> [String] {
            rules.changes.map { "\($0.appID): \($0.from.rawValue) > \($0.to.rawValue) \($0.example)" }
        }

        private func known(_ old: AppLinks?, _ new: AppLinks?) -> [BehaviourChange] {
            BehaviourDiff.compare(old, new).changes.filter(\.isSeenOnPhone)
        }

        @Test(
            "each rule that changes whether a URL opens has an example, unless the comparison already has one",
            arguments: [
                (#"{"/":"/a/*"}"#, #"{"/":"/a/*"},{"/":"/b/*"}"#, []),
                (
                    #"{"/":"/a/*"}"#, #"{"/":"/b/*"},{"/":"/c"},{"/":"/d/?"}"#,
                    ["A.b: not_matched > opens /c", "A.b: not_matched > opens /d/a"]
                ),
                (
                    #"{"/":"/a/*"},{"/":"/b"},{"/":"/c/*"}"#, #"{"/":"/a/x/*"}"#,
                    ["A.b: opens > not_matched /b", "A.b: opens > not_matched /c"]
                ),
                (
                    #"{"/":"/a/*"}"#, #"{"/":"/a/x","exclude":true},{"/":"/a/y","exclude":true},{"/":"/a/*"}"#,
                    ["A.b: opens > blocked /a/y"]
                ),
                // Safari both before and after.
                ("", #"{"/":"/a","exclude":true},{"/":"/b","exclude":true}"#, []),
                (#"{"/":"/a","exclude":true},{"/":"/b","exclude":true}"#, "", []),
                // Another rule already opens the same URLs.
                (#"{"/":"/a/*"}"#, #"{"/":"/a/*"},{"/":"/a/b"},{"/":"/a/c"}"#, []),
                // The first rule also matches the second rule's first URL.
                (#"{"/":"/x"}"#, #"{"/":"/a/*"},{"/":"/a*"},{"/":"/x"}"#, ["A.b: not_matched > opens /azq"]),
                // A change of order or notation is not a changed rule.
                (#"{"/":"/a"},{"/":"/b"}"#, #"{"comment":"x","/":"/b"},{"/":"/a"}"#, []),
            ])
        func examples(_ old: String, _ new: String, _ examples: [String]) throws {
            let (old, new) = (try LanguageFixture.links(old), try LanguageFixture.links(new))
            let rules = ChangedRules(old, new, besides: known(old, new), meter: WorkMeter(.standard))
            #expect(describe(rules) == examples)
            #expect(rules.more == 0)
            #expect(rules.isComplete)
        }

        @Test("a file compared with none shows each rule, in both directions")
        func nothing() throws {
            let links = try LanguageFixture.paths(["/a", "NOT /b", "/c/*"])
            #expect(
                describe(ChangedRules(links, nil, besides: known(links, nil), meter: WorkMeter(.standard))) == [
                    "A.b: opens > not_matched /c"
                ])
            #expect(
                describe(ChangedRules(nil, links, besides: known(nil, links), meter: WorkMeter(.standard))) == [
                    "A.b: not_matched > opens /c"
                ])
        }

        @Test("apps with the same rules are all named, except a template ID that was never filled in")
        func apps() throws {
            func links(_ apps: String, _ paths: String) throws -> AppLinks {
                try LanguageFixture.links(details: #"{"appIDs":[\#(apps)],"paths":[\#(paths)]}"#)
            }
            let apps = #""A.b","{TEAM}.b","A.c""#
            let (old, new) = (try links(apps, #""/x""#), try links(apps, #""/x","/y","/z""#))
            #expect(known(old, new).map(\.appID) == ["A.b", "A.c"])
            #expect(
                describe(ChangedRules(old, new, besides: known(old, new), meter: WorkMeter(.standard))) == [
                    "A.b: not_matched > opens /z", "A.c: not_matched > opens /z",
                ])
        }

        @Test("of more than ten rules, the rest is counted", arguments: [(11, 10, 0), (12, 10, 1), (40, 10, 29)])
        func many(_ count: Int, _ shown: Int, _ more: Int) throws {
            let old = try LanguageFixture.paths(["/x"])
            let new = try LanguageFixture.paths(["/x"] + (0..<count).map { "/m\($0)" })
            let rules = ChangedRules(old, new, besides: known(old, new), meter: WorkMeter(.standard))
            #expect(rules.changes.count == shown)
            #expect(rules.more == more)
            #expect(rules.isComplete)
        }

        @Test("if there are too many rules, the search ends and reports that it is incomplete")
        func bounded() throws {
            let old = try LanguageFixture.paths((0..<1000).map { "/*a\($0)x*b" })
            let new = try LanguageFixture.paths((0..<1000).map { "/*a\($0)x*c" })
            let rules = ChangedRules(old, new, besides: [], meter: WorkMeter(.standard))
            #expect(rules.changes.count == ChangedRules.maximumShown)
            #expect(!rules.isComplete)
        }
    }
}
