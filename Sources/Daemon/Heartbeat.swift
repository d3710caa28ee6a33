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

    /// Beats until the task is cancelled.
    func run() async {
        var mark = await progress()
        let trouble = LogDeduplicator()
        while !Task.isCancelled {
            guard (try? await live.sleep(time, for: { $0.heartbeat?.every })) != nil else { return }
            guard let settings = live.current.heartbeat else { continue }
            await beat(since: &mark, trouble, to: settings.url)
        }
    }

    private func beat(since mark: inout WorkProgress?, _ trouble: LogDeduplicator, to url: Secret) async {
        guard let present = await progress() else {
            return keepSilent("the store cannot be read", trouble)
        }
        guard let last = mark else {
            // Nothing to compare with: the store could not be read at the start.
            mark = present
            return
        }
        let channels = Set(live.current.alerts.channels.map(\.name))
        switch present.standstill(since: last, now: time.now(), channels: channels) {
        case .checks: return keepSilent("no check was stored since the last one", trouble)
        case .delivery(let channels):
            return keepSilent(
                "overdue messages were not attempted since the last one: \(channels.joined(separator: ", "))", trouble)
        case .untold(let incident):
            return keepSilent("no channel takes incident \(incident.prefix(12)): nobody was notified of it", trouble)
        case nil: break
        }
        // Also where the ping is not taken: the next one needs work that was done after this.
        mark = present
        await ping(url.reveal(), trouble)
    }

    private func progress() async -> WorkProgress? {
        do {
            return try await store.progress(now: time.now())
        } catch {
            if !Task.isCancelled { logger.debug("progress cannot be read", metadata: ["error": "\(error)"]) }
            return nil
        }
    }

    private func keepSilent(_ reason: String, _ trouble: LogDeduplicator) {
        guard !Task.isCancelled, trouble.isNews(reason) else { return }
        logger.error("heartbeat not sent", metadata: ["reason": "\(reason)"])
    }

    func ping(_ url: String, _ trouble: LogDeduplicator) async {
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
