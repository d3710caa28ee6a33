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

    /// Workflow commands of GitHub Actions, one a finding:
    /// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
    var annotations: [String] {
        report.findings.map { finding in
            let command =
                switch finding.severity {
                case .error: "error"
                case .warning: "warning"
                case .note: "notice"
                }
            let properties = [
                ("file", text.name), ("line", "\(finding.start.line)"), ("col", "\(finding.start.column)"),
                ("endLine", "\(finding.end.line)"), ("endColumn", "\(finding.end.column)"),
                ("title", "aasa.\(finding.rule)"),
            ].map { "\($0)=\(Self.escaped($1, isProperty: true))" }.joined(separator: ",")
            return
                "::\(command) \(properties)::\(Self.escaped("\(finding.message); \(finding.fix)", isProperty: false))"
        }
    }

    private static func escaped(_ text: String, isProperty: Bool) -> String {
        let result = text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
        // Logs are read on terminals too, and a file's name may hold anything.
        return (isProperty ? result.replacing(":", with: "%3A").replacing(",", with: "%2C") : result).displayable
    }
}
