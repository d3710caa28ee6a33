import Foundation
import MonitorConfiguration
import Monitoring
import Storage

/// Keeps the line that `systemctl status` shows: live counts, sent where they change.
struct StatusLine: Sendable {
    let notifier: ServiceNotifier
    let store: Store
    let live: LiveConfiguration

    private static let pause: Duration = .seconds(5)

    func run() async {
        var shown = ""
        while !Task.isCancelled {
            let line = await line()
            if line != shown, !Task.isCancelled { notifier.status(line) }
            shown = line
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func line() async -> String {
        let domains = live.current.domains.count
        do {
            let failing = try await store.statusCounts().reduce(0) { $0 + ($1.key < .atRisk ? $1.value : 0) }
            let incidents = try await store.openIncidentCounts().reduce(0) { $0 + $1.count }
            return Self.line(domains: domains, failing: failing, incidents: incidents)
        } catch {
            return "the store cannot be read"
        }
    }

    static func line(domains: Int, failing: Int, incidents: Int) -> String {
        "\(domains) \(domains == 1 ? "domain" : "domains"), \(failing) failing, "
            + "\(incidents) \(incidents == 1 ? "incident" : "incidents") open"
    }
}
