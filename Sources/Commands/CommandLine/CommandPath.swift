import ArgumentParser
import Evidence
import MonitorConfiguration

/// How far the words of a command line lead into the tree of commands.
struct CommandPath {
    /// From the program's name on: `aasa-monitor config check`.
    private(set) var names = [AasaMonitor._commandName]
    /// The first word where a command was expected and none of that name exists.
    private(set) var unknown: String?
    /// What was expected in its place.
    private(set) var choices: [String] = []

    /// `arguments`: without the program's name.
    init(_ arguments: [String]) {
        let asksForHelp = arguments.first == "help"
        var command: any ParsableCommand.Type = AasaMonitor.self
        // No option stands before a command, but those that end the program.
        for word in arguments.dropFirst(asksForHelp ? 1 : 0).prefix(while: { !$0.hasPrefix("-") }) {
            let children = command.configuration.subcommands
            if let child = children.first(where: { Self.names(of: $0).contains(word) }) {
                names.append(child._commandName)
                command = child
                continue
            }
            let isGroup = !children.isEmpty && command.configuration.defaultSubcommand == nil
            guard asksForHelp || isGroup || !children.isEmpty && !word.contains(".") else { return }
            // Of a command with a default the word may as well be an argument.
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
        if hint.isEmpty, names.count == 1, unknown.contains(".") {
            return "there is no command '\(unknown.displayable)'; to check a domain: aasa-monitor check "
                + unknown.displayable
        }
        let known = names.count > 1 && !choices.isEmpty ? "; there are \(choices.joined(separator: ", "))" : ""
        return "there is no command '\(name)\(unknown.displayable.shortened(to: 80))'\(hint.isEmpty ? known : hint)"
    }
}
