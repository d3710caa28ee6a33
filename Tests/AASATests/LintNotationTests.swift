// Paths written for a router, or as a regular expression.

import AASA
import Testing

extension AASASuite {
    @Suite("Lint of foreign notations")
    struct LintNotationTests {
        private func findings(_ component: String) -> [LintFinding] {
            let text =
                #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"components":[\#(component),{"/":"/buy"}]}]}}"#
            return Linter.lint(Array(text.utf8)).findings
        }

        @Test(
            "a foreign notation is named, and no other rule reports it",
            arguments: [
                ("/buy/:id", ":id"), ("/buy/:id?", ":id"), ("/:area/buy", ":area"), ("/flights/:from-:to", ":from"),
                ("/buy/{id}", "{id}"), ("/buy/{id:int}", "{id:int}"), ("/buy/{{ id }}", "{{ id }"),
                ("/buy/${id}", "{id}"), ("/{en,de}/buy", "{en,de}"), ("/buy/<int:id>", "<int:id>"),
                ("/buy/[id]", "[id]"), ("/buy/[...slug]", "[...slug]"), ("/buy/[0-9]+", "[0-9]"),
                ("/buy/[^/]+", "[^/]"), ("/(buy|sell)/*", "(buy|sell)"), ("/buy/(.*)", "(.*)"),
                ("/(?:en)/buy", "(?:en)"), (#"/buy/\\d+"#, #"\\d"#), (#"/index\\.html"#, #"\\."#), ("/buy/.*", ".*"),
                ("/buy/.+", ".+"), ("^/buy/x", "^"), ("/buy/x$", "$"), ("/en|de/buy", "|"),
                ("/$(lang)/{id}", "{id}"),
            ])
        func found(_ pattern: String, _ part: String) throws {
            let findings = findings(#"{"/":"\#(pattern)"}"#)
            #expect(findings.map(\.rule) == ["foreign-notation"], "\(findings.map(\.message))")
            #expect(findings.first?.message.hasPrefix(#""\#(part)" in "\#(pattern)" looks like"#) == true)
        }

        @Test("an entry that provably matches no URL has an error, too")
        func proven() {
            let text =
                #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"components":[{"/":"/buy/{id}"}]}]}}"#
            let report = Linter.lint(Array(text.utf8))
            #expect(Set(report.findings.map(\.rule)) == ["entry-opens-nothing", "foreign-notation"])
        }

        @Test(
            "a similar text that can occur in a URL is accepted",
            arguments: [
                "/wiki/Foo_(bar)", "/wiki/Talk:Page", "/wiki/*(film)*", "/item;id=5", "/@user/*", "/.well-known/*",
                "/index.*", "/$metadata", "/odata/$batch", "/stocks/$AAPL", "/a:b/c", "/12:30/*", "/lat/1.0,2.0",
                "/$(lang)/*", "/$(lang)", "/$(lang)-$(region)/*", "/film/(500)_Days*", "/v1.*", "/a.*b", "/(a)b/*",
                "/wiki/:Category:*", "/wiki/:category:*", "/wiki/:File.png", "/urn:isbn:*", "/list/[1]",
                "/wiki/%5BFoo%5D",
            ])
        func passed(_ pattern: String) {
            #expect(!findings(#"{"/":"\#(pattern)"}"#).contains { $0.rule == "foreign-notation" })
        }

        @Test(
            "queries, fragments and exclusions may use such characters",
            arguments: [
                #""?":{"a":"user:1"}"#, #""?":"filter[name]=*""#, #""?":"a=b.*""#, ##""#":":~:text=*""##,
                ##""#":"section(1)""##, #""/":"/a|b","percentEncoded":false"#, #""/":"/.*","exclude":true"#,
            ])
        func passedElsewhere(_ members: String) {
            #expect(!findings("{\(members)}").contains { $0.rule == "foreign-notation" })
        }
    }
}
