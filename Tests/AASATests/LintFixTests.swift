import Foundation
import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    /// `lint --fix` applies fixes that have one right answer, and changes nothing else.
    @Suite("Lint fixes")
    struct LintFixTests {
        private static let app = "D7KQ4ZW2MX.com.acme.shop"

        struct Case: Sendable, CustomTestStringConvertible {
            let rule: String
            let text: String
            let fixed: String
            var testDescription: String { rule + ": " + text.prefix(60) }

            init(_ rule: String, _ text: String, _ fixed: String) {
                (self.rule, self.text, self.fixed) = (rule, text, fixed)
            }

            /// Part of a component's list, or of an entry.
            static func components(_ rule: String, _ text: String, _ fixed: String) -> Case {
                entry(rule, "\"components\": [\(text)]", "\"components\": [\(fixed)]")
            }

            static func entry(_ rule: String, _ text: String, _ fixed: String) -> Case {
                let start = "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"],\r\n\t"
                return Case(rule, start + text + "}]}}\r\n", start + fixed + "}]}}\r\n")
            }

            static func credentials(_ rule: String, _ text: String, _ fixed: String) -> Case {
                Case(rule, "{\"webcredentials\":{\"apps\":\(text)}}", "{\"webcredentials\":{\"apps\":\(fixed)}}")
            }
        }

        static let cases: [Case] = [
            .components("json-syntax", #"{"/": "/a/*"},"#, #"{"/": "/a/*"}"#),
            .components(
                "json-syntax", #"{"/": "/a/*",}, ] , "defaults": {"caseSensitive": true},"x": [1"#,
                #"{"/": "/a/*"} ] , "defaults": {"caseSensitive": true},"x": [1"#),
            .components(
                "json-syntax", "{\"/\": \"/a/*\"}\n  {\"/\": \"/b/*\"}", "{\"/\": \"/a/*\"},\n  {\"/\": \"/b/*\"}"),
            .components("json-syntax", "{“/”: “/women’s/*”}", #"{"/": "/women’s/*"}"#),
            .components("json-syntax", "{'/': '/a/*', 'comment': 'it’s'}", #"{"/": "/a/*", "comment": "it’s"}"#),
            .components(
                "json-syntax", "{\"/\"\u{FF1A} \"/a/*\"\u{FF0C}\u{A0}\"#\": \"b\"}", "{\"/\": \"/a/*\", \"#\": \"b\"}"),
            .credentials("byte-order-mark", "[\"\(app)\"]", "[\"\(app)\"]").withMark,
            .credentials("app-id-blank", "[\" \(app)\\n\"]", "[\"\(app)\"]"),
            .credentials("app-id-duplicate", "[\"\(app)\",\n \"\(app)\"]", "[\"\(app)\"]"),
            .credentials("service-without-apps", "\"\(app)\"", "[\"\(app)\"]"),
            .components("json-duplicate-key", #"{"/": "/a/*", "/" : "/a/*"}"#, #"{"/": "/a/*"}"#),
            .components(
                "rule-unreachable", #"{"/": "/a/*"} , {"/":"/a/*"}, {"/": "/b"}"#, #"{"/": "/a/*"}, {"/": "/b"}"#),
            .components(
                "component-type", #"{"/": "/a/*", "exclude": "True"}, {"/": "/b"}"#,
                #"{"/": "/a/*", "exclude": true}, {"/": "/b"}"#),
            .components(
                "component-type", #"{"/": "/a/*", "caseSensitive": 0}"#, #"{"/": "/a/*", "caseSensitive": false}"#),
            .components(
                "exclude-not-read", #"{"/": "/a/*", "Exclude ": true}, {"/": "/b"}"#,
                #"{"/": "/a/*", "exclude": true}, {"/": "/b"}"#),
            .components("misspelt-key", #"{"/ ": "/a/*"}"#, #"{"/": "/a/*"}"#),
            .components("pattern-not-encoded", #"{"/": " /a/* "}"#, #"{"/": "/a/*"}"#),
            .components("pattern-normalized", #"{"/": "a//b/**"}"#, #"{"/": "/a/b/*"}"#),
            .entry("misspelt-key", #""Components": [{"/": "/a/*"}]"#, #""components": [{"/": "/a/*"}]"#),
            .entry("pattern-list-missing", #""components": {"/": "/a/*"}"#, #""components": [{"/": "/a/*"}]"#),
            .entry("pattern-list-missing", #""paths": "/a/*""#, #""paths": ["/a/*"]"#),
            .entry(
                "malformed-not", #""paths": ["NOT/b", " NOT  /c", "/a/*"]"#, #""paths": ["NOT /b", "NOT /c", "/a/*"]"#),
            Case(
                "no-service", "{\"appLinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"paths\": [\"/a\"]}]}}",
                "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"paths\": [\"/a\"]}]}}"),
            Case(
                "details-element-type",
                "{\"applinks\": {\"details\": {\"appIDs\": [\"\(app)\"], \"paths\": [\"/a\"]}}}",
                "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"paths\": [\"/a\"]}]}}"),
            Case(
                "entry-without-app", "{\"applinks\": {\"details\": [{\"appIDs\": \"\(app)\", \"paths\": [\"/a\"]}]}}",
                "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"paths\": [\"/a\"]}]}}"),
            Case(
                "apps-beside-details",
                "{\"applinks\": {\"apps\": [ \"\(app)\" ], \"details\": [{\"appIDs\": [\"\(app)\"], \"paths\": [\"/a\"]}]}}",
                "{\"applinks\": {\"apps\": [], \"details\": [{\"appIDs\": [\"\(app)\"], \"paths\": [\"/a\"]}]}}"),
            Case(
                "settings-type",
                "{\"applinks\": {\"substitutionVariables\": {\"food\": \"pie\"}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/$(food)\"}]}]}}",
                "{\"applinks\": {\"substitutionVariables\": {\"food\": [\"pie\"]}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/$(food)\"}]}]}}"
            ),
        ]

        @Test("a fault with one right answer is fixed, and no other byte changes", arguments: cases)
        func fixes(_ example: Case) {
            let bytes = Array(example.text.utf8)
            let file = Linter.fix(bytes)
            #expect(String(decoding: file.bytes, as: UTF8.self) == example.fixed)
            #expect(file.fixed.map(\.rule).contains(example.rule), "\(file.fixed.map(\.rule))")
            #expect(!file.report.findings.contains { $0.rule == example.rule })
            #expect(Linter.fix(file.bytes).bytes == file.bytes)
            // An ignored fault is not fixed, but the fix of another fault may remove its text.
            #expect(!Linter.fix(bytes, ignoring: [example.rule]).fixed.contains { $0.rule == example.rule })
        }

        @Test(
            "a fault that needs a decision is left unchanged",
            arguments: [
                // A missing bracket could close several things.
                "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"paths\": [\"/a\",]}}}",
                "{\"applinks\": {\"details\": [],}", "{\"webcredentials\": {\"apps\": [“\(app)”, ]}", "",
                "{“a”: “b \"c\" d”}", #"{"a": "b" "c": 1}"#, "{\"a\": 1, /* why */ \"b\": 2,}", "<html>’</html>",
                // It is unclear which of the two is meant.
                "{\"applinks\": {\"details\": [{\"appid\": \"\(app)\", \"AppID\": \"D7KQ4ZW2MX.com.acme.old\", \"paths\": [\"/a\"]}]}}",
                "{\"webcredentials\": {\"apps\": [\"\(app)\"]}, \"webcredentials\": {\"apps\": []}}",
                "{\"applinks\": {\"apps\": [\"D7KQ4ZW2MX.com.acme.old\"], \"details\": [{\"appIDs\": [\"\(app)\"], \"paths\": [\"/a\"]}]}}",
                "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/a/*\"}, {\"/\": \"/a/b\"}]}]}}",
                "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"component\": [{\"/\": \"/a/*\"}]}]}}",
                "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/a/*\", \"exclude\": \"no\"}]}]}}",
            ])
        func byHand(_ text: String) {
            let file = Linter.fix(Array(text.utf8))
            #expect(String(decoding: file.bytes, as: UTF8.self) == text)
            #expect(file.fixed.isEmpty)
        }

        @Test("each fix is reported at its position")
        func places() {
            let text = "{\n \"webcredentials\": {\"apps\": [\n  \"\(Self.app)\",\n  \"\(Self.app)\",\n],},\n}\n"
            let file = Linter.fix(Array(text.utf8))
            #expect(
                String(decoding: file.bytes, as: UTF8.self)
                    == "{\n \"webcredentials\": {\"apps\": [\n  \"\(Self.app)\"\n]}\n}\n")
            #expect(
                file.fixed.map { "\($0.rule) \($0.start)" } == [
                    "json-syntax 4:29", "json-syntax 5:2", "json-syntax 5:3", "app-id-duplicate 4:3",
                ])
        }

        @Test("the example of a fixable rule gets fixed", arguments: LintRuleTests.ids)
        func examples(_ id: String) throws {
            let rule = try #require(LintRegistry.rules.first { $0.description.id == id })
            let bytes = rule.exampleBytes
            guard Linter.lint(bytes).fixes.contains(where: { $0.finding.rule == id }) else { return }
            let file = Linter.fix(bytes)
            #expect(!file.report.findings.contains { $0.rule == id }, "\(String(decoding: file.bytes, as: UTF8.self))")
        }

        @Test("real files: one run is enough, JSON stays JSON, and tidying changes no URL")
        func corpus() throws {
            guard let corpus = Corpus.find(holding: "aasa") else { return }
            var rules: [String: Int] = [:]
            for (name, bytes) in try corpus.files(in: "aasa", withExtension: "aasa").map({ ($0.name, $0.bytes) }) {
                let file = Linter.fix(bytes)
                for finding in file.fixed { rules[finding.rule, default: 0] += 1 }
                #expect(file.fixed.isEmpty == (file.bytes == bytes), "\(name)")
                #expect(Linter.fix(file.bytes).bytes == file.bytes, "\(name)")
                guard !file.fixed.isEmpty else { continue }
                let new = try AssociationFile(parsing: file.bytes)
                guard let old = try? AssociationFile(parsing: bytes),
                    file.fixed.allSatisfy({ ["app-id-duplicate", "pattern-normalized"].contains($0.rule) })
                else { continue }
                #expect(BehaviourDiff.compare(old.applinks, new.applinks).changes.isEmpty, "\(name)")
            }
            #expect(rules["json-syntax", default: 0] > 3, "\(rules)")
        }

        @Test("a hostile file costs no more than its rounds")
        func hostile() {
            let commas = "[" + String(repeating: "[1,],", count: 4_000) + "1]"
            let quotes = "{" + String(repeating: "“a”: ‘b’,", count: 1_000) + "“c”: 1}"
            let open = String(repeating: "'a", count: 10_000)
            for text in [commas, quotes, open] {
                let file = Linter.fix(Array(text.utf8))
                #expect((try? JSONDocument(parsing: file.bytes)) != nil || file.fixed.isEmpty)
            }
            #expect(!Linter.fix(Array(quotes.utf8)).fixed.isEmpty)
        }
    }
}

extension AASASuite.LintFixTests.Case {
    /// With a byte order mark, which the fix removes.
    fileprivate var withMark: Self { Self(rule, "\u{FEFF}" + text, fixed) }
}
