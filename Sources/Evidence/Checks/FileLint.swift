import AASA
import Foundation

extension Checks {
    /// More findings than these would hide what else a check saw; `lint` shows all.
    static let maximumLintFindings = 15

    /// By the hash of the body; the rules do not change while the process lives.
    private static let lintFindings = Recollection<ContentHash, [LintFinding]>(capacity: 1024)

    /// What the linter says of the origin's body. Devices read strict JSON with an object at its root.
    @Sendable static func fileLint(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status == 200, answer.body.end == .complete,
            // What we cannot decompress, or not to its end, is no text to judge.
            unaskedEncoding(answer, context)?.severity != .error, !isCutInCompression(answer, context),
            let hash = answer.body.hash, let content = context.observation.contents[hash]
        else { return [] }
        let all = lintFindings.value(for: hash) { Linter.lint(Array(content)).findings }
        let findings = all.filter { isNews($0, context) }
            .sorted { $0.severity > $1.severity }
        var result = findings.prefix(maximumLintFindings).map(Finding.init)
        if findings.count > maximumLintFindings, let worst = findings.dropFirst(maximumLintFindings).first {
            result.append(
                Finding(
                    rule: .aasa("more"), severity: Severity(worst.severity),
                    message: "the file has \(findings.count - maximumLintFindings) more findings",
                    fix: "'aasa-monitor lint \(context.domain)' shows all of them", reference: Reference.applinks))
        }
        return result
    }

    /// The origin's own checks have told the size; and a made-up app is at home on a domain made for tests.
    private static func isNews(_ finding: LintFinding, _ context: CheckContext) -> Bool {
        switch finding.rule {
        case "file-too-large": false
        case "app-id-example": !context.domain.isReservedForExamples
        default: true
        }
    }
}

extension Domain {
    /// Names set aside for tests and documentation: https://www.rfc-editor.org/rfc/rfc2606
    var isReservedForExamples: Bool {
        let labels = name.split(separator: ".")
        if let last = labels.last, ["test", "example", "invalid", "localhost"].contains(last) { return true }
        return ["example.com", "example.net", "example.org"].contains(labels.suffix(2).joined(separator: "."))
    }
}

extension Finding {
    fileprivate init(_ finding: LintFinding) {
        let place = [
            "line": "\(finding.start.line)", "column": "\(finding.start.column)", "pointer": finding.pointer,
        ]
        self.init(
            rule: .aasa(finding.rule), severity: Severity(finding.severity),
            message: "line \(finding.start.line), column \(finding.start.column): \(finding.message)",
            evidence: place.merging(finding.evidence.map { ($0.name, $0.value) }) { place, _ in place },
            fix: finding.fix, reference: finding.reference)
    }
}

extension Severity {
    package init(_ severity: LintSeverity) {
        self =
            switch severity {
            case .error: .error
            case .warning: .warning
            case .note: .note
            }
    }
}
