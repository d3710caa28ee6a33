// Patterns in other notations than Apple's: each is found, named for what it is, and written anew in the advice.

import AASA
import Testing

/// A pattern, what of it is foreign, and the patterns of the advice; none where it has to be general.
struct ForeignPattern: Sendable, CustomTestStringConvertible {
    let rule: String
    let pattern: String
    let part: String
    /// A word of what it is said to be.
    let word: String
    let advised: [String]

    init(_ pattern: String, _ part: String, _ word: String, _ advised: String...) {
        self.init("route-placeholder", pattern, part, word, advised)
    }

    private init(_ rule: String, _ pattern: String, _ part: String, _ word: String, _ advised: [String]) {
        self.rule = rule
        self.pattern = pattern
        self.part = part
        self.word = word
        self.advised = advised
    }

    static func expression(_ pattern: String, _ part: String, _ word: String, _ advised: String...) -> ForeignPattern {
        ForeignPattern("regular-expression", pattern, part, word, advised)
    }

    static func perhaps(_ pattern: String, _ part: String, _ word: String, _ advised: String...) -> ForeignPattern {
        ForeignPattern("route-notation", pattern, part, word, advised)
    }

    var testDescription: String { pattern }

    static let all: [ForeignPattern] = [
        .perhaps("/buy/:id", ":id", "Express", "/buy/?*"),
        .perhaps("/buy/:id?", ":id?", "optional", "/buy/*"),
        .perhaps("/:area?/buy", ":area?", "optional", "/buy", "/?*/buy"),
        .perhaps("/buy/:id*", ":id*", "repeated", "/buy/*"),
        .perhaps("/buy/:id+", ":id+", "repeated", "/buy/?*"),
        .perhaps("/buy/:id.json", ":id", "Express", "/buy/?*.json"),
        .init("/posts/:id(.:format)", ":id(.:format)", "Rails", "/posts/?*"),
        .init("/posts(/:id)", "(/:id)", "Rails", "/posts", "/posts/?*"),
        .init(#"/buy/:id(\\d+)"#, #":id(\\d+)"#, "constraint", "/buy/?*"),
        .init("/:area(en|de)/buy", ":area(en|de)", "values", "/en/buy", "/de/buy"),
        .perhaps("/@:user", ":user", "Express", "/@?*"),
        .perhaps("/:lang/buy", ":lang", "Express", "/$(lang)/buy"),
        .init("/buy/{id}", "{id}", "Spring", "/buy/?*"),
        .init("/buy/{id}.html", "{id}", "OpenAPI", "/buy/?*.html"),
        .init("/buy/{id?}", "{id?}", "ASP.NET", "/buy/*"),
        .init("/{area?}/buy", "{area?}", "Laravel", "/buy", "/?*/buy"),
        .init("/buy/{id:int}", "{id:int}", "constraint", "/buy/?*"),
        .init(#"/buy/{id:\\d+}"#, #"{id:\\d+}"#, "constraint", "/buy/?*"),
        .init("/{area:en|de}/buy", "{area:en|de}", "values", "/en/buy", "/de/buy"),
        .init("/{*path}", "{*path}", "ASP.NET", "/*"),
        .init("/{path...}", "{path...}", "Go", "/*"),
        .init("/{proxy+}", "{proxy+}", "Amazon", "/?*"),
        .init("/buy/{{id}}", "{{id}}", "template", "/buy/?*"),
        .init("/buy/${id}", "${id}", "template", "/buy/?*"),
        .init("/buy/#{id}", "#{id}", "template", "/buy/?*"),
        .init("/buy/%s", "%s", "format", "/buy/?*"),
        .init("/buy/[id]", "[id]", "Next.js", "/buy/?*"),
        .init("/buy/[id]-[slug]", "[id]", "Next.js", "/buy/?*-?*"),
        .init("/buy/[id].html", "[id]", "Next.js", "/buy/?*.html"),
        .init("/buy/[e-mail]", "[e-mail]", "Next.js", "/buy/?*"),
        .init("/buy/[data-zone]/x", "[data-zone]", "Next.js", "/buy/?*/x"),
        .init("/buy/{0}", "{0}", "placeholder", "/buy/?*"),
        .init("/buy/%7Bid%7D", "%7Bid%7D", "escaped braces", "/buy/?*"),
        .init("/buy/a{1}", "{1}", "placeholder", "/buy/a?*"),
        .init("/buy/{0}-{2}", "{0}", "placeholder", "/buy/?*-?*"),
        .init("/buy/%7B%7Bid%7D%7D", "%7B%7Bid%7D%7D", "template", "/buy/?*"),
        .init("/buy/%7bid%7d", "%7bid%7d", "escaped braces", "/buy/?*"),
        .init("/buy/[...slug]", "[...slug]", "catch-all", "/buy/?*"),
        .init("/buy/[[...slug]]", "[[...slug]]", "optional catch-all", "/buy/*"),
        .init("/[[area]]/buy", "[[area]]", "SvelteKit", "/buy", "/?*/buy"),
        .init("/buy/<id>", "<id>", "Flask", "/buy/?*"),
        .init("/buy/<int:id>", "<int:id>", "Django", "/buy/?*"),
        .init("/buy/(:num)", "(:num)", "CodeIgniter", "/buy/?*"),
        .init("/buy/$", "$", "Remix"),
        .expression("/buy/(.*)", "(.*)", "group", "/buy/*"),
        .expression("/buy(/.*)?", "(/.*)?", "group", "/buy/*"),
        .expression("/buy/.*", ".*", "Android", "/buy/*"),
        .expression("/buy/..*", "..*", "Android", "/buy/?*"),
        .expression("/buy/.+", ".+", "wildcard", "/buy/?*"),
        .expression(#"/buy/\\d+"#, #"\\d+"#, "class", "/buy/?*"),
        .expression(#"^/buy/\\d+$"#, #"\\d+"#, "class", "/buy/?*"),
        .expression("/buy/[0-9]+", "[0-9]+", "class", "/buy/?*"),
        .expression("/buy/[0-9]{2}", "[0-9]{2}", "class", "/buy/$(digit)$(digit)"),
        .expression("/buy/[a-z]", "[a-z]", "class", "/buy/$(lower)"),
        .expression("/buy/[a-z]/x", "[a-z]", "class", "/buy/$(lower)/x"),
        .expression("/buy/[a-z]-x", "[a-z]", "class", "/buy/$(lower)-x"),
        .expression("/buy/[a-zA-Z_]", "[a-zA-Z_]", "class", "/buy/?"),
        .expression("/buy/[abc]", "[abc]", "class", "/buy/?"),
        .expression("/buy/a{1,3}", "{1,3}", "count"),
        .expression("/buy/a{3}", "{3}", "count"),
        .expression("/buy/a{2,}", "{2,}", "count"),
        .expression("/buy/.{4}", "{4}", "count"),
        .expression("/buy/{1,3}", "{1,3}", "shell", "/buy/1", "/buy/3"),
        .expression("/buy/[^/]+", "[^/]+", "class", "/buy/?*"),
        .expression("/buy/([a-z0-9-]+)", "([a-z0-9-]+)", "group", "/buy/?*"),
        .expression(#"/buy/(?<id>\\d+)"#, #"(?<id>\\d+)"#, "group", "/buy/?*"),
        .expression("/(?:en|de)/buy", "(?:en|de)", "group", "/en/buy", "/de/buy"),
        .expression("/(buy|sell)/*", "(buy|sell)", "choice", "/buy/*", "/sell/*"),
        .expression("/(en)?/buy", "(en)?", "group", "/buy", "/en/buy"),
        .expression("/{en,de}/buy", "{en,de}", "shell", "/en/buy", "/de/buy"),
        .expression("/en|de/buy", "en|de", "choice", "/en/buy", "/de/buy"),
        .expression("/en/buy|/de/buy", "/en/buy|/de/buy", "choice", "/en/buy", "/de/buy"),
        .expression(#"/index\\.html"#, #"\\."#, "escape", "/index.html"),
        .expression("/(?!admin).*", "(?!admin)", "condition"),
        .perhaps("/user/$id", "$id", "Remix", "/user/?*"),
        .perhaps("/users/:me", ":me", "Express", "/users/?*"),
        .perhaps("/users/:UserId/edit", ":UserId", "Rails", "/users/?*/edit"),
        .perhaps("/flights/:from-:to", ":from", "Vue", "/flights/?*-?*"),
        .perhaps("/users/:id,:name", ":id", "Express", "/users/?*,?*"),
        .perhaps("/user/$userId.json", "$userId", "Remix", "/user/?*.json"),
        .perhaps("/$lang/buy", "$lang", "Remix", "/$(lang)/buy"),
        .perhaps("/user/*id", "*id", "Rails", "/user/*"),
        .perhaps("/user/*userId", "*userId", "Rails", "/user/*"),
        .perhaps("/shop/(tabs)/orders", "(tabs)", "Expo", "/shop/orders"),
        .perhaps("/(app)/(feed)/orders", "(app)", "Expo", "/orders"),
        .perhaps("/a/%5Bid%5D", "%5Bid%5D", "Next.js", "/a/?*"),
        .perhaps("/a/%5bid%5d/x", "%5bid%5d", "Next.js", "/a/?*/x"),
        .perhaps("/a/%5B...slug%5D", "%5B...slug%5D", "Next.js", "/a/?*"),
        .perhaps("/a/%5B%5B...slug%5D%5D", "%5B%5B...slug%5D%5D", "Next.js", "/a/*"),
        .perhaps("/a/%3Aid", "%3Aid", "Express", "/a/?*"),
        // What opens the whole site is no advice.
        .perhaps("/:slug", ":slug", "Express"),
        .perhaps("/$splat", "$splat", "Remix"),
        .perhaps("/(tabs)/*", "(tabs)", "Expo"),
        .perhaps("/user/$id/edit", "$id", "TanStack", "/user/?*/edit"),
        .perhaps("/(tabs)/orders", "(tabs)", "Expo", "/orders"),
        .perhaps("/files/*path", "*path", "Express", "/files/*"),
    ]
}

extension AASASuite {
    @Suite("Lint of foreign notations")
    struct LintNotationTests {
        private func file(_ components: String) -> [UInt8] {
            Array(
                #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"components":[\#(components)]}]}}"#
                    .utf8)
        }

        @Test("a foreign notation is named, with the pattern to write", arguments: ForeignPattern.all)
        func found(_ foreign: ForeignPattern) throws {
            let findings = Linter.lint(file(#"{"/":"\#(foreign.pattern)"}"#)).findings
            // No other rule speaks about it, and nothing stands above it.
            let finding = try #require(findings.first)
            #expect(findings.map(\.rule) == [foreign.rule], "\(findings.map(\.message))")
            let text = #""\#(foreign.part)" in "\#(foreign.pattern)" is "#
            #expect(finding.message.hasPrefix(text) && finding.message.contains(foreign.word), "\(finding.message)")
            for pattern in foreign.advised { #expect(finding.fix.contains(#""\#(pattern)""#), "\(finding.fix)") }
            if foreign.advised.count == 1 {
                let condition = foreign.rule == "route-notation" ? "if no URL has this text, " : ""
                #expect(finding.fix == condition + #"write "\#(foreign.advised[0])""#)
            }
            if foreign.advised.isEmpty { #expect(!finding.fix.contains(#""/"#), "\(finding.fix)") }
            #expect(finding.severity == (foreign.rule == "route-notation" ? .warning : .error))
        }

        @Test("what is advised has no error", arguments: ForeignPattern.all.filter { !$0.advised.isEmpty })
        func advised(_ foreign: ForeignPattern) {
            let report = Linter.lint(file(foreign.advised.map { #"{"/":"\#($0)"}"# }.joined(separator: ",")))
            // "/?*" is broad, and it is what "/:id" means.
            let findings = report.findings.filter { $0.severity != .note && $0.rule != "broad-pattern" }
            #expect(findings.isEmpty, "\(findings.map(\.message))")
        }

        @Test("an exclusion in \"paths\" stays one in the advice")
        func exclusion() throws {
            let text = #"{"applinks":{"apps":[],"details":[{"appID":"D7KQ4ZW2MX.a","paths":["NOT /(a|b)/*","/*"]}]}}"#
            let finding = try #require(Linter.lint(Array(text.utf8)).findings.first)
            #expect(finding.fix == #"write one path for each: "NOT /a/*", "NOT /b/*""#)
        }

        @Test(
            "values of query items and fragments are read like paths",
            arguments: [
                (#"{"?":{"id":"{id}"}}"#, #"write "?*""#), (#"{"?":{"id":"[0-9]+"}}"#, #"write "?*""#),
                (#"{"?":"id={id}"}"#, #"write "id=?*""#), (##"{"#":"/buy/{id}"}"##, #"write "/buy/?*""#),
                (#"{"?":{"id":":id"}}"#, #"if no URL has this text, write "?*""#),
                (#"{"?":"id=:id"}"#, #"if no URL has this text, write "id=?*""#),
                (#"{"?":{"id":".*"}}"#, #"write "*""#),
            ])
        func parts(_ component: String, _ fix: String) {
            #expect(Linter.lint(file(component)).findings.map(\.fix) == [fix])
        }

        @Test(
            "what looks like one and may stand in a URL is let pass",
            arguments: [
                "/wiki/Foo_(bar)", "/wiki/Swift_(language)/*", "/wiki/Talk:Page", "/wiki/*(film)*", "/item;id=5",
                "/@user/*", "/~user/*", "/-/issues/*", "/.well-known/*", "/index.*", "/*.html", "/c++/*", "/$metadata",
                "/odata/$batch", "/stocks/$AAPL", "/a:b/c", "/12:30/*", "/lat/1.0,2.0", "/*/app", "*app", "/buy/????",
                "/$(lang)/*", "/$(lang)-$(region)/*", "/x/$(digit)$(digit)*", "/film/(500)_Days*", "/film/(500)", "/**",
                "/v1.0*", "/v1.*", "/Page(1)*", "/a,b/*", "/a+b/*", "/a'b", "/a!b", "/%C3%A9/*", "/*html",
                "/u/*profile",
                "/a.*b", "/(a)b/*",
                "/wiki/:Category:*", "/wiki/:category:*", "/wiki/:File.png", "/wiki/:Category", "/urn:isbn:*",
                "/wiki/(Foo)", "/wiki/(film)", "/wiki/(film)/*", "/(Foo)/x", "/film/(500)/*", "/$Cash", "/$cash",
                "/$cash/pay", "/pay/$Alice", "/*id", "/people/*Name", "/people/*FirstName", "/users/*user-id",
                "/users/*id-card", "/wiki/%5BFoo%5D", "/wiki/%3AFoo", "/list/[1]",
            ])
        func passed(_ pattern: String) {
            let rules = Linter.lint(file(#"{"/":"\#(pattern)"}"#)).findings.map(\.rule)
            #expect(!rules.contains { ["route-placeholder", "regular-expression", "route-notation"].contains($0) })
        }

        @Test(
            "queries and fragments have signs of their own",
            arguments: [
                #""?":{"a":"user:1"}"#, #""?":{"t":"12:30"}"#, #""?":"filter[name]=*""#, #""?":"ids[]=*""#,
                #""?":"a=b.*""#, ##""#":":~:text=*""##, ##""#":"!/buy/*""##, ##""#":"section(1)""##,
                #""/":"/a|b","percentEncoded":false"#, #""/":"/.*","exclude":true"#, #""/":"/*.php","exclude":true"#,
            ])
        func passedElsewhere(_ members: String) {
            let rules = Linter.lint(file("{\(members)}")).findings.map(\.rule)
            #expect(!rules.contains { ["route-placeholder", "regular-expression", "route-notation"].contains($0) })
        }
    }
}
