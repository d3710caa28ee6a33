// Tells a watchdog elsewhere that the monitor works. A monitor that is stuck must never ping, so that a ping needs what was
// committed, and nothing else.

import Curl
import Facts
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Storage

struct Heartbeat: Sendable {
    let live: LiveConfiguration
    let store: Store
    let driver: SharedDriver
    let userAgent: String
    let time: any MonitorClock
    let logger: Logger

    private static let timeout = Duration.seconds(15)

    private let trouble = LogDeduplicator()

    /// Pings, if anything was done since `last`.
    /// - Returns: what the next ping is compared with.
    func beat(since last: WorkProgress?, to url: Secret) async -> WorkProgress? {
        guard let present = await progress() else {
            keepSilent("the store cannot be read")
            return last
        }
        // Nothing to compare with: the store could not be read at the start.
        guard let last else { return present }
        let channels = Set(live.current.alerts.channels.map(\.name))
        if let standstill = present.standstill(since: last, now: time.now(), channels: channels) {
            keepSilent(Self.words(standstill))
            return last
        }
        await ping(url.reveal())
        // Also where the ping is not taken: the next one needs work that was done after this.
        return present
    }

    private static func words(_ standstill: WorkProgress.Standstill) -> String {
        switch standstill {
        case .checks: "no check was stored since the last one"
        case .delivery(let channels):
            "overdue messages were not attempted since the last one: \(channels.joined(separator: ", "))"
        case .untold(let incident):
            "no channel takes incident \(incident.prefix(12)): nobody was notified of it"
        }
    }

    /// nil where the store cannot be read.
    func progress() async -> WorkProgress? {
        do {
            return try await store.progress(now: time.now())
        } catch {
            if !Task.isCancelled { logger.debug("progress cannot be read", metadata: ["error": "\(error)"]) }
            return nil
        }
    }

    private func keepSilent(_ reason: String) {
        guard !Task.isCancelled, trouble.isNews(reason) else { return }
        logger.error("heartbeat not sent", metadata: ["reason": "\(reason)"])
    }

    private func ping(_ url: String) async {
        let request = TransferRequest(
            url: url, userAgent: userAgent, allowPlainHTTP: url.lowercased().hasPrefix("http://"),
            limits: TransferLimits(connectTimeout: .seconds(5), totalTimeout: Self.timeout, bodyBytes: 65_536),
            addressPolicy: .noMetadata)
        let result: TransferResult
        do {
            result = try await driver.use { try await $0.perform(request) }
        } catch {
            return
        }
        // Neither the receiver's text nor the library's is logged: both may quote the URL, a secret.
        if let status = result.status, (200...299).contains(status) {
            if trouble.isOver() { logger.notice("heartbeats are sent again") }
        } else if !Task.isCancelled, trouble.isNews("heartbeat not taken") {
            logger.warning(
                "heartbeat not taken",
                metadata: [
                    "status": "\(result.status.map(String.init) ?? "none")",
                    "error": "\(result.error?.code.description ?? "")",
                ])
        }
    }
}
