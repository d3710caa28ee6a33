// `--format`: the list of formats; each command names those that it has.

import ArgumentParser

/// The format of a command's output, for people or for other programs.
package enum OutputFormat: String, Sendable {
    case text, json, jsonl, markdown, github, junit, nagios, sarif, codequality, yaml

    /// What the help adds if the name alone does not explain it.
    fileprivate var note: String? {
        switch self {
        case .jsonl: "one object per line"
        case .github: "workflow annotations"
        case .nagios: "plugin output, exit codes 0 to 3"
        case .codequality: "GitLab"
        case .text, .json, .markdown, .junit, .sarif, .yaml: nil
        }
    }

    /// `text, json or sarif`
    fileprivate static func list(_ words: [String]) -> String {
        words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }
}

extension Option where Value == OutputFormat {
    /// The option of a command that has these formats, the first by default. `notes`: what its help says about one.
    package init(_ formats: OutputFormat..., notes: [OutputFormat: String] = [:]) {
        let words = formats.map { format in
            format.rawValue + ((notes[format] ?? format.note).map { " (\($0))" } ?? "")
        }
        self.init(
            wrappedValue: formats[0], help: ArgumentHelp(OutputFormat.list(words) + "."),
            completion: .list(formats.map(\.rawValue))
        ) { text in
            guard let format = OutputFormat(rawValue: text), formats.contains(format) else {
                let names = OutputFormat.list(formats.map { "'\($0.rawValue)'" })
                throw ValidationError("it takes \(names)")
            }
            return format
        }
    }
}
