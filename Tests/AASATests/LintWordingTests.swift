// What findings say where the words decide whether they help.

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

        @Test("what is compared with a host or a query in a path is told")
        func comparison() throws {
            let host = try finding("host-in-path", paths(#""https://acme.com/a""#))
            #expect(host.message.contains(#"devices compare "/https:/acme.com/a/" with the path"#), "\(host.message)")
            let query = try finding("query-in-path", components(#"{"/":"/a?b=1"}"#))
            #expect(query.message.contains("'?' of a pattern stands for any one character"), "\(query.message)")
            #expect(query.fix == "move it to \"?\" or \"#\" of a component")
            let fragment = try finding("query-in-path", paths(##""/#/a""##))
            #expect(fragment.message.contains("which ends before the URL's '#'"), "\(fragment.message)")
            #expect(fragment.fix.hasPrefix("write a component"))
        }

        @Test("\"percentEncoded\" is advised to components, and not to paths, which do not have it")
        func encoding() throws {
            #expect(try finding("pattern-not-encoded", components(#"{"/":"/ü"}"#)).fix.contains("percentEncoded"))
            let path = try finding("pattern-not-encoded", paths(#""/ü""#))
            #expect(path.fix == "percent-encode it; \"paths\" has no other form")
        }

        @Test(
            "a rule that matches nothing has its reason where one is known",
            arguments: [
                (#"{"/":"/users/a^b"}"#, ##"'^' in "/users/a^b" stands in URLs as %5E only"##),
                (#"{"?":{"a":"1&b=2"}}"#, ##"'&' in "1&b=2" ends the value of a query item"##),
                (##"{"?":"a#b"}"##, ##"'#' in "a#b" ends the query of a URL"##),
                (#"{"/":"/100%/a"}"#, ##"'%' in "/100%/a" is not followed by two hexadecimal digits"##),
            ])
        func reason(_ component: String, _ reason: String) throws {
            let finding = try finding("rule-matches-nothing", components(component + #",{"/":"/other"}"#))
            #expect(finding.message == "no URL can match this rule: " + reason)
            // Where it is the only rule, that the entry opens nothing is told with the reason, at the rule.
            let alone = Linter.lint(Array(components(component).utf8)).findings
            #expect(alone.map(\.rule) == ["entry-opens-nothing"])
            #expect(alone.first?.message.hasPrefix("no URL can match this rule: " + reason) == true)
            #expect(alone.first?.range == finding.range)
        }

        private func file(_ component: String, _ variables: String) -> String {
            #"{"applinks":{"substitutionVariables":{\#(variables)},"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"#
                + #""components":[\#(component)]}]}}"#
        }

        @Test(
            "the name of a variable is none of the pattern's characters",
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

        @Test(
            "a slash that a variable's values double is the reason, and taking it off works",
            arguments: [
                ("$(v)/x", "/a", #"begin with a slash, and devices put one in front of "$(v)/x""#),
                ("/$(v)/x", "/a", "begin with a slash, and one stands in front of the variable"),
                ("/x/$(v)", "a/", #"end with a slash, and devices put one behind "/x/$(v)""#),
                ("/$(v)/x", "a/", "end with a slash, and one stands behind the variable"),
            ])
        func doubledSlash(_ pattern: String, _ value: String, _ reason: String) throws {
            let component = #"{"/":"\#(pattern)"}"#
            let finding = try finding(
                "rule-matches-nothing", file(component + #",{"/":"/other"}"#, #""v":["\#(value)"]"#))
            let start = #"no URL can match this rule: the values of the variable "v" "#
            #expect(finding.message.hasPrefix(start + reason), "\(finding.message)")
            #expect(finding.fix.hasPrefix("take the slash off the "))
            let mended = Linter.lint(Array(file(component, #""v":["a"]"#).utf8))
            #expect(!mended.findings.contains { $0.rule == "rule-matches-nothing" })
        }

        @Test("a pattern is not to be written as devices read it where that keeps values that match nothing")
        func normalized() throws {
            let fix = try finding("pattern-normalized", file(#"{"/":"$(v)/x"}"#, #""v":["/a","b"]"#)).fix
            #expect(fix == #"take the slash off the beginning of the values of "v", and write it as devices read it"#)
            let plain = try finding("pattern-normalized", file(#"{"/":"$(v)/x"}"#, #""v":["a"]"#)).fix
            #expect(plain == "write it as devices read it")
        }

        @Test("of two equal keys it is not said which one devices read")
        func duplicateKey() throws {
            let message = try finding("json-duplicate-key", #"{"webcredentials":{"apps":[],"apps":[]}}"#).message
            #expect(message.contains("which of the two a device reads is undefined"), "\(message)")
        }

        @Test("nesting beyond what is read here is not called invalid, nor ignored by devices")
        func depth() {
            let text = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
            let finding = Linter.lint(Array(text.utf8)).findings.first
            #expect(finding?.message.hasPrefix("the file is not judged: ") == true)
            #expect(finding?.message.hasSuffix("whether devices read it is not known") == true)
        }

        @Test("a variable without a value is the reason where it is")
        func emptyVariable() throws {
            let text =
                #"{"applinks":{"substitutionVariables":{"a":[]},"details":[{"appID":"A","paths":["/$(a)/^x","/b"]}]}}"#
            let finding = try finding("rule-matches-nothing", text)
            #expect(finding.message == #"no URL can match this rule: the variable "a" in "/$(a)/^x" has no value"#)
        }

        @Test(
            "what another rule explains is not told twice",
            arguments: [
                #"{"?":{"ü":"?*"}}"#, #"{"?":{"a=1":"?*"}}"#, #"{"?":{"a":"1&amp;b=2"}}"#, #"{"/":"/$(v)"}"#,
                #"{"/":"/ü"}"#,
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
            "an item that no URL has is told with what becomes of its rule",
            arguments: [
                (#"{"?":{"ü":"?*"}}"#, "query-name-not-encoded", "the rule never matches"),
                (#"{"?":{"ü":""}}"#, "query-name-not-encoded", "the condition holds for every URL"),
                (#"{"?":{"a=1":"*"}}"#, "query-item-name", "the condition holds for every URL"),
                (#"{"?":{"?a":"1"}}"#, "query-item-name", "the rule never matches"),
            ])
        func consequence(_ component: String, _ rule: String, _ words: String) throws {
            #expect(try finding(rule, components(component)).message.hasSuffix(words))
        }

        @Test("a leading sign is taken out in the advice")
        func leadingSign() throws {
            #expect(try finding("leading-sign", components(#"{"?":"?a=1"}"#)).fix == #"write "a=1""#)
            #expect(try finding("leading-sign", components(##"{"#":"#"}"##)).fix == "take the sign out")
        }

        @Test("exclusions by default are told by their cause")
        func defaults() throws {
            let text =
                #"{"applinks":{"defaults":{"exclude":true},"details":[{"appIDs":["A"],"components":[{"/":"/a"}]}]}}"#
            #expect(try finding("entry-opens-nothing", text).fix == "take \"exclude\" out of \"defaults\"")
            let fix = try finding("entry-opens-nothing", paths(#""NOT /a""#)).fix
            #expect(fix == "add a path without NOT behind the exclusions, for the URLs that the app opens")
        }

        @Test(
            "the variable that was probably meant is named",
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
            "the advice writes what was meant",
            arguments: [
                (#"{"/":" /buy/*"}"#, "pattern-blank", #"write "/buy/*""#),
                (
                    #"{"/":"/buy/*, /sell/*"}"#, "pattern-several",
                    #"write a component for each: {"/": "/buy/*"}, {"/": "/sell/*"}"#
                ),
                (
                    #"{"/":"/buy, /sell","?":{"id":"?*"}}"#, "pattern-several",
                    #"{"/": "/buy"}, {"/": "/sell"}; keep the other keys in each"#
                ),
                (#"{"?":"utm_source"}"#, "query-without-value", #"write "?": {"utm_source": "?*"}"#),
                (#"{"?":{"*":"?*"}}"#, "query-item-name", #"write "?": "?*" for any query"#),
                (
                    #"{"?":{"utm_*":"?*"}}"#, "query-item-name",
                    #"or "?": "*utm_*=?*", which is compared with the whole query"#
                ),
                (
                    #"{"?":{"utm_*":"x"}}"#, "query-item-name",
                    #"or "?": "*utm_*=x*", which is compared with the whole query"#
                ),
                (#"{"?":{"*":"x"}}"#, "query-item-name", #"or "?": "*=x*", which is compared with the whole query"#),
                (
                    #"{"?":{"utm_?":"x"}}"#, "query-item-name",
                    #"or "?": "*utm_?=x*", which is compared with the whole query"#
                ),
                (
                    #"{"?":{"$(lang)":"?*"}}"#, "query-item-name",
                    #"or "?": "*$(lang)=?*", which is compared with the whole query"#
                ),
                (#"{"?":{"$(x)":"?*"}}"#, "query-item-name", "write an item for each name"),
                (#"{"?":{"utm_?":"*"}}"#, "query-item-without-effect", #""?*" asks for a value"#),
                (#"{"/":"NOT /a"}"#, "malformed-not", #"write {"/": "/a", "exclude": true}"#),
            ])
        func advice(_ component: String, _ rule: String, _ fix: String) throws {
            let finding = try finding(rule, components(component))
            #expect(finding.fix.hasSuffix(fix), "\(finding.fix)")
        }

        @Test(
            "exclusions of several paths stay exclusions, and one finding says it",
            arguments: [
                (
                    #"{"/":"NOT /a, NOT /b"}"#,
                    #"write a component for each: {"/": "/a", "exclude": true}, {"/": "/b", "exclude": true}"#
                ),
                (
                    #"{"/":"NOT /a, /b"}"#, #"write a component for each: {"/": "/a", "exclude": true}, {"/": "/b"}"#
                ),
                (
                    #"{"/":"/a, /b","exclude":true},{"/":"/*"}"#,
                    #"write a component for each: {"/": "/a", "exclude": true}, {"/": "/b", "exclude": true}"#
                ),
            ])
        func severalExclusions(_ component: String, _ fix: String) {
            let findings = Linter.lint(Array(components(component).utf8)).findings.filter { $0.severity == .error }
            #expect(findings.map(\.rule) == ["pattern-several"])
            #expect(findings.first?.fix == fix)
        }

        @Test(
            "a list without blanks is one where each path is whole",
            arguments: [
                ("/buy/*,/sell/*", true), ("/buy,/sell", true), ("/buy/;/sell", true), ("/maps/@1, /x", true),
                ("/maps/@1,/x", false), ("/maps/1,/x", false), ("/maps/@*,/x", false), ("/a,b/*", false),
            ])
        func lists(_ path: String, _ isList: Bool) {
            let rules = Linter.lint(Array(components(#"{"/":"\#(path)"}"#).utf8)).findings.map(\.rule)
            #expect(rules.contains("pattern-several") == isList)
        }

        @Test(
            "an exclusion that takes what is missing is the only cause, with its own advice",
            arguments: [
                (#"{"?":{"a[]":"*"},"exclude":true},{"/":"/a"}"#, "exclusion-takes-missing-item", "*"),
                (#"{"?":{"a":"**"},"exclude":true},{"/":"/a"},{"/":"/b"}"#, "exclusion-takes-missing-item", "**"),
                (
                    #"{"/":"/a/*","?":{"a":"*"},"exclude":true},{"/":"/a/b"},{"/":"/c"}"#,
                    "exclusion-takes-missing-item", "*"
                ),
                (#"{"?":"**","exclude":true},{"/":"/a"}"#, "exclusion-takes-all", "**"),
                (##"{"#":"**","exclude":true},{"/":"/a"},{"/":"/b"}"##, "exclusion-takes-all", "**"),
                (#"{"?":"*","exclude":true},{"/":"/a"}"#, "exclusion-takes-all", "*"),
            ])
        func takesMissing(_ components: String, _ rule: String, _ value: String) {
            let findings = Linter.lint(Array(self.components(components).utf8)).findings
            #expect(findings.map(\.rule) == [rule], "\(findings.map(\.message))")
            #expect(findings.first?.fix == #"write "?*" in place of "\#(value)""#)
            #expect(findings.first?.message.hasPrefix(#""\#(value)" takes "#) == true)
        }

        @Test("of two exclusions that hide a rule together each is told")
        func takesMissingTogether() {
            let text = components(
                #"{"/":"/a*","?":"*","exclude":true},{"/":"/b*","?":"*","exclude":true},{"/":"/$(v)"},{"/":"/c"}"#
            ).replacing(#""details""#, with: #""substitutionVariables":{"v":["a","b"]},"details""#)
            #expect(
                Linter.lint(Array(text.utf8)).findings.map(\.rule) == ["exclusion-takes-all", "exclusion-takes-all"])
        }

        @Test("several IDs and paths of one string are written apart in the advice")
        func several() throws {
            let ids = try finding("app-id-several", #"{"webcredentials":{"apps":["D7KQ4ZW2MX.a, D7KQ4ZW2MX.b"]}}"#)
            #expect(ids.fix == #"write "D7KQ4ZW2MX.a", "D7KQ4ZW2MX.b""#)
            let blank = try finding("app-id-blank", #"{"webcredentials":{"apps":[" D7KQ4ZW2MX.a"]}}"#)
            #expect(blank.fix == #"write "D7KQ4ZW2MX.a""#)
            let excluded = try finding("pattern-several", paths(#""NOT /a, NOT /b","/*""#))
            #expect(excluded.fix == #"write "NOT /a", "NOT /b""#)
        }

        @Test("an entry whose apps are opened by another entry is said to shut the others alone")
        func shutApps() throws {
            let text =
                #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.a","D7KQ4ZW2MX.b"],"components":[{"/":"/a","exclude":true}]},"#
                + #"{"appIDs":["D7KQ4ZW2MX.a"],"components":[{"/":"/b"}]}]}}"#
            let message = try finding("entry-opens-nothing", text).message
            #expect(message == #"all rules of this entry exclude; "D7KQ4ZW2MX.b" opens no URL"#)
        }

        @Test("of exclusions that are too many to be judged it is said that they were not", arguments: [20, 320])
        func manyExclusions(_ count: Int) {
            let rules = (0..<count).map { #"{"/":"/p\#($0)/*/x"}"# }
            let report = Linter.lint(
                Array(components(#"{"/":"*/help","exclude":true},"# + rules.joined(separator: ",")).utf8))
            let isJudged = report.findings.contains { $0.rule == "exclusion-without-effect" }
            let isTold = report.findings.contains { $0.message.hasPrefix("whether each exclusion has an effect") }
            #expect(isJudged != isTold)
            #expect(isJudged || count > 300)
        }

        @Test(
            "a text that can be no app's ID has its reason",
            arguments: [
                ("com", "it has no bundle id"), ("", "it is empty"), ("A b", "it holds a blank"), ("com.acme", "alone"),
                ("D7KQ4ZW2MX.com.acme ", "it holds a blank"), ("D7KQ4ZW2MX.*", "it holds a wildcard"),
                ("D7KQ4ZW2MX.", "empty part"), (".com.acme", "begins with a dot"),
            ])
        func appID(_ text: String, _ reason: String) {
            #expect(AppID.fault(in: text)?.contains(reason) == true, "\(AppID.fault(in: text) ?? "none")")
        }

        @Test(
            "a well-formed app ID has no fault, be it an example's",
            arguments: ["ABCDE12345.com.example.app", "D7KQ4ZW2MX.a"])
        func goodAppID(_ text: String) { #expect(AppID.fault(in: text) == nil) }
    }
}
