import Foundation
import Hummingbird
import Storage

/// Whether the monitor does its work: the store answers, and checks begin when they are due.
struct ReadyRoute: Sendable {
    let store: Store
    let lateness: @Sendable () -> TimeInterval

    /// A check that waits longer for its begin shows that the schedule is behind.
    private static let patience: TimeInterval = 60

    func answer() async -> Response {
        do {
            _ = try await store.incident(id: "")
        } catch {
            return Self.notReady("the store cannot be read")
        }
        let health = store.health
        if health.isFailing, health.lastError?.code == .displaced {
            return Self.notReady("the store was deleted or replaced")
        }
        let late = lateness()
        guard late <= Self.patience else { return Self.notReady("checks begin \(Int(late)) s late") }
        return Response(plain: "ready\n")
    }

    private static func notReady(_ words: String) -> Response {
        Response(plain: "not ready: \(words)\n", status: .serviceUnavailable)
    }
}
