import AASA
import Testing

extension AASASuite {
    /// Files that are right: a finding on one of them is a false alarm. The archived guide's own example has an exclusion
    /// that excludes nothing, which is a finding; here it is made one that does.
    @Suite("Lint on correct files")
    struct LintCleanFileTests {
        /// Apple's documented examples, with a prefix and a bundle id of a real shape: those of the pages are placeholders.
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

        @Test("Apple's documented examples have no finding at all", arguments: files.map(\.text))
        func documented(_ text: String) {
            let report = Linter.lint(Array(text.utf8))
            #expect(report.findings.isEmpty, "\(report.findings.map { "\($0.start): \($0.message) [\($0.rule)]" })")
            #expect(report.isValid && report.file != nil)
        }

        @Test("the examples as they stand in the documentation bear placeholders, and no error")
        func verbatim() {
            for (_, text) in Self.files {
                let text = text.replacing("D7KQ4ZW2MX.com.acme", with: "ABCDE12345.com.example")
                let report = Linter.lint(Array(text.utf8))
                #expect(report.isValid)
                #expect(report.findings.allSatisfy { $0.rule == "app-id-example" })
            }
        }
    }
}
