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
            commandName: "check", abstract: "List every fault of a configuration, with line and column.",
            discussion: """
                Also looks for what would stop `run` on this machine, or make it useless: files, the store's folder, the \
                port, channels. Sends nothing. Run it as the user that the daemon runs as.
                """)

        @Argument(
            help: ArgumentHelp(
                "The configuration; - reads it from standard input (default: as --config).", valueName: "file"),
            completion: .file())
        var file: String?

        @OptionGroup var configuration: ConfigurationOptions

        func validate() throws {
            if file != nil, configuration.path != nil {
                throw ValidationError("the configuration is named twice; give it as FILE or as --config FILE")
            }
        }

        func run() async throws {
            let path = try file ?? configuration.resolvedPath()
            let examined = try ConfigurationOptions.explaining(path) { path in
                try ConfigurationLoader.examine(path: path == "-" ? nil : path)
            }
            let problems = (examined.warnings + RunReadiness(configuration: examined).problems)
                .sorted { ($0.line, $0.column) < ($1.line, $1.column) }
            guard !problems.contains(where: { $0.severity == .error }) else {
                let lines = problems.map(\.description).joined(separator: "\n")
                throw CommandFailure(
                    .configuration, "the configuration is valid, but `run` cannot start with it\n\(lines)")
            }
            for problem in problems { Console.note("\(problem)") }
            let (domains, channels) = (examined.file.domains.count, examined.file.alerts.channels.count)
            var counts = [Self.count(domains, "domain"), Self.count(channels, "channel")]
            if !problems.isEmpty { counts.append(Self.count(problems.count, "warning")) }
            Console.print("\(examined.name): valid, \(counts.joined(separator: ", "))")
        }

        private static func count(_ number: Int, _ word: String) -> String {
            "\(number) \(word)\(number == 1 ? "" : "s")"
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
