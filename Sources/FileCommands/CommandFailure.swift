import AASA
import ArgumentParser
import Evidence

/// The exit codes of the contract. ArgumentParser uses 64 for usage errors; we use it for targets that are not domains
/// too.
package enum MonitorExit: Int32 {
    /// At least one error finding.
    case found = 1
    case usage = 64
    /// `match`, `diff`: a source is not an association file.
    case notAFile = 65
    /// An input file is missing or cannot be read.
    case noInput = 66
    /// A fault of the program or of its machine.
    case software = 70
    case configuration = 78
    /// Ctrl-C in a long-running command: 128 plus the number of the signal, as in shells.
    case interrupted = 130
    /// The reader of a long-running command has gone: 128 plus the number of SIGPIPE.
    case unread = 141

    package var code: ExitCode { ExitCode(rawValue) }
}

/// A failure: the exit code, and the message for standard error (empty if the command has already printed one).
package struct CommandFailure: Error, CustomStringConvertible {
    package let exit: MonitorExit
    package let message: String

    package var description: String { message }

    package init(_ exit: MonitorExit, _ message: String) {
        self.exit = exit
        self.message = message
    }
}

extension CommandFailure {
    /// A mistake in a command line, in the format of this program's other errors. `error`: what ArgumentParser threw
    /// for these arguments. `root`: has the list of commands.
    package init(_ error: any Error, in arguments: [String], of root: any ParsableCommand.Type) {
        let path = CommandPath(arguments, of: root)
        let advice = "Try '\(path.text) --help' for more information."
        let help = root.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix("Help:  ") }
        let words = [Self.plain(root.message(for: error)), help.map { "  \($0.dropFirst("Help:  ".count))" }]
        let lines = path.complaint.map { [$0] } ?? words.compactMap(\.self)
        self.init(.usage, (lines + [advice]).joined(separator: "\n"))
    }

    /// ArgumentParser's message with a lower-case first letter, like our own messages.
    private static func plain(_ text: String) -> String {
        guard let first = text.first, text.dropFirst().first?.isUppercase == false else { return text }
        return first.lowercased() + text.dropFirst()
    }
}

/// The path of a command line's words through the tree of commands.
struct CommandPath {
    /// Beginning with the program's name: `aasa-monitor config check`.
    private(set) var names: [String]
    /// The first word that should name a command and does not.
    private(set) var unknown: String?
    /// What was expected instead.
    private(set) var choices: [String] = []

    /// `arguments`: without the program's name. `root`: has the list of commands.
    init(_ arguments: [String], of root: any ParsableCommand.Type) {
        names = [root._commandName]
        let asksForHelp = arguments.first == "help"
        var command = root
        // Before a command only options that end the program can come, such as --help.
        for word in arguments.dropFirst(asksForHelp ? 1 : 0).prefix(while: { !$0.hasPrefix("-") }) {
            let children = command.configuration.subcommands
            if let child = children.first(where: { Self.names(of: $0).contains(word) }) {
                names.append(child._commandName)
                command = child
                continue
            }
            let isGroup = !children.isEmpty && command.configuration.defaultSubcommand == nil
            guard asksForHelp || isGroup || !children.isEmpty && !word.contains(".") else { return }
            // If a command has a default subcommand, the word may also be an argument.
            choices = children.flatMap { Self.names(of: $0) }
            if asksForHelp || isGroup || !Spelling.suggestion(for: word, among: choices).isEmpty { unknown = word }
            return
        }
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }

    var text: String { names.joined(separator: " ") }

    /// What is wrong with the unknown word.
    var complaint: String? {
        guard let unknown else { return nil }
        let name = names.dropFirst().map { "\($0) " }.joined()
        let hint = Spelling.suggestion(for: unknown, among: choices)
        if hint.isEmpty, choices.contains("check"), unknown.contains(".") {
            return "there is no command '\(unknown.displayable)'; to check a domain: aasa-monitor check "
                + unknown.displayable
        }
        let known = names.count > 1 && !choices.isEmpty ? "; the commands are \(choices.joined(separator: ", "))" : ""
        return "there is no command '\(name)\(unknown.displayable.shortened(to: 80))'\(hint.isEmpty ? known : hint)"
    }
}
