import AASA
import Testing

extension AASASuite {
    /// Correct files: any finding is a false alarm. The example of Apple's archived guide has an exclusion that
    /// excludes nothing, which is a finding. Here the exclusion has an effect.
    @Suite("Lint on correct files")
    struct LintCleanFileTests {
        /// Apple's documented examples, with a realistic team ID and bundle ID instead of the placeholders.
        static let files: [(source: String, text: String)] = [
            (
                "Supporting associated domains",
                ##"""
                {
                  "applinks": {
                    "details": [{
                      "appIDs": ["D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.shop2"],
                      "components": [
                        {"#": "no_universal_links", "exclude": true, "comment": "Matches any URL with a fragment …"},
                        {"/": "/buy/*", "comment": "Matches any URL with a path that starts with /buy/."},
                        {"/": "/help/website/*", "exclude": true, "comment": "Matches any URL with a path …"},
                        {"/": "/help/*", "?": {"articleNumber": "????"}, "comment": "Matches any URL with a path …"}
                      ]
                    }]
                  },
                  "webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]},
                  "appclips": {"apps": ["D7KQ4ZW2MX.com.acme.shop.Clip"]}
                }
                """##
            ),
            (
                "WWDC 2019, 717: for iOS 12 and 13",
                """
                {"applinks": {"apps": [], "details": [{
                  "appID": "D7KQ4ZW2MX.com.acme.shop", "appIDs": ["D7KQ4ZW2MX.com.acme.shop"],
                  "paths": ["NOT /help/website/*", "/help/*"],
                  "components": [{"/": "/help/website/*", "exclude": true}, {"/": "/help/*"}]
                }]}}
                """
            ),
            (
                "WWDC 2020, 10098: defaults, case, Unicode, variables",
                """
                {"applinks": {
                  "defaults": {"caseSensitive": false},
                  "substitutionVariables": {"food": ["burrito", "pizza", "sushi", "samosa"], "Canadian region": ["AB", "BC"]},
                  "details": [{
                    "appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "defaults": {"percentEncoded": false},
                    "components": [
                      {"/": "/$(lang)_$(region)/$(food)/"}, {"/": "/$(lang)_CA/$(Canadian region)/*"},
                      {"/": "/rezepte/Käse/*"}, {"/": "/sourdough/?*"}
                    ]
                  }]
                }}
                """
            ),
            (
                "Supporting universal links (archived)",
                """
                {"applinks": {"apps": [], "details": [
                  {"appID": "9JA89QQLNQ.com.apple.wwdc", "paths": ["/wwdc/news/", "/videos/wwdc/2015/*"]},
                  {"appID": "D7KQ4ZW2MX.com.apple.wwdc", "paths": ["NOT /2016/201?", "/2016/*"]}
                ]}}
                """
            ),
            ("webcredentials alone", #"{"webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#),
            ("authsrv", #"{"authsrv": {"apps": ["D7KQ4ZW2MX.com.acme.sso.extension"]}}"#),
            (
                "a hash router",
                ##"{"applinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"#": "/x/*"}]}]}}"##
            ),
        ]

        @Test("Apple's documented examples have no finding except one about iOS 12", arguments: files.map(\.text))
        func documented(_ text: String) {
            let report = Linter.lint(Array(text.utf8))
            #expect(
                report.findings.allSatisfy { $0.rule == "paths-beside-components" },
                "\(report.findings.map { "\($0.start): \($0.message) [\($0.rule)]" })")
            #expect(report.isValid && report.file != nil)
        }

        private static func components(_ components: String, _ more: String = "") -> String {
            #"{"applinks":{\#(more)"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"components":[\#(components)]}]}}"#
        }

        private static func paths(_ paths: String) -> String {
            #"{"applinks":{"apps":[],"details":[{"appID":"D7KQ4ZW2MX.com.acme.shop","paths":[\#(paths)]}]}}"#
        }

        /// Correct files, some of them more careful than necessary.
        static let carefulFiles: [String] = [
            // The whole site, in careful notation.
            paths(#""*""#), paths(#""/*""#), paths(#""*","/""#), paths(#""*","/*""#), paths(#""/","/*","*""#),
            paths(#""NOT /e/*","*","/""#), components(#"{"/":"*"},{"/":"/"}"#), components(#"{"/":"/*"}"#),
            // A page with and without its subpages.
            paths(#""/buy","/buy/*""#), paths(#""/buy/*","/buy""#), paths(#""/buy","/buy/","/buy/*""#),
            paths(#""/buy*","/buy","/buy/*""#), components(#"{"/":"/buy"},{"/":"/buy/"}"#),
            // Exclusions of URLs that no rule opens.
            paths(#""NOT /admin/*","NOT /api/*","NOT /login","/buy/*""#),
            components(#"{"/":"/admin/*","exclude":true},{"/":"/api/*","exclude":true},{"/":"/buy/*"}"#),
            components(#"{"/":"/buy/*"},{"/":"*","exclude":true}"#),
            components(##"{"/":"/buy/*"},{"/":"*","?":"*","#":"*","exclude":true}"##),
            paths(#""/buy/*","NOT *""#),
            // Exclusions that have an effect.
            components(##"{"#":"nolinks","exclude":true},{"/":"/*"}"##),
            components(##"{"#":"?*","exclude":true},{"/":"/*"}"##),
            components(#"{"?":{"nolink":"?*"},"exclude":true},{"/":"/*"}"#),
            components(#"{"?":"?*","exclude":true},{"/":"/buy/*"}"#),
            components(##"{"/":"/help/*","?":"*","#":"*","exclude":true},{"/":"/*"}"##),
            components(#"{"/":"/*.pdf","exclude":true},{"/":"/docs/*"}"#),
            components(#"{"/":"/.*","exclude":true},{"/":"/*"}"#),
            paths(#""NOT /*.php","NOT /wp-admin/*","/*""#),
            // Queries and fragments.
            components(#"{"/":"/buy","?":{"id":"?*"}}"#), components(#"{"/":"/buy","?":"id=*"}"#),
            components(#"{"/":"/buy","?":"*utm_source=*"}"#), components(#"{"/":"/buy","?":"preview"}"#),
            components(#"{"/":"/buy","?":""}"#), components(#"{"/":"/list","?":"filter[name]=*"}"#),
            components(#"{"/":"/list","?":{"filter[]":"?*","t":"12:30","user":"a:b"}}"#),
            components(##"{"#":"/buy/*"},{"#":"!/sell/*"},{"#":"section(1)"}"##),
            // Characters that are special in other notations.
            components(
                #"{"/":"/wiki/Foo_(bar)"},{"/":"/film/(500)_Days"},{"/":"/wiki/Talk:Page"},{"/":"/stocks/$AAPL"}"#),
            components(#"{"/":"/@user/*"},{"/":"/~user/*"},{"/":"/-/issues/*"},{"/":"/c++/*"},{"/":"/index.*"}"#),
            components(#"{"/":"/lat/1.0,2.0"},{"/":"/item;id=5"},{"/":"/12:30/*"},{"/":"/odata/$metadata"}"#),
            components(#"{"/":"/wiki/:Category:*"},{"/":"/wiki/(Foo)"},{"/":"/$Cash"},{"/":"/film/(500)/*"}"#),
            components(#"{"/":"/maps/@1,/x"},{"/":"/maps/@*,/x"},{"/":"/at/1,/*"},{"/":"/wiki/%5BFoo%5D"}"#),
            components(#"{"/":"/*.html"},{"/":"/*html"},{"/":"/*-p123"},{"/":"/shop/*-id"},{"/":"/*id"}"#),
            components(#"{"?":{"a[]":"?*"},"exclude":true},{"/":"/*"}"#),
            components(#"{"/":"/list","?":{"a$b":"?*"}},{"/":"/q","?":{"a?b":"?*"},"percentEncoded":false}"#),
            paths(#""/a,b/*","/1,2","/a;b""#), paths(#""/id/????","/v?.?/*","/*/reviews","/buy/*/reviews/*""#),
            components(#"{"/":"/a|b","percentEncoded":false},{"/":"/red shoes/*","percentEncoded":false}"#),
            components(#"{"/":"/caf%C3%A9/*"},{"/":"/Käse/*","percentEncoded":false}"#),
            components(#"{"/":"/BUY/*","caseSensitive":false,"comment":"any case; {id} and :id are the server's"}"#),
            // Variables.
            components(#"{"/":"/$(lang)/*"},{"/":"/$(lang)-$(region)/buy"},{"/":"/order/$(digit)$(digit)"}"#),
            components(
                #"{"/":"/eat/$(food)/*"},{"/":"/$(food)"}"#, #""substitutionVariables":{"food":["taco","burrito-*"]},"#),
            // Apps and services.
            #"{"applinks":{"apps":[],"details":[{"appID":"D7KQ4ZW2MX.com.acme.a","paths":["NOT /b/*","/a/*"]},{"appID":"D7KQ4ZW2MX.com.acme.b","paths":["/b/*"]}]}}"#,
            #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.undefined-behaviour","D7KQ4ZW2MX.com.null-pointer.a","D7KQ4ZW2MX.com.none.a"],"components":[{"/":"/a/*"}]}]}}"#,
            #"{"webcredentials":{"apps":["D7KQ4ZW2MX.com.acme.shop"]},"appclips":{"apps":["D7KQ4ZW2MX.com.acme.shop","D7KQ4ZW2MX.com.acme.shop.Clip"]}}"#,
            #"{"applinks":{"apps":[],"details":[{"appID":"D7KQ4ZW2MX.com.acme.a","appIDs":["D7KQ4ZW2MX.com.acme.a"],"paths":["/a/*"],"components":[{"/":"/a/*"}]}]},"activitycontinuation":{"apps":["D7KQ4ZW2MX.com.acme.a"]}}"#,
            #"{"comment":"made by hand","applinks":{"comment":"x","details":[{"comment":"y","appIDs":["D7KQ4ZW2MX.com.acme.a"],"components":[{"/":"/a/*","comment":"z"}]}]}}"#,
        ]

        @Test("a correct file has at most notes", arguments: carefulFiles)
        func correct(_ text: String) {
            let findings = Linter.lint(Array(text.utf8)).findings.filter { $0.severity != .note }
            #expect(findings.isEmpty, "\(findings.map { "\($0.start): \($0.message) [\($0.rule)]" })")
        }

        @Test("the documentation's examples verbatim have placeholder notes and no error")
        func verbatim() {
            for (_, text) in Self.files {
                let text = text.replacing("D7KQ4ZW2MX.com.acme", with: "ABCDE12345.com.example")
                let report = Linter.lint(Array(text.utf8))
                #expect(report.isValid)
                #expect(report.findings.allSatisfy { ["app-id-example", "paths-beside-components"].contains($0.rule) })
            }
        }
    }
}
