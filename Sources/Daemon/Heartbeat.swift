// Pings an external watchdog while the monitor works. A stuck monitor must never ping, so a ping requires newly
// committed work.

import Curl
import Facts
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Storage

extension Housekeeping {
    private static let heartbeatTimeout = Duration.seconds(15)

    /// Pings if work was done since the last heartbeat.
    func beat() async {
        guard let url = parts.live.current.heartbeat?.url else { return }
        guard let present = await readProgress() else { return keepSilent("the store cannot be read") }
        // Nothing to compare with: the store could not be read at the start.
        guard let last = progress else {
            progress = present
            return
        }
        let channels = Set(parts.live.current.alerts.channels.map(\.name))
        if let stall = present.stall(since: last, now: parts.time.now(), channels: channels) {
            return keepSilent(Self.words(stall))
        }
        // Also if the ping fails: the next one requires work done after this.
        progress = present
        await ping(url.reveal())
    }

    private static func words(_ stall: WorkProgress.Stall) -> String {
        switch stall {
        case .checks: "no check was stored since the last one"
        case .delivery(let channels):
            "overdue messages were not attempted since the last one: \(channels.joined(separator: ", "))"
        case .undeliveredIncident(let incident):
            "no channel accepts incident \(incident.prefix(12)): nobody was notified of it"
        }
    }

    /// nil if the store cannot be read.
    func readProgress() async -> WorkProgress? {
        do {
            return try await parts.store.progress(now: parts.time.now())
        } catch {
            if !Task.isCancelled { parts.logger.debug("progress cannot be read", metadata: ["error": "\(error)"]) }
            return nil
        }
    }

    private func keepSilent(_ reason: String) {
        guard !Task.isCancelled, heartbeatTrouble.isNews(reason) else { return }
        parts.logger.error("heartbeat not sent", metadata: ["reason": "\(reason)"])
    }

    private func ping(_ url: String) async {
        let request = TransferRequest(
            url: url, userAgent: parts.environment.userAgent, allowPlainHTTP: url.lowercased().hasPrefix("http://"),
            limits: TransferLimits(connectTimeout: .seconds(5), totalTimeout: Self.heartbeatTimeout, bodyBytes: 65_536),
            addressPolicy: .noMetadata)
        let result: TransferResult
        do {
            result = try await parts.alerts.use { try await $0.perform(request) }
        } catch {
            return
        }
        // Neither the receiver's text nor curl's is logged: both may contain the URL, a secret.
        if let status = result.status, (200...299).contains(status) {
            if heartbeatTrouble.isOver() { parts.logger.notice("heartbeats are sent again") }
        } else if !Task.isCancelled, heartbeatTrouble.isNews("heartbeat failed") {
            parts.logger.warning(
                "heartbeat failed",
                metadata: [
                    "status": "\(result.status.map(String.init) ?? "none")",
                    "error": "\(result.error?.code.description ?? "")",
                ])
        }
    }
}
