// Workflow commands of GitHub Actions: annotations of a run.
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands

import AASA
import Evidence

package struct WorkflowCommand {
    package enum Level: String { case error, warning, notice }

    let level: Level
    var properties: [(name: String, value: String)]
    let message: String

    package init(level: Level, properties: [(name: String, value: String)], message: String) {
        (self.level, self.properties, self.message) = (level, properties, message)
    }

    package var line: String {
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
    package init(_ severity: Severity) {
        self =
            switch severity {
            case .error: .error
            case .warning: .warning
            case .note: .notice
            }
    }
}
