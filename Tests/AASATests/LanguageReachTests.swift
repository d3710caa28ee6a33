import Testing

@testable import AASA

extension AASASuite {
    @Suite("Language reach")
    struct LanguageReachTests {
        private func describe(_ reach: [RuleReach]) -> [String] {
            reach.map { reach in
                switch reach.verdict {
                case .decides(let example): example
                case .shadowed(let rules):
                    "by "
                        + rules.map { $0.pointer.split(separator: "/").last.map(String.init) ?? "" }
                        .joined(separator: ",")
                case .matchesNothing: "nothing"
                case .undecided: "undecided"
                }
            }
        }

        @Test(
            "an unused rule has the rules that match its URLs; any other has its shortest URL",
            arguments: [
                (["/a/*", "/a/b"], ["/a", "by 0"]),
                (["*", "/a"], ["/", "by 0"]),
                (["/a", "/a/"], ["/a", "by 0"]),
                // Almost: the second rule also matches the URL that is too short for the first.
                (["/a/?*", "/a/*"], ["/a/a", "/a"]),
                (["/a*", "/a/*"], ["/a", "by 0"]),
                (["/a/*", "/a*"], ["/a", "/aa"]),
                // Only several rules together match all its URLs.
                (["/a", "/a/?*", "/a/*"], ["/a", "/a/a", "by 0,1"]),
                (["/$(upper)", "/$(lower)", "/$(alpha)"], ["/A", "/a", "by 0,1"]),
                (["/$(digit)", "/$(lower)", "/$(xdigit)"], ["/1", "/a", "/A"]),
                // One of several rules is enough.
                (["/a/x", "/a/*", "/a/x*"], ["/a/x", "/a", "by 1"]),
                // After an exclusion, and an exclusion after a rule that matches its URLs.
                (["NOT /a/*", "/a/b"], ["/a", "by 0"]),
                (["/a/*", "NOT /a/b"], ["/a", "by 0"]),
                (["NOT /a/b", "/a/*"], ["/a/b", "/a"]),
                // An equal rule.
                (["/a/*/b", "/c", "/a/*/b"], ["/a/a/b", "/c", "by 0"]),
                // It matches no URL.
                (
                    ["/ä", "/a b", "/$(none)", "/a?x=1", "/a#b"],
                    ["nothing", "nothing", "nothing", "/aax=1", "nothing"]
                ),
                (["*", "/#/settings"], ["/", "nothing"]),
                (["/$(lang)/*", "/de/*"], ["/aa", "by 0"]),
                (["/$(region)", "/UK", "/GB"], ["/ax", "/UK", "by 0"]),
            ])
        func paths(_ paths: [String], _ expected: [String]) throws {
            let links = try LanguageFixture.paths(paths)
            #expect(describe(links.entries[0].reach(WorkMeter(.lint), plainly: false)) == expected)
        }

        @Test(
            "queries, fragments, case and encoding matter",
            arguments: [
                (#"{"/":"/a","?":"x=1"},{"/":"/a"}"#, ["/a?x=1", "/a"]),
                (#"{"/":"/a"},{"/":"/a","?":"x=1"}"#, ["/a", "by 0"]),
                (#"{"?":{"x":"*"}},{"/":"/a"}"#, ["/", "by 0"]),
                (#"{"?":{"x":"?*"}},{"?":{"x":""}},{"?":{"x":"*"}}"#, ["/?x=a", "/", "/?x=a&x"]),
                (#"{"?":{"x":"1","y":"2"}},{"?":{"y":"2","x":"1"}}"#, ["/?x=1&y=2", "by 0"]),
                (#"{"?":{"x":"1"}},{"?":{"y":"2","x":"1"}}"#, ["/?x=1", "by 0"]),
                (#"{"?":{"y":"2","x":"1"}},{"?":{"x":"1"}}"#, ["/?x=1&y=2", "/?x=1"]),
                (##"{"#":"a*"},{"#":"ab"},{"#":""}"##, ["/#a", "by 0", "/"]),
                (#"{"/":"/ab","caseSensitive":false},{"/":"/Ab"},{"/":"/aB"}"#, ["/ab", "by 0", "by 0"]),
                (#"{"/":"/Ab"},{"/":"/ab","caseSensitive":false}"#, ["/Ab", "/ab"]),
                (#"{"/":"/ä","percentEncoded":false},{"/":"/%C3%A4"},{"/":"/%c3%A4"}"#, ["/%c3%a4", "by 0", "by 0"]),
                (#"{"/":"/?","percentEncoded":false},{"/":"/???"},{"/":"/%E4"}"#, ["/a", "/aaa", "by 1"]),
                (#"{"/":"/?","percentEncoded":false},{"/":"/%C3%A4"},{"/":"/%E4"}"#, ["/a", "by 0", "/%E4"]),
                (#"{"/":"/a"},7,{"/":"/b"}"#, ["/a", "/", "by 1"]),
            ])
        func components(_ components: String, _ expected: [String]) throws {
            let links = try LanguageFixture.links(components)
            #expect(describe(links.entries[0].reach(WorkMeter(.lint), plainly: false)) == expected)
        }

        @Test("beyond the budget a rule is undecided, or a sample shows that it decides")
        func budget() throws {
            let question = String(repeating: "?", count: 30)
            let links = try LanguageFixture.paths(["*a\(question)", "*b\(question)", "/c"])
            let reach = links.entries[0].reach(
                WorkMeter(LanguageBudget(states: 50, steps: 100_000)), plainly: false)
            let words = describe(reach)
            #expect(words.allSatisfy { !$0.hasPrefix("by") && $0 != "nothing" })
            #expect(words[2] == "/c")
        }

        @Test(
            "a rule's examples are short, and all match",
            arguments: [
                ("/buy/*", ["/buy", "/buy/a", "/buy/x"]), ("/id/?", ["/id/a", "/id/x", "/id/b"]), ("/a", ["/a"]),
                ("/ä", []), ("*", ["/", "/a", "/x"]),
            ])
        func examples(_ path: String, _ expected: [String]) throws {
            let links = try LanguageFixture.paths([path])
            let rule = links.entries[0].rules[0]
            let examples = rule.examples(count: 3, meter: WorkMeter(.lint))
            #expect(examples.first == expected.first)
            #expect(examples.count == expected.count)
            for example in examples { #expect(try rule.matches(#require(MatchableURL(example)))) }
        }

        @Test("entries of different apps that open one URL are reported with it")
        func overlaps() throws {
            func overlaps(_ details: String) throws -> [String] {
                try LanguageFixture.links(details: details).overlaps(WorkMeter(.lint)) { _ in true }.found.map {
                    overlap in
                    "\(overlap.appIDs.joined(separator: " ")) \(overlap.example) "
                        + overlap.rules.compactMap { $0.path?.text }.joined(separator: " ")
                }
            }
            let first = #"{"appIDs":["A.b","A.c"],"paths":["NOT /a/x","/a/*"]}"#
            #expect(try overlaps(first) == [])
            #expect(try overlaps(first + #",{"appIDs":["A.d"],"paths":["/b/*","/a/x"]}"#) == [])
            #expect(
                try overlaps(first + #",{"appIDs":["A.d"],"paths":["/b/*","/a/??"]}"#)
                    == ["A.b A.c A.d /a/aa /a/* /a/??"])
            // The same app twice is not an overlap.
            #expect(try overlaps(#"{"appIDs":["A.b"],"paths":["/a"]},{"appIDs":["A.b"],"paths":["/a"]}"#) == [])
        }
    }
}
