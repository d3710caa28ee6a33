import ArgumentParser

/// `aasa-monitor silence`: keeps messages back for a while. A domain has a dot, so no subcommand can be taken for one.
struct SilenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence", abstract: "Keep messages about a domain back for a while.",
        usage: """
            aasa-monitor silence TARGET... --for 2h --reason TEXT
            aasa-monitor silence list
            aasa-monitor silence end ID...
            """,
        discussion: """
            A silence stops messages, not checks: incidents open and close, and the status page tells all. When it ends, \
            whoever knows less than the present is told the present. It goes through the store, and a running daemon \
            heeds it within seconds.
            """,
        subcommands: [SilenceAdd.self, SilenceList.self, SilenceEnd.self], defaultSubcommand: SilenceAdd.self)
}
