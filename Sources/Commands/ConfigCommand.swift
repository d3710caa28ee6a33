import Alerting
import ArgumentParser
import Daemon
import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Storage

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
                port, channels. Sends nothing. Run it as the user that the daemon runs as. For root, a configuration in \
                /etc/aasa-monitor is examined as user aasa-monitor, as the service runs.
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
            if !examined.listedLabels.isEmpty {
                counts[0] += " (labels of the list: \(examined.listedLabels.joined(separator: ", ")))"
            }
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

/// What on this machine would stop `run`, or make it useless, although the configuration is valid. Looks at files, folders
/// and ports, sends nothing, and resolves no name.
struct RunReadiness {
    let configuration: ExaminedConfiguration

    private var file: ConfigurationFile { configuration.file }

    /// Errors stop `run`; warnings do not.
    var problems: [ConfigurationProblem] {
        [authorities, store, address, channels].compactMap(\.self) + unheard
    }

    /// What happens to a domain and reaches nobody at once. Steps of the escalation come later.
    private var unheard: [ConfigurationProblem] {
        guard !file.alerts.channels.isEmpty else { return [] }
        var domains: [String: [Domain]] = [:]
        // Domains with the same channels and labels are routed alike.
        for (_, alike) in Dictionary(grouping: file.domains, by: { Routed(channels: $0.channels, labels: $0.labels) }) {
            guard let first = alike.first, let routes = try? AlertRoutes(of: first.domain, file) else { continue }
            for rule in routes.incidents where rule.notifications.allSatisfy(\.isEscalation) {
                let severities = rule.severities.map(\.rawValue).joined(separator: " or ")
                domains["\(rule.subjects.joined(separator: ", ")) (\(severities))", default: []] += alike.map(\.domain)
            }
        }
        return domains.sorted { $0.key < $1.key }.map { what, alike in
            let who = alike.map(\.name).min() ?? ""
            return configuration.problem(
                .warning, at: "alerts.channels",
                "no channel is notified at once of \(what) of \(alike.count == 1 ? who : "\(alike.count) domains, such as \(who)"); "
                    + "see `aasa-monitor alert routes \(who)`")
        }
    }

    private struct Routed: Hashable {
        let channels: [String]?
        let labels: [String: String]
    }

    private var authorities: ConfigurationProblem? {
        do {
            try CertificateFile.check(of: file, option: "'ca_file'")
            return nil
        } catch {
            return configuration.problem(.error, at: "network.ca_file", error.message)
        }
    }

    private var store: ConfigurationProblem? {
        let path = URL(filePath: file.store.path).standardizedFileURL.path
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let user = Permission.name(of: geteuid())
        var isFolder: ObjCBool = false
        func problem(_ message: String) -> ConfigurationProblem {
            configuration.problem(.error, at: "store.path", message)
        }
        let shown = file.shown("'\(path.displayable)'", of: "store.path")
        let place = file.shown("'\(folder.displayable)'", of: "store.path")
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            return problem("the store's folder \(place) is missing; make it, or correct 'store.path'")
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            return problem("the store's folder \(place) is not writable for user \(user), who runs this command")
        }
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        if isFolder.boolValue {
            return problem("the store \(shown) is a folder; name a file in it in 'store.path'")
        }
        guard access(path, R_OK | W_OK) == 0 else {
            return problem("the store \(shown) is not writable for user \(user), who runs this command")
        }
        return nil
    }

    private var address: ConfigurationProblem? {
        let (host, port) = (file.server.host, file.server.port)
        let place = file.shown("\(HostAddress.inURL(host)):\(port)", of: "server.listen")
        return switch ListeningTrial.result(host: host, port: port) {
        // By the daemon that this configuration is of, as before a reload.
        case EADDRINUSE where Store.isInUse(path: file.store.path): nil
        case EADDRINUSE:
            configuration.problem(
                .warning, at: "server.listen",
                "another program listens on \(place) now; end it before `run`, or give 'server.listen' another port")
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            configuration.problem(
                .error, at: "server.listen",
                "this machine has no address \(file.shown(host, of: "server.listen")); give 'server.listen' one of its own, such as 127.0.0.1:9630"
            )
        case EACCES, EPERM:
            configuration.problem(
                .error, at: "server.listen",
                "user \(Permission.name(of: geteuid())), who runs this command, may not listen on \(place); give 'server.listen' a port "
                    + "above 1023")
        default: nil
        }
    }

    private var channels: ConfigurationProblem? {
        guard file.alerts.channels.isEmpty else { return nil }
        return configuration.problem(
            .warning, at: "alerts.channels",
            "no channel is configured, so no alert is sent; give at least one under 'alerts.channels'")
    }
}

/// Whether an address can be listened on now.
private enum ListeningTrial {
    /// - Returns: 0, or the system's error; 0 for a host that only a name server knows.
    static func result(host: String, port: Int) -> Int32 {
        guard port != 0 else { return 0 }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let numeric = host.lowercased() == "localhost" ? "127.0.0.1" : host
        guard getaddrinfo(numeric, "\(port)", &hints, &found) == 0, let address = found?.pointee else { return 0 }
        defer { freeaddrinfo(found) }
        let handle = socket(address.ai_family, address.ai_socktype, 0)
        guard handle >= 0 else { return errno }
        defer { close(handle) }
        // As the server does, so that what an ended daemon left behind does not count.
        var isOn: Int32 = 1
        setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return bind(handle, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno
    }
}
