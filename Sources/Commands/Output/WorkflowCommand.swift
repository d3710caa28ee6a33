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
    /// One annotation a finding; of a check without findings that count one that says how it went. And one for `--why`.
    var annotations: [String] { ofFindings + (why.map { [$0.annotation] } ?? []) }

    private var ofFindings: [String] {
        let name = observation.domain.name
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

/// A watch in the log of a workflow: what happens as lines, its end as an annotation.
struct WatchAnnotations: WatchOutput {
    let wording: WatchWording
    var print: @Sendable (String) -> Void = { Console.print($0) }

    func start(_ start: WatchStart) { print(wording.sentence(for: start)) }

    func tell(_ events: [WatchEvent], _ watch: PropagationWatch) {
        for event in events {
            let sentence = wording.sentence(for: event, watch)
            guard let level = Self.level(of: event.kind) else {
                print("+\(event.elapsed.notation)  \(sentence)")
                continue
            }
            annotate(level, sentence)
        }
    }

    func tell(_ nothing: NothingToWaitFor) {
        Console.print(nothing.text(style: .standardOutput))
        annotate(.error, nothing.message)
    }

    func tellSilentOrigin() { annotate(.error, wording.silentOrigin) }

    private func annotate(_ level: WorkflowCommand.Level, _ message: String) {
        print(WorkflowCommand(level: level, properties: [("title", wording.domain.name)], message: message).line)
    }

    /// nil: a line of the log.
    private static func level(of kind: WatchEvent.Kind) -> WorkflowCommand.Level? {
        switch kind {
        case .inSync: .notice
        case .timeLimit, .interrupted: .error
        case .allUnreachable, .originUnreadable, .goalMoved: .warning
        default: nil
        }
    }
}
