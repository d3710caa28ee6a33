import ArgumentParser
import Evidence
import MonitorConfiguration

/// `aasa-monitor config`: what a configuration says, before it is used.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Examine a configuration.",
        subcommands: [Check.self, Show.self, Schema.self])

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

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print the effective values, with defaults and without secrets.")

        enum Format: String, ExpressibleByArgument, CaseIterable { case yaml, json }

        @Option(help: "yaml or json.") var format = Format.yaml
        @OptionGroup var configuration: ConfigurationOptions

        func run() async throws {
            let file = try ConfigurationOptions.load(try configuration.resolvedPath())
            let values = EffectiveConfiguration(file: file).json
            Console.print(format == .yaml ? values.yaml : values.text(isPretty: true))
        }
    }

    struct Schema: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Print the JSON Schema of monitor.yaml, for editors.",
            discussion: """
                An editor with a YAML language server reads it where the file begins with
                # yaml-language-server: $schema=PATH
                """)

        func run() async throws {
            Console.print(String(decoding: PackageResources.monitor_schema_json.dropLast(), as: UTF8.self))
        }
    }
}
