import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import ServiceLifecycle
import Storage

/// Removes what was kept for long enough, once an hour.
struct RetentionService: NamedService {
    let store: Store
    let live: LiveConfiguration
    let time: any Timekeeper
    let logger: Logger

    private static let interval: Duration = .seconds(3600)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await store.prune(now: time.now(), keepObservations: live.current.store.keepObservations)
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("old rows not removed: store write failed", metadata: ["error": "\(error)"])
                }
                try? await time.sleep(for: Self.interval)
            }
        }
    }
}
