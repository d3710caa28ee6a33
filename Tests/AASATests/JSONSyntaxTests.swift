import AASA
import Testing

extension AASASuite {
    @Suite("JSON syntax")
    struct JSONSyntaxTests {
        @Test(
            "what RFC 8259 allows is accepted",
            arguments: [
                "{}", "[]", "\"\"", "0", "-0", "1.5e+10", "true", "null", " \t\r\n{ } \n", #"{"a":[1,{"b":null}]}"#,
                #""\u00e9\ud83d\ude00\/\b\f\n\r\t""#, "\"\u{7F}\"", "\"\u{FFFD}\"", "\u{FEFF}{}",
                #"{"":""}"#, #"{"a":1,"a":2}"#,
            ])
        func accepted(_ text: String) {
            #expect(fault(in: text) == nil)
        }

        struct Row: Sendable, CustomTestStringConvertible {
            let text: String
            let place: String
            let message: String
            /// Its id.
            let cause: String?

            init(_ text: String, _ place: String, _ message: String, _ cause: String? = nil) {
                self.text = text
                self.place = place
                self.message = message
                self.cause = cause
            }

            var testDescription: String { text.debugDescription }
        }

        static let refusals = [
            Row("", "1:1", "expected a JSON object", "empty"),
            Row(" \n\t", "2:2", "expected a JSON object", "empty"),
            Row("\u{FEFF}", "1:1", "expected a JSON object", "empty"),
            Row("{", "1:2", "expected a key in double quotes, found the end of the file", "cut-short"),
            Row("{\"a\"", "1:5", "expected ':' after the key, found the end of the file", "cut-short"),
            Row("{\"a\":", "1:6", "expected a value, found the end of the file", "cut-short"),
            Row(
                "{\"a\":1", "1:7", "expected ',' or '}', found the end of the file",
                "not-closed"),
            Row("{\"a\":1,", "1:8", "expected a key in double quotes, found the end of the file", "cut-short"),
            Row(
                "[1", "1:3", "expected ',' or ']', found the end of the file",
                "not-closed"),
            Row("\"abc", "1:5", "expected the closing quote of a string, found the end of the file", "cut-short"),
            Row("\"a\\", "1:4", "expected an escape sequence, found the end of the file", "cut-short"),
            Row("\"\\u12", "1:2", "expected four hexadecimal digits after '\\u'", "cut-short"),
            Row("-", "1:2", "expected a digit, found the end of the file", "cut-short"),
            Row("[1,]", "1:3", "expected another element after ','", "trailing-comma"),
            Row(
                "{\"a\": 1,\n}", "1:8", "expected another element after ','", "trailing-comma"),
            Row("{\"a\": 1,\n  // no\n}", "2:3", "expected a key in double quotes, found '/'", "comment"),
            Row("{} # end", "1:4", "expected the end of the file, found '#'", "comment"),
            Row("{'a': 1}", "1:2", "expected a key in double quotes, found '''", "single-quotes"),
            Row("{“a”: 1}", "1:2", "expected a key in double quotes, found '“'", "typographic-quotes"),
            Row("{\"a\": ‘x’}", "1:7", "expected a value, found '‘'", "typographic-quotes"),
            Row("{} {}", "1:4", "expected the end of the file, found '{'", "several-documents"),
            Row("{}\n}", "2:1", "expected the end of the file, found '}'", "surplus-bracket"),
            Row("<!doctype html>", "1:1", "expected a JSON object", "html-page"),
            Row("\n  <html>", "2:3", "expected a JSON object", "html-page"),
            Row("\u{FEFF}<html>", "1:1", "expected a JSON object", "html-page"),
            Row("{\\rtf1\\ansi}", "1:1", "expected a JSON object", "rich-text"),
            Row("-----BEGIN PKCS7-----", "1:1", "expected a JSON object", "signed"),
            Row("{\"é\" 1}", "1:6", "expected ':' after the key, found '1'"),
            Row("\u{FEFF}{\"a\" 1}", "1:6", "expected ':' after the key, found '1'"),
            Row("{a: 1}", "1:2", "expected a key in double quotes, found 'a'", "unquoted-text"),
            Row("[1 2]", "1:4", "expected ',' or ']', found '2'"),
            Row("[01]", "1:3", "expected ',' or ']', found '1'"),
            Row("[+1]", "1:2", "expected a value, found '+'"),
            Row("[1.]", "1:4", "expected a digit, found ']'"),
            Row("[1e]", "1:4", "expected a digit, found ']'"),
            Row("[True]", "1:2", "expected a value, found 'T'"),
            Row("[NaN]", "1:2", "expected a value, found 'N'"),
            Row("[\u{A0}1]", "1:2", "expected a value, found '\u{A0}'", "typographic-sign"),
            Row("[\u{200B}]", "1:2", "expected a value, found the character U+200B", "typographic-sign"),
            Row("[\u{1B}[2J]", "1:2", "expected a value, found the character U+1B"),
            Row("[\"a\nb\"]", "1:4", "a control character inside a string must be escaped", "unclosed-string"),
            Row("[\"\\x\"]", "1:3", "JSON has no escape for 'x'", "unknown-escape"),
            Row("[\"\\\u{1B}\"]", "1:3", "JSON has no escape for the character U+1B", "unknown-escape"),
            Row("[\"\\é\"]", "1:3", "JSON has no escape for 'é'", "unknown-escape"),
            Row("[\"\\u12G4\"]", "1:3", "expected four hexadecimal digits after '\\u'"),
            Row("[\"\\ud800\"]", "1:3", "an escape sequence is half of a surrogate pair"),
            Row("[\"\\ud800\\u0041\"]", "1:3", "an escape sequence is half of a surrogate pair"),
            Row("[\"\\udc00\\ud800\"]", "1:3", "an escape sequence is half of a surrogate pair"),
        ]

