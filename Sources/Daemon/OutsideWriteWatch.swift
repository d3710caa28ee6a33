import Foundation
import Logging
import ServiceLifecycle
import Storage

/// Notices that another process has written to the store, as `aasa-monitor outbox retry` does, and says so within seconds.
struct OutsideWriteWatch: Service {
    let store: Store
    let logger: Logger
    /// Told after each such write.
    let onChange: @Sendable () async -> Void
    /// Called at each look: for what the store did not take when it was due.
    let catchUp: @Sendable () async -> Void

    /// In real time, whatever the daemon's clock does: so do the people who type commands.
    private static let interval: Duration = .seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var seen: Int?
            while !Task.isCancelled {
                do {
                    let now = try await store.outsideWrites()
                    if let seen, seen != now { await onChange() }
                    seen = now
                } catch {
                    // A store in trouble is told by those who have something to write.
                    logger.debug("cannot tell whether the store has changed", metadata: ["error": "\(error)"])
                }
                await catchUp()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}
