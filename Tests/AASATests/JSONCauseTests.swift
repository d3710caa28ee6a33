// What the linter says about a file that is not JSON. An example of each cause has the words and the position; every
// file of the corpus that is not JSON has a label, written by a person who read it.

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
            // Something else instead of the file.
            Row("<!doctype html><html><pre>{\"services\": {}}</pre></html>", "this is an HTML page", at: "<"),
            // The file inside something else, or followed by something; its own JSON need not be valid.
            Row("<!doctype html><html><pre>{\"applinks\": {}}</pre></html>", "the file is wrapped in", at: "<"),
            Row("<p>{&quot;applinks&quot;: {&quot;details&quot;: []}}</p>", "the file is wrapped in", at: "<"),
            Row("module.exports = {applinks: {details: [],}};", "begins with 'module.exports = {", at: "m"),
            Row("callback({\"webcredentials\": {\"apps\": []}});", "begins with 'callback({", at: "c"),
            Row("<script>var file = {'appclips': {}}</script>", "begins with '<script>", at: "<"),
            Row("{\"a\": 1}<!-- cached -->", "there is markup after the JSON: '<!-- cached -->'", at: "<"),
            Row("{\"a\": 1}\n<script src=\"/bar.js\"></script>", "there is markup after the JSON", at: "<"),
            Row(
                "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>",
                "this is XML, not JSON: '<?xml version=\"1.0\"?> <Error><Code>AccessDenied</Code></Error>'", at: "<"),
            Row("404 page not found", "this is plain text, not JSON: '404 page not found'", at: "404"),
            Row("HTTP/1.1 200 OK\r\n\r\n{}", "this is plain text, not JSON: 'HTTP/1.1 200 OK {}'", at: "H"),
            Row("<br />\n<b>Notice</b>: x in /a.php on line 3\n{}", "JSON: '<br /> <b>Notice</b>: x in", at: "<"),
            Row("MIME-Version: 1.0\nContent-Type: application/x-pkcs7-mime\n", "(CMS or S/MIME)", at: "M"),
            Row("{\\rtf1\\ansi}", "a rich text (RTF) document", at: "{"),
            Row("{\"a\": 1} {\"b\": 2}", "text after the end of the JSON value", at: "{"),
            Row("{\"a\": [{\"b\": {\"c\":", "the text ends before the JSON value is complete", at: ""),
            Row("{\"a\": [{\"b\": {\"c\": 1", "the text ends before the JSON value is complete", at: ""),
            Row("{\"a\": 1\n<<<<<<< HEAD\n}", "a Git merge conflict", at: "<"),
            Row("{\"a\": {{ team }}}", "a template tag", at: "{"),
            Row("{\"a\": ${TEAM}}", "a template tag", at: "$"),
            // Commas and brackets.
            Row("{\"a\": {\n  \"b\": 1\n}\n\"c\": 2}", "comma missing at the end of line 3", at: "}"),
            Row("{\"a\": [{\"b\": 1} {\"b\": 2}]}", "comma missing at 1:16", at: "}"),
            Row("{\"a\": [\"b\"\"c\"]}", "comma missing at 1:11", at: "\""),
            Row("{\"a\": 1,\n}", "comma at 1:8 with no element after it", at: ","),
            Row("{\"a\": [{\"b\": 1}\n}", "']' missing for the bracket opened at 1:7", at: "}"),
            Row("{\"a\": [\"b\", \"c\": 1}", "']' missing for the bracket opened at 1:7", at: ","),
            Row("{\"a\": {\"b\": [1\n", "the text ends before the JSON value is complete", at: ""),
            Row("{\"a\": {\"b\": 1\n", "'}}' missing for the bracket opened at 1:7", at: "1"),
            Row("[{\"a\": 1}}", "one '}' too many", at: "}"),
            Row("{\"a\": 1}\n}\n", "one '}' too many", at: "}"),
            Row("{\"?\": [\"a\": \"*\"]}", "square brackets around keys and values", at: "["),
            // Quotes and characters.
            Row("{“a”: 1}", "typographic quotes", at: "“"),
            Row("{\"a\": [\n\"/app/*”\n]}", "typographic quotes", at: "”"),
            Row("{\"a\"： 1}", "U+FF1A (fullwidth colon) outside a string, instead of a plain ':'", at: "："),
            Row("{\n\u{2003}\"a\": 1}", "U+2003 (em space) outside a string", at: "\u{2003}"),
            Row("{'a': 1}", "single quotes", at: "'"),
            Row("{a: 1}", "'a' has no double quotes", at: "a"),
            Row(
                "{\"appID\": 9DL55EF8D3.com.acme}", "'9DL55EF8D3.com.acme' has no double quotes",
                at: "9DL55EF8D3.com.acme"),
            Row("{\"a\": [NOT /buy/*]}", "'NOT /buy/*' has no double quotes", at: "NOT /buy/*"),
            Row("{\"paths\": [\n\"/a,\n\"/b\"]}", "this string is not closed on its line", at: "\"/a,"),
            Row("{\"a\": 1,\n\"\"paths\": []}", "one double quote too many", at: "\"\""),
            Row("{\"a\": \"say \"hello\" now\"}", "text after the closing quote of \"say \"", at: "\"say \""),
            Row("{\"appID\": \"A.b\"\"}", "text after the closing quote of \"A.b\"", at: "\"A.b\""),
            Row("{\"a\": \"b\tc\"}", "a tab inside a string", at: "\t"),
            Row("{\"/\": \"/a\\.html\"}", "JSON has no escape for '.'", at: "\\"),
            Row("{\"a\": 1, // no\n\"b\": 2}", "JSON has no comments", at: "/"),
        ]

        @Test("each cause is named at the position to change", arguments: rows)
        func cause(_ row: Row) throws {
            let bytes = Array(row.text.utf8)
            let finding = try #require(Linter.lint(bytes).findings.first { $0.rule == "json-syntax" })
            #expect(finding.message.contains(row.words), "\(finding.message)")
            #expect(finding.message.hasSuffix("; the file is not valid JSON, and devices ignore it"))
            #expect(String(decoding: bytes[finding.range], as: UTF8.self) == row.place)
            #expect(finding.fix != "correct the text there; a strict JSON parser stops at the same place")
        }

        @Test("an unclosed bracket is shown along with the position where its end is missing")
        func opening() throws {
            let finding = try #require(Linter.lint(Array("{\"a\": [{}\n}".utf8)).findings.first)
            #expect(finding.related.map(\.start) == [SourcePosition(line: 1, column: 7)])
        }

        /// The number at the start of the file's name, the cause and the line.
        static let labels: [(file: String, cause: String, line: Int)] = [
            ("001", "rich-text", 1), ("014", "typographic-quotes", 8), ("064", "text-after-string", 5),
            ("065", "typographic-quotes", 3), ("067", "typographic-quotes", 6), ("077", "not-closed", 13),
            ("078", "key-in-list", 9), ("084", "not-closed", 13), ("085", "plain-text", 1), ("092", "signed", 1),
            ("135", "trailing-comma", 16), ("136", "trailing-comma", 17), ("165", "typographic-quotes", 2),
            ("166", "typographic-quotes", 2), ("170", "signed", 1), ("177", "not-closed", 12), ("193", "signed", 1),
            ("195", "empty", 1), ("210", "trailing-comma", 9), ("213", "trailing-comma", 9),
            ("215", "trailing-comma", 4), ("229", "trailing-comma", 8), ("230", "typographic-quotes", 6),
            ("233", "typographic-quotes", 7), ("245", "missing-comma", 5), ("247", "typographic-quotes", 6),
            ("253", "typographic-quotes", 6), ("254", "typographic-quotes", 6), ("255", "typographic-quotes", 6),
            ("264", "empty", 2), ("289", "typographic-sign", 9), ("301", "unquoted-text", 3), ("303", "comment", 1),
            ("304", "comment", 6), ("335", "trailing-comma", 17),
        ]

        @Test("every file of the corpus that is not JSON has its labelled cause, and the cause cites it")
        func corpus() throws {
            guard let corpus = Corpus.find(holding: "aasa") else { return }
            var unlabelled = Dictionary(uniqueKeysWithValues: Self.labels.map { ($0.file, $0) })
            for file in try corpus.files(in: "aasa", withExtension: "aasa") {
                guard let error = fault(in: file.bytes) else { continue }
                let known = unlabelled.removeValue(forKey: String(file.name.prefix(3)))
                let label = try #require(known, "\(file.name)")
                #expect(error.cause?.id == label.cause, "\(file.name): \(error)")
                let finding = Linter.lint(file.bytes).findings.first { $0.rule == "json-syntax" }
                // A file in CMS has its own rule.
                if let finding { #expect(finding.start.line == label.line, "\(file.name)") }
                let seen = error.cause?.seen ?? ""
                #expect(seen.hasPrefix("corpus "), "\(label.cause) is met in \(file.name), and names \(seen)")
                for number in seen.dropFirst(7).split(separator: ", ") where Int(number) != nil {
                    let named = Self.labels.first { $0.file == number }
                    #expect(named?.cause == label.cause, "\(label.cause) names \(number)")
                }
            }
            #expect(unlabelled.isEmpty)
        }
    }
}