        @Test("invalid JSON is refused at its position, with a message and a cause", arguments: refusals)
        func refused(_ row: Row) throws {
            let error = try #require(fault(in: row.text))
            #expect(error.position.description == row.place)
            #expect(error.message == row.message)
            #expect(error.cause?.id == row.cause)
        }

        @Test(
            "bytes that are not text are identified",
            arguments: [
                ([0xFE, 0xFF, 0x00, 0x7B], "utf-16"), ([0xFF, 0xFE, 0x7B, 0x00], "utf-16"),
                ([0x7B, 0x00, 0x7D, 0x00], "utf-16"), ([0x00, 0x7B, 0x00, 0x7D], "utf-16"), ([0x0A, 0x00], "utf-16"),
                ([0xFF, 0xFE, 0x00, 0x00, 0x7B, 0x00, 0x00, 0x00], "utf-16"), ([0x00, 0x00, 0xFE, 0xFF], "utf-16"),
                ([0x7B, 0x00, 0x00, 0x00, 0x7D, 0x00, 0x00, 0x00], "utf-16"),
                ([0x00, 0x00, 0x00, 0x7B, 0x00, 0x00, 0x00, 0x7D], "utf-16"),
                ([0x00, 0x01, 0x02, 0x03], "utf-16"), ([0x00], "utf-16"), ([0x00, 0x00, 0x00, 0x00], "utf-16"),
                ([0x30, 0x82, 0x05, 0x10], "signed"), ([0x30, 0x80, 0x06, 0x09], "signed"),
                ([0x30, 0x83, 0x01, 0x00], "signed"), ([0x22, 0xFF, 0x22], "invalid-utf-8"),
                ([0x1F, 0x8B, 0x08, 0x00, 0x00], "invalid-utf-8"), ([0x1F, 0x8B], "invalid-utf-8"),
                ([0x22, 0xC0, 0x80, 0x22], "invalid-utf-8"), ([0x22, 0xED, 0xA0, 0x80, 0x22], "invalid-utf-8"),
                ([0x22, 0x5C, 0x6E, 0xE2, 0x82, 0x22], "invalid-utf-8"),
            ] as [([UInt8], String)])
        func binary(_ bytes: [UInt8], _ cause: String) throws {
            #expect(try #require(fault(in: bytes)).cause?.id == cause)
        }

        @Test("a byte order mark is accepted and noted, and shifts no column")
        func byteOrderMark() throws {
            let marked = try document("\u{FEFF}{\"a\":1}")
            #expect(marked.hasByteOrderMark)
            #expect(!(try document("{}").hasByteOrderMark))
            #expect(marked.position(of: marked.root.range.lowerBound) == SourcePosition(line: 1, column: 1))
        }

        @Test("every value has its line and column, in characters, for any line ending")
        func positions() throws {
            let text = "{\r\n  \"é\": [true,\n\t\"😀\", 7]\r\n}"
            let parsed = try document(text)
            let elements = try #require(parsed.root["é"]?.elements)
            #expect(
                elements.map { parsed.position(of: $0.range.lowerBound).description } == ["2:9", "3:2", "3:7"])
            #expect(parsed.position(of: -5) == SourcePosition(line: 1, column: 1))
            #expect(parsed.position(of: .max) == SourcePosition(line: 4, column: 2))
        }

        @Test(
            "a line ends with CR, LF or both",
            arguments: [("\r", "2:2 4:3"), ("\n", "2:2 4:3"), ("\r\n", "2:2 4:3"), ("\n\r", "3:2 6:3")])
        func lineEnds(_ end: String, _ expected: String) throws {
            let text = "[\(end) 1,\(end)\(end)  2\(end)]"
            let parsed = try document(text)
            let places = (parsed.root.elements ?? []).map { parsed.position(of: $0.range.lowerBound).description }
            #expect(places.joined(separator: " ") == expected)
            let broken = try #require(fault(in: text.replacing("2", with: "x")))
            #expect(broken.position.description == expected.split(separator: " ").last.map { String($0) })
        }

        @Test("a position in a long line is the same as by counting from its start")
        func longLine() throws {
            let text = "\u{FEFF}[" + Array(repeating: "\"é😀\"", count: 700).joined(separator: ",") + ",\r1,\r\n2]"
            let bytes = Array(text.utf8)
            let parsed = try document(text)
            var (line, column) = (1, 0)
            for (offset, byte) in bytes.enumerated() where byte & 0xC0 != 0x80 {
                column += 1
                if offset > 0, bytes[offset - 1] == 0x0A || bytes[offset - 1] == 0x0D && byte != 0x0A {
                    (line, column) = (line + 1, 1)
                }
                let shown = line == 1 ? max(1, column - 1) : column
                #expect(parsed.position(of: offset) == SourcePosition(line: line, column: shown), "at \(offset)")
            }
        }

        @Test("duplicate keys are listed with both positions, and the last one counts")
        func duplicates() throws {
            let parsed = try document("{\"a\":1,\n \"b\":{\"c\":1,\"c\":2},\n \"a\":3}")
            #expect(
                parsed.duplicateKeys.map { "\($0.key) \($0.first) \($0.second)" } == ["c 2:7 2:13", "a 1:2 3:2"])
            #expect(parsed.root["a"]?.value == .number("3"))
        }

        @Test("two normal forms of one accented letter are two keys; an escape and its letter are one")
        func spellings() throws {
            #expect(try document("{\"\u{E9}\":1,\"e\u{301}\":2}").duplicateKeys.isEmpty)
            #expect(try document("{\"é\":1,\"\\u00e9\":2}").duplicateKeys.count == 1)
        }
    }
}
