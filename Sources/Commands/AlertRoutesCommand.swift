import ArgumentParser
import Daemon
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Storage

/// `aasa-monitor alert routes DOMAIN`: who would be notified of what, and when.
struct AlertRoutesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes", abstract: "Show who would be notified of what about a domain, and when.",
        discussion: """
            Asks the configuration the same questions that the daemon asks it. It needs no daemon and sends nothing; where \
            the store is at hand, silences of the domain are shown too.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(help: "text or json.") var format = Format.text
    @OptionGroup var configuration: ConfigurationOptions
    @Argument(help: "The domain.", completion: DomainCompletion.kind) var domain: String

    func run() async throws {
        let targets = try Targets.read([domain])
        guard targets.count == 1, let target = targets.first else {
            throw CommandFailure(.usage, "routes are of one domain, not of \(targets.count)")
        }
        let path = try configuration.resolvedPath()
        let file = try ConfigurationOptions.load(path)
        try await RunCommand.explaining {
            guard let routes = try AlertRoutes(of: target.domain, file) else {
                let hint = Spelling.suggestion(for: target.domain.name, among: file.domains.map(\.domain.name))
                throw CommandFailure(.usage, "\(path) does not name \(target.domain)\(hint)")
            }
            let now = Date()
            let text = RoutesText(
                routes, silences: await silences(of: routes, file.store.path, now: now), fallback: file.alerts.fallback,
                now: now)
            Console.print(format == .json ? text.json.text(isPretty: true) : text.text)
        }
    }

    /// Those that are not over and are for the domain; nil where no store can be read.
    private func silences(of routes: AlertRoutes, _ path: String, now: Date) async -> [Silence]? {
        guard FileManager.default.fileExists(atPath: path),
            let store = try? Store(path: path, access: .reader)
        else { return nil }
        defer { try? store.close() }
        return try? await store.silences(notOverAt: now).filter { silence in
            IncidentKind.ofDomains.contains {
                silence.scope.matches(domain: routes.domain, labels: routes.labels, kind: $0)
            }
        }
    }
}
