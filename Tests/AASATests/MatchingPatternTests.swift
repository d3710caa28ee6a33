import AASA
import Testing

extension AASASuite {
    /// Rows of the pattern language, as Apple documents it at
    /// https://developer.apple.com/documentation/bundleresources/applinks/details/components, and as its tool behaves.
    @Suite("Matching: patterns")
    struct MatchingPatternTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let name: String
            let pattern: String
            let matches: [String]
            let others: [String]

            init(_ name: String, _ pattern: String, _ matches: [String], not others: [String] = []) {
                (self.name, self.pattern, self.matches, self.others) = (name, pattern, matches, others)
            }

            var testDescription: String { "\(name): \(pattern)" }
        }

        static let rows: [Row] = [
            // Consequences of the normalisation.
            Row("whole path", "/buy", ["/buy", "/buy/"], not: ["/buy/x", "/Buy", "/buyer", "/"]),
            Row("folder and all below", "/buy/*", ["/buy", "/buy/", "/buy/a/b"], not: ["/buyer", "/bu"]),
            Row("prefix", "/buy*", ["/buy", "/buyer", "/buy/x"], not: ["/bu", "/abuy"]),
            Row("four characters", "/id/????", ["/id/4812", "/id/4812/"], not: ["/id/481", "/id/48121", "/id/"]),
            Row("run between slashes", "/a/*/c", ["/a/b/c", "/a/b/b/c", "/a//c/c"], not: ["/a/c", "/a//c", "/a/b"]),
            Row("everything", "*", ["/", "https://e.com", "/a", "/a/b?c#d"]),
            Row("everything below the root", "/*", ["/", "https://e.com", "/a", "/a/b"]),
            Row("the root alone", "/", ["/", "https://e.com", "//", "?x=1"], not: ["/x"]),
            // TN3155: `/test/*` covers `/test`.
            Row("TN3155", "/test/*", ["/test", "/test/", "/test/x"], not: ["/tests"]),
            // Tokens.
            Row("one or more", "/a?*", ["/ab", "/a/b", "/abc", "/a/"], not: ["/b"]),
            Row("a star takes slashes", "/a*z", ["/az", "/a/b/z/", "/a/z/z"], not: ["/a/b"]),
            Row("a question mark takes any one", "/a?c", ["/abc", "/a/c", "/a-c"], not: ["/ac", "/abbc"]),
            Row("two runs", "/*/x/*/y", ["/a/x/b/y", "/a/b/x/x/y", "/a/x/x/b/y"], not: ["/x/b/y", "/a/x/y"]),
            Row("a run goes back", "*ab/", ["/aab", "/abab", "/ab/ab"], not: ["/aba", "/abb"]),
            Row("a pattern cannot begin in the middle", "/b", ["/b"], not: ["/a/b"]),
            Row("unclosed", "/$(lang", [], not: ["/en", "/$(lang"]),
            Row("undefined", "/$(nobody)/x", [], not: ["/en/x", "/$(nobody)/x", "//x"]),
            Row("a dollar alone is a dollar", "/$5", ["/$5"], not: ["/5"]),
            // Normalisation of patterns and paths.
            Row("empty pattern", "", ["/", "https://e.com?q"], not: ["/a"]),
            Row("doubled stars", "/a/**/c", ["/a/b/c"], not: ["/a/c"]),
            Row("doubled slashes in the pattern", "//a//b", ["/a/b", "//a/b"], not: ["/a"]),
            Row("doubled slashes in the URL", "/a/b", ["/a//b", "///a/b//"]),
            Row("a leading slash is added", "abc", ["/abc", "/abc/"], not: ["/", "/x/abc"]),
            Row("one character is left alone", "a", [], not: ["/a", "/a/", "/"]),
            Row("one question mark is left alone", "?", ["/"], not: ["/a"]),
            // Escapes.
            Row("escapes are compared as they are", "/%e3", ["/%e3"], not: ["/%E3"]),
            Row("an escaped slash is not a slash", "/a/b", ["/a/b"], not: ["/a%2Fb"]),
            Row("an unescaped letter beyond ASCII never matches", "/é", [], not: ["/é", "/%C3%A9"]),
            Row("its escape matches", "/%C3%A9", ["/é", "/%C3%A9"], not: ["/%c3%a9"]),
            Row("a space never matches", "/a b", [], not: ["/a b", "/a%20b"]),
            // A question mark inside a path is one character.
            Row("no query in a path", "/a?b=1", ["/axb=1"], not: ["/a?b=1"]),
            Row("no fragment in a path", "/a#b", [], not: ["/a#b"]),
        ]

        @Test("a path must match as a whole, after normalisation", arguments: rows)
        func path(_ row: Row) throws {
            for links in [try components(#"{"/":\#(quoted(row.pattern))}"#), try paths(quoted(row.pattern))] {
                for text in row.matches { #expect(try links.behaviour(of: text) == .opens, "\(text)") }
                for text in row.others { #expect(try links.behaviour(of: text) == .notMatched, "\(text)") }
            }
        }

        static let variables: [Row] = [
            Row("alpha", "/$(alpha)", ["/a", "/Z"], not: ["/1", "/ab", "/", "/%C3%A9"]),
            Row("upper", "/$(upper)", ["/A"], not: ["/a", "/1"]),
            Row("alnum", "/$(alnum)$(alnum)", ["/a1", "/Zz"], not: ["/a", "/a-", "/a1b"]),
            Row("digit", "/$(digit)*", ["/1", "/1a"], not: ["/a1"]),
            Row("xdigit", "/$(xdigit)", ["/a", "/F", "/0"], not: ["/g"]),
            Row("region", "/$(region)/x", ["/GB/x", "/gb/x", "/US/x"], not: ["/UK/x", "/Gb/x", "/GBR/x", "/x"]),
            Row(
                "lang", "/$(lang)-$(region)/*", ["/en-US", "/en-us/a", "/EN-GB/a/b"],
                not: ["/e-US", "/xx-US/", "/en_US"]),
            Row("a code behind a star", "*/$(lang)/x", ["/a/en/x", "/en/fr/x"], not: ["/a/xx/x"]),
            // https://developer.apple.com/documentation/bundleresources/applinks/substitutionvariables
            Row(
                "custom", "/$(food)/info", ["/burrito/info", "/pizza/info"],
                not: ["/sushi/info", "/burritopizza/info", "/Pizza/info"]),
            Row("names count case", "/$(Food)/", [], not: ["/pizza"]),
            Row("values with wildcards", "/$(wild)/z", ["/a1/z", "/bxyz/z", "/b/z"], not: ["/a/z", "/a12/z"]),
            Row("an empty value", "/x$(maybe)y", ["/xy", "/x1y"], not: ["/x2y"]),
            Row("a bare string", "/$(bare)", ["/one"], not: ["/two"]),
            Row("values that are not strings are skipped", "/$(mixed)", ["/a"], not: ["/1", "/true"]),
            Row("a value with a variable is dropped", "/$(nested)", ["/ok"], not: ["/a", "/$(alpha)"]),
            Row("no value at all", "/$(none)", [], not: ["/", "/x"]),
            Row("a custom name hides a predefined one", "/$(seven)$(lower)", ["/7q"], not: ["/7a", "/aq"]),
        ]

        @Test("a variable matches one of its values", arguments: variables)
        func variable(_ row: Row) throws {
            let own = #"""
                "substitutionVariables":{"food":["burrito","pizza","burger"],"wild":["a?","b*"],"maybe":["","1"],"bare":"one",
                "mixed":["a",1,true],"nested":["$(alpha)","ok"],"none":[],"seven":["7"],"lower":["q"]},
                """#
            let links = try components(#"{"/":\#(quoted(row.pattern))}"#, applinks: own)
            for text in row.matches { #expect(try links.behaviour(of: text) == .opens, "\(text)") }
            for text in row.others { #expect(try links.behaviour(of: text) == .notMatched, "\(text)") }
        }

        @Test("$(lower) matches lower-case letters only")
        func lower() throws {
            let links = try components(#"{"/":"/$(lower)"}"#)
            #expect(try links.behaviour(of: "/a") == .opens)
            #expect(try links.behaviour(of: "/A") == .notMatched)
        }

        @Test("the reason why a pattern never matches is kept")
        func faults() {
            func fault(_ text: String) -> Pattern.Fault? { Pattern(text, isPath: true, variables: .predefined).fault }
            #expect(fault("/$(x)/") == .undefinedVariable("x"))
            #expect(fault("/$()/") == .undefinedVariable(""))
            #expect(fault("/$(lang/x") == .unclosedVariable)
            #expect(fault("/a" + String(repeating: "*a", count: 64)) == nil)
            #expect(fault("/a" + String(repeating: "*a", count: 65)) == .tooComplex)
            #expect(fault("/$(lang)/*") == nil)
        }

        @Test("letters and values match without regard to case if caseSensitive is false")
        func caseInsensitive() throws {
            let links = try components(
                ##"{"/":"/Buy/$(lang)/$(food)/$(upper)*","?":{"Item":"ABC"},"#":"Top","caseSensitive":false}"##,
                applinks: #""substitutionVariables":{"food":["Pizza","x"]},"#)
            #expect(try links.behaviour(of: "/bUY/En/PIZZA/q?Item=aBc#tOP") == .opens)
            #expect(try links.behaviour(of: "/bUY/En/PIZZA/1?Item=aBc#tOP") == .notMatched)
            // Names of items stay case-sensitive.
            #expect(try links.behaviour(of: "/buy/en/x/q?item=abc#top") == .notMatched)
        }

        @Test("beyond ASCII, one letter folds to one letter")
        func unicodeCase() throws {
            let links = try components(#"{"/":"/Äß/*","caseSensitive":false,"percentEncoded":false}"#)
            #expect(try links.behaviour(of: "/äß/x") == .opens)
            #expect(try links.behaviour(of: "/Äß") == .opens)
            #expect(try links.behaviour(of: "/ÄSS") == .notMatched)
        }

        @Test("percentEncoded false decodes the URL, not the pattern")
        func decoded() throws {
            let links = try components(#"{"/":"/é t/*","?":{"q":"ü"},"percentEncoded":false}"#)
            #expect(try links.behaviour(of: "/%c3%A9%20t?q=%C3%BC") == .opens)
            #expect(try links.behaviour(of: "/é t/x?q=ü") == .opens)
            let encoded = try components(#"{"/":"/%C3%A9","percentEncoded":false}"#)
            #expect(try encoded.behaviour(of: "/é") == .notMatched)
            // A name with a combining mark is another name.
            let name = try components(#"{"?":{"e\u0301":"?*"},"percentEncoded":false}"#)
            #expect(try name.behaviour(of: "/?é=1") == .notMatched)
            #expect(try name.behaviour(of: "/?e\u{301}=1") == .opens)
        }

        @Test("a URL is split by scalars")
        func urls() throws {
            let strange = try url("https://user:pw@Example.com:8443/a?\u{301}b#\u{301}c")
            #expect(strange.host == "example.com")
            #expect(strange.path == "/a/")
            #expect(strange.query == "%CC%81b")
            #expect(strange.fragment == "%CC%81c")
            #expect(try url("https://[2001:DB8::1]:443/").host == "[2001:db8::1]")
            #expect(try url("HTTPS://e.com?x").query == "x")
            for text in [
                "https://bad url/x", "https://exa mple.com/x", "https://a..b/q", "https://[bad/q", "https://a{b}.com/",
                "", "ftp://e.com/", "e.com/a", "https:///a", "https://:80/", "mailto:a@b",
            ] {
                #expect(MatchableURL(text) == nil, "\(text)")
            }
        }
    }
}
