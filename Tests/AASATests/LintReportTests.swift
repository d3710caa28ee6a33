import AASA
import Testing

extension AASASuite {
    @Suite("Lint reports")
    struct LintReportTests {
        @Test("lines and columns count characters from one, and the end is after the last one")
        func positions() throws {
            let text = "{\n  \"webcredentials\": {\"apps\": [\"\u{E9}\u{1F600}\", \"com.acme.shop\"]}}"
            let findings = Linter.lint(Array(text.utf8)).findings.filter { $0.rule.hasPrefix("app-id-") }
            let last = try #require(findings.last)
            #expect(findings.map(\.start) == [.init(line: 2, column: 31), .init(line: 2, column: 37)])
            #expect(last.end == SourcePosition(line: 2, column: 52))
            #expect(last.pointer == "/webcredentials/apps/1")
        }

        @Test("a byte order mark is not a column")
        func mark() throws {
            let findings = Linter.lint(Array("\u{FEFF}[1]".utf8)).findings
            #expect(findings.map(\.rule) == ["byte-order-mark", "root-not-object"])
            #expect(findings.map(\.start) == Array(repeating: SourcePosition(line: 1, column: 1), count: 2))
        }

        @Test("findings are in the order of the text")
        func order() {
            let text = #"{"applinks": {"apps": [], "details": [{"appid": "A", "components": [{"/": "é", "x": 1}]}]}}"#
            let findings = Linter.lint(Array(text.utf8)).findings
            let starts = findings.map(\.range.lowerBound)
            #expect(findings.count >= 3)
            #expect(starts == starts.sorted())
        }

        @Test("a pointer names its value, whatever the keys contain")
        func pointers() throws {
            let text = #"{"webcredentials": {"apps": ["A"], "a/b~c": 1}}"#
            let finding = try #require(Linter.lint(Array(text.utf8)).findings.first { $0.rule == "unknown-key" })
            #expect(finding.pointer == "/webcredentials/a~1b~0c")
        }

        @Test("a signed file is only a warning", arguments: [[UInt8(0x82), 0x0A, 0x1F], [0x80], [0x2F]])
        func signed(_ length: [UInt8]) {
            let bytes: [UInt8] =
                [0x30] + length + [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0]
            let report = Linter.lint(bytes)
            #expect(report.findings.map(\.rule) == ["signed-file"])
            #expect(report.isValid && report.file == nil)
            #expect(!Linter.lint([0x30, 0x82, 1, 2, 3]).isValid)
        }

        @Test(
            "a misspelt key gets the right key",
            arguments: [
                ("casesensitive", "caseSensitive"), ("path", "/"),
                ("percentEncode", "percentEncoded"), ("query", "?"), ("fragment", "#"), ("comments", "comment"),
            ])
        func suggestion(_ written: String, _ meant: String) {
            let text = #"{"applinks": {"details": [{"appIDs": ["A"], "components": [{"\#(written)": "x"}]}]}}"#
            let finding = Linter.lint(Array(text.utf8)).findings.first { $0.rule == "misspelt-key" }
            #expect(finding?.fix == "write \"\(meant)\"")
        }
    }
}
