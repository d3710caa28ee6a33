import AASA
import Testing

extension AASASuite {
    /// Which rule decides, and the effect of a rule's parts and flags.
    @Suite("Matching: rules")
    struct MatchingRuleTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let name: String
            let component: String
            let matches: [String]
            let others: [String]

            init(_ name: String, _ component: String, _ matches: [String], not others: [String] = []) {
                (self.name, self.component, self.matches, self.others) = (name, component, matches, others)
            }

            var testDescription: String { name }
        }

        static let parts: [Row] = [
            // Defaults and wrong types.
            Row("no constraint", "{}", ["/", "/a?b#c"]),
            Row("a path of a wrong type", #"{"/":5,"?":{"a":"1"}}"#, ["/x?a=1"], not: ["/x"]),
            Row("a query as a list", #"{"/":"/x","?":["a"]}"#, ["/x", "/x?b"], not: ["/y"]),
            Row("one value of a wrong type drops the query", #"{"?":{"a":"1","b":2}}"#, ["/", "/?a=9"]),
            Row("a list of values does not exist", #"{"?":{"a":["1","2"]}}"#, ["/", "/?a=9"]),
            Row("a fragment of a wrong type", ##"{"/":"/x","#":true}"##, ["/x", "/x#y"], not: ["/y"]),
            Row("an unknown key", #"{"path":"/x","excludes":true}"#, ["/y"]),
            Row("not an object", "17", ["/", "/a?b#c"]),
            // All parts must match.
            Row(
                "all parts", ##"{"/":"/a/*","?":{"q":"1"},"#":"top"}"##, ["/a/b?q=1#top"],
                not: ["/b?q=1#top", "/a?q=2#top", "/a?q=1#to", "/a?q=1"]),
            // The query as a string.
            Row("whole query", #"{"?":"a=1&b=*"}"#, ["/?a=1&b=", "/?a=1&b=2&c=3"], not: ["/?b=1&a=1", "/?a=1", "/"]),
            Row("empty query", #"{"?":""}"#, ["/", "/?", "/#x"], not: ["/?a"]),
            Row("any query", #"{"?":"*"}"#, ["/", "/?a"]),
            Row("some query", #"{"?":"?*"}"#, ["/?a"], not: ["/", "/?"]),
            Row("the query stays encoded", #"{"?":"q=a b"}"#, [], not: ["/?q=a b", "/?q=a%20b"]),
            // The query as a dictionary.
            Row(
                "order and others do not count", #"{"?":{"a":"1","b":"2"}}"#, ["/?b=2&x=9&a=1"],
                not: ["/?a=1", "/?a=1&b=3"]),
            Row("missing is empty", #"{"?":{"a":"*"}}"#, ["/", "/?a", "/?a=", "/?a=x", "/?b=1"]),
            Row("empty matches missing", #"{"?":{"a":""}}"#, ["/", "/?a", "/?a=", "/?b=1"], not: ["/?a=1"]),
            Row("presence with a value", #"{"?":{"a":"?*"}}"#, ["/?a=1", "/?x&a=1"], not: ["/", "/?a", "/?a="]),
            Row("each occurrence", #"{"?":{"a":"1*"}}"#, ["/?a=1&a=12"], not: ["/?a=1&a=2", "/?a=2&a=1", "/?a=1&a"]),
            Row("exact names", #"{"?":{"a":"1"}}"#, ["/?a=1"], not: ["/?A=1", "/?aa=1"]),
            Row("only the first equals sign parts", #"{"?":{"a":"b=c"}}"#, ["/?a=b=c"], not: ["/?a=b"]),
            Row("the last of two equal names", #"{"?":{"a":"1","a":"2"}}"#, ["/?a=2"], not: ["/?a=1"]),
            Row("no names at all", #"{"?":{}}"#, ["/", "/?a=1"]),
            // The fragment.
            Row("fragment", ##"{"#":"no_universal_links"}"##, ["/#no_universal_links"], not: ["/", "/#no"]),
            Row("empty fragment", ##"{"#":""}"##, ["/", "/#", "/?x"], not: ["/#a"]),
            Row("hash router", ##"{"#":"/item/*"}"##, ["/#/item/4"], not: ["/item/4", "/#/item"]),
            Row(
                "variables in all parts", ##"{"?":{"l":"$(lang)"},"#":"$(digit)"}"##, ["/?l=en#1"],
                not: ["/?l=xx#1", "/?l=en#a"]),
        ]

        @Test("each stated part must match", arguments: parts)
        func part(_ row: Row) throws {
            let links = try components(row.component)
            for text in row.matches { #expect(try links.behaviour(of: text) == .opens, "\(text)") }
            for text in row.others { #expect(try links.behaviour(of: text) == .notMatched, "\(text)") }
        }

        @Test(
            "booleans are read as Apple reads them",
            arguments: [
                ("true", true), ("false", false), ("1", true), ("0", false), ("0.0", false), ("-2", true),
                ("1e-3", true),
                (#""true""#, true), (#""YES""#, true), (#""1""#, true), (#""no""#, false), (#""""#, false),
                (#"" +07x""#, true),
                (#""000""#, false), (#""x1""#, false), ("null", false), ("[]", false), ("[true]", false), ("{}", false),
            ])
        func booleans(_ text: String, _ value: Bool) throws {
            let excluding = try components(#"{"exclude":\#(text)}"#)
            #expect(try excluding.behaviour(of: "/") == (value ? .blocked : .opens))
            let sensitive = try components(#"{"/":"/a","caseSensitive":\#(text)}"#)
            #expect(try sensitive.behaviour(of: "/A") == (value ? .notMatched : .opens))
            let encoded = try components(#"{"/":"/é","percentEncoded":\#(text)}"#)
            #expect(try encoded.behaviour(of: "/é") == (value ? .notMatched : .opens))
        }

        @Test("the first rule that matches decides")
        func order() throws {
            let rules =
                ##"{"#":"no","exclude":true},{"/":"/buy/*"},{"/":"/help/site/*","exclude":true},{"/":"/help/*"},{"/":"/buy/x","exclude":true}"##
            let links = try components(rules)
            #expect(try links.behaviour(of: "/buy/x") == .opens)
            #expect(try links.behaviour(of: "/buy/x#no") == .blocked)
            #expect(try links.behaviour(of: "/help/site/a") == .blocked)
            #expect(try links.behaviour(of: "/help/a") == .opens)
            #expect(try links.behaviour(of: "/") == .notMatched)
            let result = links.match(try url("/help/site/a"))
            #expect(result.opens == nil)
            #expect(result.attempts.map(\.mismatch) == [.fragment, .path, nil])
            #expect(result.deciding?.rule.pointer == "/applinks/details/0/components/2")
            #expect(links.match(try url("/none")).deciding == nil)
        }

        @Test("the part that did not match is named, the path first")
        func mismatches() throws {
            let links = try components(##"{"/":"/a","?":{"x":"1","y":"2"},"#":"f"},{"?":"q"}"##)
            func parts(_ text: String) throws -> [MismatchedPart?] {
                links.match(try url(text)).attempts.map(\.mismatch)
            }
            #expect(try parts("/b") == [.path, .query])
            #expect(try parts("/a?x=1") == [.queryItem("y"), .query])
            #expect(try parts("/a?x=1&y=2") == [.fragment, .query])
            #expect(try parts("/a?x=1&y=2#f") == [nil])
        }

        @Test("the first app in the file opens the URL, and the others are listed")
        func apps() throws {
            let links = try applinks(
                #""details":[{"appIDs":["A.none"],"components":[]},{"appIDs":["B.x","B.y","B.x"],"paths":["NOT /b","*"]},"#
                    + #"{"appID":"C","paths":["/b"]},"skipped",{"appIDs":"S","paths":["*"]},{"appIDs":["D"],"appID":"E"}]"#
            )
            let root = links.match(try url("/"))
            #expect(root.opens == "B.x")
            #expect(root.alsoOpenedBy == ["B.y", "D"])
            let other = links.match(try url("/b"))
            #expect(other.opens == "C")
            #expect(other.deciding?.entry.appIDs == ["C"])
            #expect(try links.behaviour(of: "/b", for: "B.x") == .blocked)
            #expect(try links.behaviour(of: "/b", for: "S") == .notMatched)
            #expect(try links.behaviour(of: "/b", for: "E") == .notMatched)
            // An entry without an app decides nothing, even if its rule matches.
            #expect(try applinks(#""details":[{"paths":["*"]}]"#).match(url("/")).deciding == nil)
        }

        @Test(
            "NOT excludes with exactly one space, in any case",
            arguments: [
                ("NOT /x", LinkBehaviour.blocked), ("not /x", .blocked), ("Not /x", .blocked), ("nOt /x", .blocked),
                ("NOT x", .opens),
                ("NOT /X", .opens), ("NOT/x", .opens), ("NOT  /x", .opens), (" NOT /x", .opens), ("NOT\t/x", .opens),
                ("NOT *", .blocked), ("NOT", .opens), ("EXCEPT /x", .opens), ("NOT\u{0} /x", .opens),
            ])
        func not(_ path: String, _ behaviour: LinkBehaviour) throws {
            let literal = quoted(path).replacing("\t", with: "\\t").replacing("\u{0}", with: "\\u0000")
            #expect(try paths("\(literal),\"*\"").behaviour(of: "/x") == behaviour)
        }

        @Test("a path matches the path only, case-sensitively")
        func onlyPaths() throws {
            let links = try paths(#""NOT /a/b","/a/*","?x=1""#, applinks: #""defaults":{"caseSensitive":false},"#)
            #expect(try links.behaviour(of: "/a/c?q#f") == .opens)
            #expect(try links.behaviour(of: "/a/b?q#f") == .blocked)
            #expect(try links.behaviour(of: "/A/c") == .notMatched)
            #expect(try links.behaviour(of: "/?x=1") == .notMatched)
        }

        @Test(
            "a list of the wrong type matches everything, an empty list nothing",
            arguments: [
                (#""appIDs":["\#(matchingApp)"]"#, true), (#""appID":"\#(matchingApp)","paths":"*""#, true),
                (#""appID":"\#(matchingApp)","components":{"/":"/x"}"#, true),
                (#""appIDs":["\#(matchingApp)"],"paths":null"#, true),
                (#""appIDs":["\#(matchingApp)"],"components":[]"#, false),
                (#""appIDs":["\#(matchingApp)"],"paths":[]"#, false),
                (#""appIDs":["\#(matchingApp)"],"components":[],"paths":["*"]"#, false),
                (#""appIDs":["\#(matchingApp)"],"components":{},"paths":[]"#, false),
                (#""appIDs":["\#(matchingApp)"],"components":["/x"]"#, true),
                (#""appIDs":["\#(matchingApp)"],"paths":[7]"#, true),
                (#""appIDs":["\#(matchingApp)"],"components":{},"paths":["*"]"#, true),
                (#""appIDs":[],"appID":"\#(matchingApp)","paths":["*"]"#, false),
                (#""appIDs":[1,"\#(matchingApp)"],"paths":["*"]"#, true),
            ])
        func degenerate(_ entry: String, _ opens: Bool) throws {
            #expect(
                try applinks("\"details\":[{\(entry)}]").behaviour(of: "/any?a#b") == (opens ? .opens : .notMatched))
        }

        @Test("details may be an object, and apps may stand alone")
        func otherForms() throws {
            let legacy = try applinks(
                #""details":{"A":{"paths":["/a"]},"B":{"paths":["*"]},"C":7,"A":{"paths":["/last"]}}"#)
            #expect(legacy.form == .dictionary)
            #expect(try legacy.behaviour(of: "/last", for: "A") == .opens)
            #expect(try legacy.behaviour(of: "/a", for: "A") == .notMatched)
            #expect(try legacy.behaviour(of: "/a", for: "C") == .notMatched)
            let apps = try applinks(#""apps":["A","B"]"#)
            #expect(apps.form == .appsOnly)
            #expect(apps.match(try url("/x?y#z")).alsoOpenedBy == ["B"])
            let both = try applinks(#""apps":["A"],"details":[{"appID":"B","paths":["/b"]}]"#)
            #expect(both.match(try url("/x")).opens == nil)
            for none in [#""apps":[]"#, #""details":"x""#, #""apps":"A""#] {
                #expect(try applinks(none).form == .none)
            }
        }

        // A component overrides its entry, which overrides applinks. Every key is inherited.
        @Test("defaults apply at both levels")
        func defaults() throws {
            let both = try components(
                ##"{"/":"/a"},{"/":"/b","caseSensitive":true},{"?":{"q":"1"},"/":"/c","#":"*"}"##,
                applinks: ##""defaults":{"caseSensitive":true,"percentEncoded":false,"#":"top"},"##,
                entry: #""defaults":{"caseSensitive":false},"#)
            #expect(try both.behaviour(of: "/A#top") == .opens)
            #expect(try both.behaviour(of: "/A") == .notMatched)
            #expect(try both.behaviour(of: "/B#top") == .notMatched)
            #expect(try both.behaviour(of: "/%62#top") == .opens)
            #expect(try both.behaviour(of: "/C?q=1#other") == .opens)
            let excluding = try components("{},{\"exclude\":false}", entry: #""defaults":{"exclude":true,"/":"/x"},"#)
            #expect(try excluding.behaviour(of: "/x") == .blocked)
            #expect(try excluding.behaviour(of: "/y") == .notMatched)
            // A value of a wrong type also hides the default; a default of a wrong type is ignored.
            #expect(try components(#"{"/":1}"#, entry: #""defaults":{"/":"/x"},"#).behaviour(of: "/y") == .opens)
            #expect(try components("{}", entry: #""defaults":["/"],"#).behaviour(of: "/y") == .opens)
        }

        @Test("a rule that matches every URL is recognised")
        func unconstrained() throws {
            func isUnconstrained(_ component: String) throws -> Bool {
                try components(component).entries[0].rules[0].isUnconstrained
            }
            for text in [
                "{}", #"{"/":"*"}"#, #"{"/":"/*"}"#, #"{"/":"**","?":"*"}"#, ##"{"?":{"a":"*"},"#":"*"}"##, "3",
            ] {
                #expect(try isUnconstrained(text), "\(text)")
            }
            for text in [#"{"/":"/?*"}"#, #"{"?":"?*"}"#, #"{"?":{"a":""}}"#, #"{"/":"/"}"#] {
                #expect(try !isUnconstrained(text), "\(text)")
            }
        }
    }
}
