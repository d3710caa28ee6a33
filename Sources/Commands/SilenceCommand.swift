import ArgumentParser

/// `aasa-monitor silence`: suppresses messages for a while. A domain has a dot, so no subcommand can be taken for one.
struct SilenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence", abstract: "Suppress messages about a domain for a while.",
        usage: """
            aasa-monitor silence TARGET... --for 2h --reason TEXT
            aasa-monitor silence list
            aasa-monitor silence end ID...
            """,
        discussion: """
            A silence stops messages, not checks: incidents open and resolve, and the status page shows all of them. When it \
            ends, each channel is notified of what is still true and new to it. A running daemon reacts within seconds.
            """,
        subcommands: [SilenceAdd.self, SilenceList.self, SilenceEnd.self], defaultSubcommand: SilenceAdd.self)
}
