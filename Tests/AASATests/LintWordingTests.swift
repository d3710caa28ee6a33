// Wording that decides whether a finding helps.

import AASA
import Testing

extension AASASuite {
    @Suite("Lint wording")
    struct LintWordingTests {
        private func finding(_ rule: String, _ text: String) throws -> LintFinding {
            try #require(Linter.lint(Array(text.utf8)).findings.first { $0.rule == rule }, "\(rule): \(text)")
        }

        private func components(_ components: String) -> String {
            #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"components":["# + components + "]}]}}"
        }

        private func paths(_ paths: String) -> String {
            #"{"applinks":{"apps":[],"details":[{"appID":"D7KQ4ZW2MX.com.acme.shop","paths":["# + paths + "]}]}}"
        }

        @Test("a host or a query in a path says what devices compare")
        func comparison() throws {
            let host = try finding("host-in-path", paths(#""https://acme.com/a""#))
            #expect(host.message.contains(#"devices compare "/https:/acme.com/a/" with the path"#), "\(host.message)")
            let query = try finding("query-in-path", components(#"{"/":"/a?b=1"}"#))
            #expect(
                query.message.contains("here it means any one character, and the query is not compared"),
                "\(query.message)")
            #expect(query.fix == "put the query under \"?\"")
            let fragment = try finding("query-in-path", paths(##""/#/a""##))
            #expect(fragment.message.contains(##"a path ends before the URL's "#""##), "\(fragment.message)")
            #expect(fragment.fix.hasPrefix("write a component"))
        }

        @Test("\"percentEncoded\" is suggested for components, not for paths, which lack it")
        func encoding() throws {
            #expect(try finding("pattern-not-encoded", components(#"{"/":"/ü"}"#)).fix.contains("percentEncoded"))
            let path = try finding("pattern-not-encoded", paths(#""/ü""#))
            #expect(path.fix == "percent-encode it; \"paths\" has no other form")
        }

        private func file(_ component: String, _ variables: String) -> String {
            #"{"applinks":{"substitutionVariables":{\#(variables)},"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"#
                + #""components":[\#(component)]}]}}"#
        }

        @Test(
            "a variable's name is not checked as part of the pattern",
            arguments: ["Tür", "my var", "p%2f", #"\\b"#, "a#b", "a?b=c", "x\u{2013}y", "a&amp;b", "%20"])
        func names(_ name: String) {
            for component in [
                #"{"/":"/$(\#(name))"}"#, #"{"?":"a=$(\#(name))"}"#, ##"{"#":"$(\##(name))"}"##,
                #"{"/":"/$(\#(name))","percentEncoded":false}"#,
            ] {
                let report = Linter.lint(Array(file(component, #""\#(name)":["v"]"#).utf8))
                #expect(report.findings.map(\.message) == [], "\(component)")
            }
            let beside = Linter.lint(Array(file(#"{"/":"/ö/$(\#(name))"}"#, #""\#(name)":["v"]"#).utf8))
            #expect(beside.findings.map(\.rule) == ["pattern-not-encoded"])
        }

        @Test("a duplicate key does not claim which one devices read")
        func duplicateKey() throws {
            let message = try finding("json-duplicate-key", #"{"webcredentials":{"apps":[],"apps":[]}}"#).message
            #expect(message.contains("it is undefined which one devices read"), "\(message)")
        }

        @Test("a file nested deeper than our limit is called neither invalid nor ignored by devices")
        func depth() {
            let text = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
            let finding = Linter.lint(Array(text.utf8)).findings.first
            #expect(finding?.message.hasPrefix("the file was not checked: ") == true)
            #expect(finding?.message.hasSuffix("it is unknown whether devices read the file") == true)
        }

        @Test(
            "a fault that one rule explains is not reported twice",
            arguments: [
                #"{"?":{"ü":"?*"}}"#, #"{"?":{"a=1":"?*"}}"#, #"{"/":"/ü"}"#,
            ])
        func explained(_ component: String) throws {
            let text =
                #"{"applinks":{"substitutionVariables":{"v":["ü"]},"details":[{"appIDs":["A"],"components":["#
                + component + "]}]}}"
            let findings = Linter.lint(Array(text.utf8)).findings
            #expect(!findings.contains { $0.rule == "rule-matches-nothing" })
            #expect(findings.contains { $0.severity == .error && $0.rule != "app-id-format" })
        }

        @Test(
            "an impossible query item says what becomes of its rule",
            arguments: [
                (#"{"?":{"ü":"?*"}}"#, "query-item-name", "the rule never matches"),
                (#"{"?":{"ü":""}}"#, "query-item-name", "the condition holds for every URL"),
                (#"{"?":{"a=1":"*"}}"#, "query-item-name", "the condition holds for every URL"),
                (#"{"?":{"?a":"1"}}"#, "query-item-name", "the rule never matches"),
            ])
        func consequence(_ component: String, _ rule: String, _ words: String) throws {
            #expect(try finding(rule, components(component)).message.hasSuffix(words))
        }

        @Test("exclusions by default get advice about the default")
        func defaults() throws {
            let text =
                #"{"applinks":{"defaults":{"exclude":true},"details":[{"appIDs":["A"],"components":[{"/":"/a"}]}]}}"#
            #expect(try finding("entry-opens-nothing", text).fix == "remove \"exclude\" from \"defaults\"")
            let fix = try finding("entry-opens-nothing", paths(#""NOT /a""#)).fix
            #expect(fix == "add a path without NOT after the exclusions, for the URLs that the app opens")
        }

        @Test(
            "the variable that was probably meant is suggested",
            arguments: [
                ("foods", "food"), (" food ", "food"), ("Food", "food"), ("food-type", "foodType"), ("digits", "digit"),
                ("langs", "lang"), ("LANG", "lang"), ("language", "lang"), ("regions", "region"), ("country", "region"),
                ("drink", nil), ("f", nil),
            ])
        func meantVariable(_ name: String, _ meant: String?) throws {
            let text = file(#"{"/":"/eat/$(\#(name))"}"#, #""food":["taco"],"foodType":["a"]"#)
            let finding = try finding("undefined-variable", text)
            #expect(finding.message.hasSuffix(meant.map { "did you mean \"\($0)\"?" } ?? "never matches"))
            if let meant { #expect(finding.fix == #"write "/eat/$(\#(meant))""#) }
        }

        @Test(
            "the fix suggests the intended text",
            arguments: [
                (#"{"/":" /buy/*"}"#, "pattern-not-encoded", #"write "/buy/*""#),
                (#"{"?":{"utm_*":"?*"}}"#, "query-item-name", #"or a pattern for the whole query as "?""#),
                (#"{"?":{"ü":"?*"}}"#, "query-item-name", #"or set "percentEncoded": false"#),
                (#"{"/":"/a","?":{"b":["c"]}}"#, "component-type", "or a substitution variable"),
                (#"{"/":"/%20","percentEncoded":false}"#, "pattern-escape", #"or remove "percentEncoded": false"#),
                (#"{"/":"NOT /a"}"#, "malformed-not", #"write {"/": "/a", "exclude": true}"#),
            ])
        func advice(_ component: String, _ rule: String, _ fix: String) throws {
            let finding = try finding(rule, components(component))
            #expect(finding.fix.hasSuffix(fix), "\(finding.fix)")
        }

        @Test(
            "an exclusion that matches missing items is the only finding, with its own fix",
            arguments: [
                (#"{"?":{"a[]":"*"},"exclude":true},{"/":"/a"}"#, "exclusion-takes-missing-item", "*"),
                (#"{"?":{"a":"**"},"exclude":true},{"/":"/a"},{"/":"/b"}"#, "exclusion-takes-missing-item", "**"),
                (
                    #"{"/":"/a/*","?":{"a":"*"},"exclude":true},{"/":"/a/b"},{"/":"/c"}"#,
                    "exclusion-takes-missing-item", "*"
                ),
                (#"{"?":"**","exclude":true},{"/":"/a"}"#, "exclusion-takes-missing-item", "**"),
                (##"{"#":"**","exclude":true},{"/":"/a"},{"/":"/b"}"##, "exclusion-takes-missing-item", "**"),
                (#"{"?":"*","exclude":true},{"/":"/a"}"#, "exclusion-takes-missing-item", "*"),
            ])
        func takesMissing(_ components: String, _ rule: String, _ value: String) {
            let findings = Linter.lint(Array(self.components(components).utf8)).findings
            #expect(findings.map(\.rule) == [rule], "\(findings.map(\.message))")
            #expect(findings.first?.fix == #"write "?*" in place of "\#(value)""#)
            #expect(findings.first?.message.hasPrefix(#""\#(value)" also matches "#) == true)
        }

        @Test("an entry of exclusions names only the apps that no other entry opens")
        func shutApps() throws {
            let text =
                #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.a","D7KQ4ZW2MX.b"],"components":[{"/":"/a","exclude":true}]},"#
                + #"{"appIDs":["D7KQ4ZW2MX.a"],"components":[{"/":"/b"}]}]}}"#
            let message = try finding("entry-opens-nothing", text).message
            #expect(message == #"all rules of this entry are exclusions; "D7KQ4ZW2MX.b" opens no URL"#)
        }

        @Test(
            "an invalid app ID has a reason",
            arguments: [
                ("com", "it has no bundle ID"), ("", "it is empty"), ("A b", "it contains a space"),
                ("com.acme", "only a bundle ID"),
                ("D7KQ4ZW2MX.com.acme ", "it contains a space"), ("D7KQ4ZW2MX.*", "it contains a wildcard"),
                ("D7KQ4ZW2MX.", "empty part"), (".com.acme", "begins with a dot"),
            ])
        func appID(_ text: String, _ reason: String) {
            #expect(AppID.fault(in: text)?.contains(reason) == true, "\(AppID.fault(in: text) ?? "none")")
        }

        @Test(
            "a well-formed app ID has no fault, even an example's",
            arguments: ["ABCDE12345.com.example.app", "D7KQ4ZW2MX.a"])
        func goodAppID(_ text: String) { #expect(AppID.fault(in: text) == nil) }
    }
}
