// What the linter says went wrong where a file is not JSON: a small example for each cause, and every file of the corpus
// that is not JSON, labelled by hand after reading it.

import AASA
import TestSupport
import Testing

extension AASASuite {
    @Suite("Causes of JSON faults")
    struct JSONCauseTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let text: String
            let words: String
            /// The text that the finding points at.
            let place: String

            init(_ text: String, _ words: String, at place: String) {
                self.text = text
                self.words = words
                self.place = place
            }

            var testDescription: String { String(text.debugDescription.prefix(80)) }
        }

        static let rows: [Row] = [
            // Something else in the place of the file.
            Row(
                "<!doctype html><html><pre>{\"applinks\": {}}</pre></html>", "a web page with the file's text", at: "<"),
            Row("<html><body><p>{</p><p>\"applinks\": {</p></body></html>", "a web page with the file's text", at: "<"),
            Row("<html><script>var a = {\"applinks\": 1}</script><div>Shop</div>", "this is an HTML page", at: "<"),
            Row("From: <Saved by Blink>\nContent-Type: text/html\n", "a web page with the file's text", at: "F"),
            Row("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "this is XML", at: "<"),
            Row("<?xml version=\"1.0\"?><plist><dict/></plist>", "a property list", at: "<"),
            Row("<?php echo json_encode($file);", "PHP source code", at: "<"),
            Row("MIME-Version: 1.0\nContent-Type: application/x-pkcs7-mime\n", "(S/MIME)", at: "M"),
            Row("---\npermalink: /x\n---\n{\"applinks\": {}}", "YAML front matter stands at the top", at: "-"),
            Row("---\nlayout: null\n---\n\n  {\"applinks\": {}}", "YAML front matter stands at the top", at: "-"),
            Row("---\napplinks:\n  details: []\n", "this is YAML", at: "-"),
            Row("applinks:\n  details: []\n", "this is YAML", at: "a"),
            Row("module.exports = {\"applinks\": {}}", "this is JavaScript", at: "m"),
            Row("```json\n{\"applinks\": {}}\n```", "a Markdown code fence", at: "`"),
            Row("version https://git-lfs.github.com/spec/v1\noid sha256:1", "a pointer of Git LFS", at: "v"),
            Row("%7B%22applinks%22%3A%7B%7D%7D", "this is URL-encoded text", at: "%"),
            Row("%7b%0A%22applinks%22", "this is URL-encoded text", at: "%"),
            Row("{%22applinks%22:{}}", "this is URL-encoded text", at: "%"),
            Row("%TEAM%.com.acme", "a template tag", at: "%"),
            Row("HTTP/1.1 200 OK\n\n{}", "the headers of an HTTP answer", at: "H"),
            Row("Not Found", "this is plain text", at: "N"),
            Row("404 page not found", "this is plain text", at: "404"),
            Row("not found", "this is plain text", at: "n"),
            // Commas and colons.
            Row("{\"a\": {\n  \"b\": 1\n}\n\"c\": 2}", "comma missing at the end of line 3", at: "}"),
            Row("{\"a\": [\n\"b\"\n\n\"c\"]}", "comma missing at the end of line 2", at: "\""),
            Row("{\"a\": [{\"b\": 1} {\"b\": 2}]}", "comma missing at 1:16", at: "}"),
            Row("{\"a\": \"x\" \"b\": 1}", "comma missing at 1:10", at: "\""),
            Row("{\"a\": [\"b\"\"c\"]}", "comma missing at 1:11", at: "\""),
            Row("{\"a\": 1,\n}", "comma at 1:8 before a closing bracket", at: ","),
            Row("[1,, 2]", "a comma with nothing before it", at: ","),
            Row("{, \"a\": 1}", "a comma with nothing before it", at: ","),
            Row("{\"a\": 1,, \"b\": 2}", "a comma with nothing before it", at: ","),
            Row("{\"a\": 1; \"b\": 2}", "';' in place of ','", at: ";"),
            Row("{\"a\" = 1}", "'=' in place of ':'", at: "="),
            Row("{\"a\" => 1}", "'=>' in place of ':'", at: "="),
            Row("{\"paths\", [\"*\"]}", "',' in place of ':'", at: ","),
            Row("{\"appID\" \"A.b\"}", "colon missing after the key \"appID\"", at: "\"appID\""),
            Row("{\"details\" [1]}", "colon missing after the key \"details\"", at: "\"details\""),
            Row("{\"exclude\": , \"a\": 1}", "value missing for the key \"exclude\"", at: "\"exclude\""),
            Row("{\"exclude\": }", "value missing for the key \"exclude\"", at: "\"exclude\""),
            Row("{\"a\": {}, {\"b\": 1}}", "a key and a colon are missing", at: "{"),
            // Quotes.
            Row("{“a”: 1}", "typographic quotes", at: "“"),
            Row("{\"a\": [\n\"/app/*”\n]}", "typographic quotes", at: "”"),
            Row("{'a': 1}", "single quotes", at: "'"),
            Row("{a: 1}", "'a' stands without double quotes", at: "a"),
            Row("{\"apps\": [com.acme.shop]}", "'com.acme.shop' stands without double quotes", at: "com.acme.shop"),
            Row("{\"appID\": 9DL55EF8D3.com.acme}", "'9DL55EF8D3.com.acme' stands without", at: "9DL55EF8D3.com.acme"),
            Row("{\"paths\": [/buy/*]}", "'/buy/*' stands without double quotes", at: "/buy/*"),
            Row("{\"exclude\": True}", "JSON writes 'true', not 'True'", at: "True"),
            Row("{\"apps\": None}", "'None' is no JSON; a program writes it where it has no value", at: "None"),
            Row("{\"paths\": [undefined]}", "'undefined' is no JSON", at: "undefined"),
            Row("{\"paths\": [*\"]}", "opening quote missing before '*'", at: "*"),
            Row("{\"appID\": \"A\",\npaths\": []}", "opening quote missing before 'paths'", at: "paths"),
            Row("{\"paths\": [\n\"/a,\n\"/b\"]}", "the string on line 2 has no closing quote", at: "\"/a,"),
            Row("{\"paths: [\"*\"]}", "the string on line 1 has no closing quote", at: "\"paths: [\""),
            Row("{\"a\": \"x, \"b\": 1}", "the string on line 1 has no closing quote", at: "\"x, \""),
            Row("{\"a\": \"say \"hello\" now\"}", "text after the closing quote of \"say \"", at: "\"say \""),
            Row("{\"a\": \"/x\"/y}", "text after the closing quote of \"/x\"", at: "\"/x\""),
            Row("{\"a\": 1,\n\"\"paths\": []}", "one double quote too many", at: "\"\""),
            Row("{\"paths\"\": []}", "one double quote too many", at: "\""),
            Row("{\"appID\": \"A.b\"\"}", "one double quote too many", at: "\""),
            Row("{\\\"applinks\\\": {}}", "the JSON was escaped once too often", at: "\\"),
            Row("{&quot;applinks&quot;: {}}", "HTML entities", at: "&"),
            // Brackets.
            Row("{\"a\": [{\"b\": 1}\n}", "']' missing for the bracket opened at 1:7", at: "}"),
            Row("{\"a\": [\"b\"}, \"c\": [\"d\"]}", "'}' closes the bracket opened at 1:7; ']' belongs there", at: "}"),
            Row("{\"a\": [\"b\"}]}", "one '}' too many", at: "}"),
            Row("{\"a\": {\"b\": 1}\n", "'}' missing for the bracket opened at 1:1", at: "}"),
            Row("{\"a\": 1}\n}\n", "one '}' too many", at: "}"),
            Row("{\"a\": {}}, \"b\": {}}", "the outermost object is closed here", at: "}"),
            Row("\"applinks\": {}", "the braces around the whole file are missing", at: "\"applinks\""),
            Row(
                "{\"details\": [\"appID\": \"A\", \"paths\": []]}", "braces missing around an entry of \"details\"",
                at: "\"appID\""),
            Row("{\"details\": {\n{\"appID\": \"A\"}}}", "braces around a list in \"details\"", at: "{"),
            Row("{\"apps\": {\"A.b\", \"C.d\"}}", "braces around a list in \"apps\"", at: "{"),
            Row("{\"paths\": {\"*\"}}", "braces around a list in \"paths\"", at: "{"),
            Row("{\"?\": [\"a\": \"*\"]}", "square brackets around keys and values in \"?\"", at: "["),
            Row("{\"appIDs\": \"A.b\", \"C.d\", \"x\": 1}", "missing around the values of \"appIDs\"", at: "\"A.b\""),
            // Characters and leftovers.
            Row("{\"a\": 1, // no\n\"b\": 2}", "JSON has no comments", at: "/"),
            Row("{ /* no */ \"a\": 1}", "JSON has no comments", at: "/"),
            Row("{\"a\": [\n# no\n1]}", "JSON has no comments", at: "#"),
            Row("{\"a\": {{ team }}}", "a template tag", at: "{"),
            Row("{\"a\": ${TEAM}}", "a template tag", at: "$"),
            Row("{\"a\": <%= team %>}", "a template tag", at: "<"),
            Row("{\"a\": 1\n<<<<<<< HEAD\n}", "a Git merge conflict", at: "<"),
            Row("{\"a\": [\n=======\n]}", "a Git merge conflict", at: "="),
            Row("{\n\u{2003}\"a\": 1}", "U+2003 (em space) outside of a string", at: "\u{2003}"),
            Row("{\"a\": \"b\tc\"}", "a tab inside a string", at: "\t"),
            Row("{\"/\": \"/a\\.html\"}", "JSON has no escape '\\.'", at: "\\"),
            Row("{\"a\": 1} {\"b\": 2}", "text after the end of the JSON value", at: "{"),
            Row("{\"a\": 1}\n<b>Warning</b>: x in <b>/x.php</b> on line <b>3</b>", "a message of PHP", at: "<"),
            Row("{\"a\": 1}\n( ! ) Notice: \"applinks\" in /x.php on line 3", "a message of PHP", at: "("),
            Row("{\"a\": 1}\n[1-Nov 10:00 UTC] PHP Warning: x in /x.php on line 3", "a message of PHP", at: "["),
            Row("{\"a\": 1}1<br><b>Notice</b>: x in /x.php on line <i>3</i>", "a message of PHP", at: "1"),
            Row("{\"a\": 1}\nNotice: read what is on line three", "text after the end", at: "N"),
            Row("{\"a\": [{\"b\": {\"c\":", "the text ends before the value does", at: ""),
            Row("{\"a\": [{\"b\": {\"c\": 1", "the text ends before the value does", at: ""),
        ]

        @Test("each cause is named, at the place to change", arguments: rows)
        func cause(_ row: Row) throws {
            let bytes = Array(row.text.utf8)
            let finding = try #require(Linter.lint(bytes).findings.first { $0.rule == "json-syntax" })
            #expect(finding.message.contains(row.words), "\(finding.message)")
            #expect(finding.message.hasSuffix("; the file is not valid JSON, and devices ignore it"))
            #expect(String(decoding: bytes[finding.range], as: UTF8.self) == row.place)
            #expect(finding.fix != "correct the text there; a strict JSON parser stops at the same place")
        }

        @Test(
            "where a program had no value, the advice is not to write null",
            arguments: [
                ("{\"details\": undefined}", "write the list, or delete the key"),
                ("{\"paths\": None}", "write the list, or delete the key"),
                ("{\"components\": NaN}", "write the list, or delete the key"),
                ("{\"appIDs\": nil, \"a\": 1}", "write the list, or delete the key"),
                ("{\"exclude\": undefined}", "write the value, or delete the key"),
                ("{\"paths\": [\"/a\", undefined]}", "write the value, or delete it"),
                ("{\"exclude\": True}", "write true"),
            ])
        func noValue(_ text: String, _ fix: String) {
            #expect(Linter.lint(Array(text.utf8)).findings.first { $0.rule == "json-syntax" }?.fix == fix)
        }

        @Test("a message of PHP behind the JSON is mended in PHP")
        func phpBehind() {
            let text = "{\"applinks\": {}}\n[1-Nov 10:00] PHP Warning:  \"applinks\" in /x.php on line 3"
            let fix = Linter.lint(Array(text.utf8)).findings.first?.fix
            #expect(fix?.hasSuffix("(display_errors = Off)") == true)
        }

        @Test("the bracket that is not closed is shown beside the place where its end is missing")
        func opening() throws {
            let finding = try #require(Linter.lint(Array("{\"a\": [{}\n}".utf8)).findings.first)
            #expect(finding.related.map(\.start) == [SourcePosition(line: 1, column: 7)])
        }

        /// The number at the beginning of a file's name, and what was done to the file.
        static let labels: [(file: String, cause: String, line: Int)] = [
            ("001", "richText", 1), ("014", "smartQuotes", 8), ("064", "doubledQuote", 5), ("065", "smartQuotes", 3),
            ("067", "smartQuotes", 6), ("077", "missingBracket", 13), ("078", "bracketsForObject", 9),
            ("084", "missingBracket", 13), ("085", "plainText", 1), ("092", "signed", 1), ("135", "trailingComma", 16),
            ("136", "trailingComma", 17), ("165", "smartQuotes", 2), ("166", "smartQuotes", 2), ("170", "signed", 1),
            ("177", "missingBracket", 12), ("193", "signedMessage", 1), ("195", "empty", 1),
            ("210", "trailingComma", 9),
            ("213", "trailingComma", 9), ("215", "trailingComma", 4), ("229", "trailingComma", 8),
            ("230", "smartQuotes", 6), ("233", "smartQuotes", 7), ("245", "missingComma", 5), ("247", "smartQuotes", 6),
            ("253", "smartQuotes", 6), ("254", "smartQuotes", 6), ("255", "smartQuotes", 6), ("264", "empty", 2),
            ("289", "invisibleCharacter", 9), ("301", "unquotedText", 3), ("303", "comment", 1), ("304", "comment", 6),
            ("335", "trailingComma", 17),
        ]

        @Test("every file of the corpus that is not JSON has the cause that a reader gave it")
        func corpus() throws {
            guard let corpus = Corpus.find(holding: "aasa") else { return }
            var unlabelled = Dictionary(uniqueKeysWithValues: Self.labels.map { ($0.file, $0) })
            for file in try corpus.files(in: "aasa", withExtension: "aasa") {
                guard let error = fault(in: file.bytes) else { continue }
                let known = unlabelled.removeValue(forKey: String(file.name.prefix(3)))
                let label = try #require(known, "\(file.name)")
                // The name of the case, without its arguments.
                let name = error.cause.map { String(String(describing: $0).prefix { $0 != "(" }) }
                #expect(name == label.cause, "\(file.name): \(error)")
                let place = Linter.lint(file.bytes).findings.first { $0.rule == "json-syntax" }?.start.line
                if label.cause != "signed" { #expect(place == label.line, "\(file.name)") }
            }
            #expect(unlabelled.isEmpty)
        }
    }
}
