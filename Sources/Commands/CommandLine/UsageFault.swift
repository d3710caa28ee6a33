import ArgumentParser
import MonitorConfiguration

/// A mistake in a command line, as this program reports all its errors.
struct UsageFault {
    /// Without the program's name.
    let message: String

    /// `error`: what ArgumentParser threw for these arguments.
    init(_ error: any Error, _ arguments: [String]) {
        let path = CommandPath(arguments)
        let advice = "Try '\(path.text) --help' for more information."
        if let complaint = path.complaint {
            message = "\(complaint)\n\(advice)"
            return
        }
        let help = AasaMonitor.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix("Help:  ") }
        let words = Self.plain(AasaMonitor.message(for: error))
        message = ([words] + (help.map { ["  \($0.dropFirst("Help:  ".count))"] } ?? []) + [advice])
            .joined(separator: "\n")
    }

    /// The values that an option takes, as one more clause; or the one that was meant.
    private static func withChoices(_ text: String) -> String {
        guard
            let parts = text.firstMatch(
                of: /^(The value '([^']*)' is invalid .*?)\. Please provide one of (.*)$/.dotMatchesNewlines())
        else { return text }
        let choices = parts.3.matches(of: /'([^']+)'|- (\S+)/).map { String($0.1 ?? $0.2 ?? "") }
        let hint = Spelling.suggestion(for: String(parts.2), among: choices)
        return parts.1 + (hint.isEmpty ? "; it takes \(choices.joined(separator: ", "))" : hint)
    }

    /// ArgumentParser's words in the form of ours: no capital at the start, no sentence of its own for a suggestion.
    private static func plain(_ text: String) -> String {
        var text = text.replacing(". Did you mean", with: "; did you mean")
        // ArgumentParser proposes the command's own options only.
        if let name = text.wholeMatch(of: /Unknown option '(-[^']+)'/)?.1 {
            text += Spelling.suggestion(for: String(name), among: ["--help", "--version"])
        }
        text = withChoices(text)
        guard let first = text.first, first.isUppercase, text.dropFirst().first?.isUppercase == false else {
            return text
        }
        return first.lowercased() + text.dropFirst()
    }
}
