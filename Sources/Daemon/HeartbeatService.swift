// The word to a watchdog elsewhere that the monitor gets on. It must never be said by a monitor that is stuck, so that it
// is earned by what was committed, and by nothing else.

import Curl
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import ServiceLifecycle
import Storage

struct HeartbeatService: Service {
    let live: LiveConfiguration
    let store: Store
    let driver: SharedDriver
    let userAgent: String
    let time: any Timekeeper
    let logger: Logger

    private static let timeout = Duration.seconds(15)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var mark = await progress()
            let trouble = ToldOnce()
            while !Task.isCancelled {
                guard (try? await live.sleep(time, for: { $0.heartbeat?.every })) != nil else { return }
                guard let settings = live.current.heartbeat else { continue }
                await beat(since: &mark, trouble, to: settings.url)
            }
        }
    }

    private func beat(since mark: inout WorkProgress?, _ trouble: ToldOnce, to url: Secret) async {
        guard let present = await progress() else {
            return keepSilent("the store cannot be read", trouble)
        }
        guard let last = mark else {
            // Nothing to compare with: the store could not be read at the start.
            mark = present
            return
        }
        switch present.standstill(since: last, now: time.now()) {
        case .checks: return keepSilent("no check was stored since the last one", trouble)
        case .outbox(let channels):
            return keepSilent(
                "overdue messages were not attempted since the last one: \(channels.joined(separator: ", "))", trouble)
        case nil: break
        }
        // Also where the ping is not heard: what is told next must have been done after this.
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

    private func keepSilent(_ reason: String, _ trouble: ToldOnce) {
        guard !Task.isCancelled, trouble.isNews(reason) else { return }
        logger.error("no heartbeat is sent", metadata: ["reason": "\(reason)"])
    }

    private func ping(_ url: String, _ trouble: ToldOnce) async {
        let request = TransferRequest(
            url: url, userAgent: userAgent, allowPlainHTTP: url.lowercased().hasPrefix("http://"),
            limits: TransferLimits(connectTimeout: .seconds(5), totalTimeout: Self.timeout, bodyBytes: 65_536),
            addressPolicy: .notLinkLocal)
        let result: TransferResult
        do {
            result = try await driver.use { try await $0.perform(request) }
        } catch {
            return
        }
        // Neither the words of the receiver nor those of the library are repeated: both may quote the URL, a secret.
        if let status = result.status, (200...299).contains(status) {
            if trouble.isOver() { logger.notice("heartbeats are sent again") }
        } else if !Task.isCancelled, trouble.isNews("the heartbeat was not taken") {
            logger.warning(
                "the heartbeat was not taken",
                metadata: [
                    "status": "\(result.status.map(String.init) ?? "none")",
                    "error": "\(result.error?.code.description ?? "")",
                ])
        }
    }
}
