import Alerting
import ArgumentParser
import Daemon
import Evidence
import MonitorConfiguration

/// `aasa-monitor config`: examines a configuration before it is used.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Examine a configuration.",
        subcommands: [Check.self, Show.self, Schema.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "List every error in a configuration, with line and column.",
            discussion: """
                Also reads the files of secrets, certificates and domains that the configuration names, and nothing \
                else. Problems of the machine (the store, the port) show when `run` starts. When root examines a \
                configuration in /etc/aasa-monitor, the command switches to user aasa-monitor, as the service does.
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
            try ServiceUser.become(for: path)
            let examined = try ConfigurationOptions.explaining(path) { path in
                try ConfigurationLoader.examine(path: path == "-" ? nil : path)
            }
            try CertificateFile.check(of: examined.file)
            let problems = examined.warnings + UnheardIncidents(configuration: examined).problems
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

        @Option(.yaml, .json) var format: OutputFormat
        @OptionGroup var configuration: ConfigurationOptions

        func run() async throws {
            let file = try ConfigurationOptions.load(try configuration.resolvedPath())
            let values = file.effective
            Console.print(format == .yaml ? values.yaml : values.text(isPretty: true))
        }
    }

    struct Schema: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Print the JSON Schema of monitor.yaml, for editors.",
            discussion: """
                An editor with a YAML language server uses it if the file begins with
                # yaml-language-server: $schema=PATH
                """)

        func run() async throws {
            Console.print(ConfigurationFile.schema.text(isPretty: true))
        }
    }
}

/// Finds incidents for which a valid configuration notifies nobody.
struct UnheardIncidents {
    let configuration: ExaminedConfiguration

    private var file: ConfigurationFile { configuration.file }

    var problems: [ConfigurationProblem] {
        if let words = file.alerts.warningOfSilence {
            return [configuration.warning(at: "alerts.channels", words)]
        }
        return unheard
    }

    /// Incidents of a domain for which nobody is notified immediately. Escalation steps come later.
    private var unheard: [ConfigurationProblem] {
        var domains: [String: [Domain]] = [:]
        for (_, alike) in Dictionary(grouping: file.domains, by: \.channels) {
            guard let first = alike.first, let routes = AlertRoutes(of: first.domain, file) else { continue }
            for rule in routes.incidents where rule.notifications.allSatisfy(\.isEscalation) {
                let severities = rule.severities.map(\.rawValue).joined(separator: " or ")
                domains["\(rule.subjects.joined(separator: ", ")) (\(severities))", default: []] += alike.map(\.domain)
            }
        }
        return domains.sorted { $0.key < $1.key }.map { what, alike in
            let who = alike.map(\.name).min() ?? ""
            return configuration.warning(
                at: "alerts.channels",
                "no channel is notified immediately of \(what) for \(alike.count == 1 ? who : "\(alike.count) domains, such as \(who)"); "
                    + "see `aasa-monitor alert routes \(who)`")
        }
    }
}
