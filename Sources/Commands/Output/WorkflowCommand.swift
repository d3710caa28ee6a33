// Workflow commands of GitHub Actions: annotations of a run.
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands

import AASA
import Evidence

struct WorkflowCommand {
    enum Level: String { case error, warning, notice }

    let level: Level
    var properties: [(name: String, value: String)]
    let message: String

    var line: String {
        let properties = properties.map { "\($0.name)=\(Self.escaped($0.value, isProperty: true))" }
            .joined(separator: ",")
        return "::\(level.rawValue)\(properties.isEmpty ? "" : " " + properties)::"
            + Self.escaped(message, isProperty: false)
    }

    private static func escaped(_ text: String, isProperty: Bool) -> String {
        let result = text.escaped { scalar in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            case ":" where isProperty: "%3A"
            case "," where isProperty: "%2C"
            default: nil
            }
        }
        // Logs are read on terminals too, and a file's name may hold anything.
        return result.displayable
    }
}

extension WorkflowCommand.Level {
    init(_ severity: Severity) {
        self =
            switch severity {
            case .error: .error
            case .warning: .warning
            case .note: .notice
            }
    }
}

extension CheckReport {
    /// One annotation per finding; without counted findings, one with the result. The answer to `--why` comes first.
    var annotations: [String] { (why.map { [$0.annotation] } ?? []) + ofFindings }

    private var ofFindings: [String] {
        let name = subject
        let findings = findings
        let ignored = self.ignored.map { ignored in
            WorkflowCommand(
                level: .notice, properties: [("title", "\(name): \(ignored.text.rule.rawValue) (ignored)")],
                message: "\(ignored.text.message) Ignored: \(ignored.why)"
            ).line
        }
        guard !findings.isEmpty else {
            let line = WorkflowCommand(
                level: .notice, properties: [("title", name)], message: diagnosis.oneLine
            ).line
            return [line] + ignored
        }
        let counted = findings.map { finding in
            WorkflowCommand(
                level: .init(finding.severity), properties: [("title", "\(name): \(finding.rule.rawValue)")],
                message: "\(finding.message) \(finding.fix)"
            ).line
        }
        return counted + ignored
    }
}
