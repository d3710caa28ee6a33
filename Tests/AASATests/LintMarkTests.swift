// Findings at marked positions: «…» surrounds what a rule must point at, and each finding of the rule is marked.

import AASA
import Testing

/// A file with marks, and the rule that finds them.
struct MarkedFile: Sendable, CustomTestStringConvertible {
    let rule: String
    let severity: LintSeverity
    let text: String

    init(_ rule: String, _ severity: LintSeverity, _ text: String) {
        self.rule = rule
        self.severity = severity
        self.text = text
    }

    static func components(_ rule: String, _ severity: LintSeverity, _ components: String) -> MarkedFile {
        MarkedFile(
            rule, severity,
            "{\"applinks\":{\"details\":[{\"appIDs\":[\"D7KQ4ZW2MX.com.acme.shop\"],\n\"components\":[\(components)]}]}}"
        )
    }

    static func paths(_ rule: String, _ severity: LintSeverity, _ paths: String) -> MarkedFile {
        MarkedFile(
            rule, severity,
            "{\"applinks\":{\"apps\":[],\"details\":[{\"appID\":\"D7KQ4ZW2MX.com.acme.shop\",\"paths\":[\(paths)]}]}}")
    }

    static func credentials(_ rule: String, _ severity: LintSeverity, _ apps: String) -> MarkedFile {
        MarkedFile(rule, severity, "{\"webcredentials\":{\"apps\":[\(apps)]}}")
    }

    var testDescription: String { "\(rule): \(text.prefix(100))" }

    /// The bytes without the marks, and the marked ranges.
    func unmarked() -> (bytes: [UInt8], ranges: [Range<Int>]) {
        var bytes: [UInt8] = []
        var (ranges, start) = ([Range<Int>](), 0)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "«": start = bytes.count
            case "»": ranges.append(start..<bytes.count)
            default: bytes += Array(String(scalar).utf8)
            }
        }
        return (bytes, ranges)
    }
}

extension AASASuite {
    @Suite("Lint at marks")
    struct LintMarkTests {
        @Test("a rule points at each mark and nowhere else", arguments: MarkedFile.all)
        func marks(_ file: MarkedFile) {
            let (bytes, ranges) = file.unmarked()
            let findings = Linter.lint(bytes).findings.filter { $0.rule == file.rule }
            #expect(findings.map(\.range) == ranges, "\(findings.map { "\($0.start): \($0.message)" })")
            #expect(findings.allSatisfy { $0.severity == file.severity })
        }

        @Test("each error rule has a row in the table")
        func complete() {
            let covered = Set(MarkedFile.all.map(\.rule))
            let missing = Linter.rules.filter { $0.severity == .error && !covered.contains($0.id) }.map(\.id)
            #expect(missing.allSatisfy { $0 == "file-too-large" }, "\(missing)")
        }
    }
}
