// What `lint` says of one source, in the forms for programs.

import AASA
import Evidence

struct LintResult {
    let text: SourceText
    let report: LintReport

    var json: OrderedJSON {
        .object([
            ("source", .string(text.name)),
            ("valid", .bool(report.isValid)),
            ("findings", .array(report.findings.map(Self.json(of:)))),
        ])
    }

    private static func json(of finding: LintFinding) -> OrderedJSON {
        .object([
            ("rule", .string("aasa.\(finding.rule)")),
            ("severity", .string(finding.severity.rawValue)),
            ("message", .string(finding.message)),
            ("line", .integer(finding.start.line)),
            ("column", .integer(finding.start.column)),
            ("end_line", .integer(finding.end.line)),
            ("end_column", .integer(finding.end.column)),
            ("pointer", .string(finding.pointer)),
            ("evidence", .object(finding.evidence.map { ($0.name, .string($0.value)) })),
            ("fix", .string(finding.fix)),
            ("reference", .string(finding.reference)),
        ])
    }

    /// One annotation a finding, at its place in the file.
    var annotations: [String] {
        report.findings.map { finding in
            WorkflowCommand(
                level: .init(finding.severity),
                properties: [
                    ("file", text.name), ("line", "\(finding.start.line)"), ("col", "\(finding.start.column)"),
                    ("endLine", "\(finding.end.line)"), ("endColumn", "\(finding.end.column)"),
                    ("title", "aasa.\(finding.rule)"),
                ], message: "\(finding.message); \(finding.fix)"
            ).line
        }
    }
}
