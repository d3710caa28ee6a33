import ArgumentParser
import MonitorConfiguration

/// `aasa-monitor config check`: every fault of a configuration, before it is used.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Examine a configuration.", subcommands: [Check.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "List every fault of a configuration, with line and column.")

        @OptionGroup var configuration: ConfigurationOptions

        func run() async throws {
            let path = try configuration.resolvedPath()
            let file = try ConfigurationOptions.load(path)
            let count = file.domains.count
            Console.print("\(path): valid, \(count) \(count == 1 ? "domain" : "domains")")
        }
    }
}
