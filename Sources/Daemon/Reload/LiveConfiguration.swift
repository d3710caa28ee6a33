// The configuration by which the daemon runs at this moment, a bell that rings when it is another one, and why the file
// is not it.

import Alerting
import Foundation
import MonitorConfiguration
import Monitoring
import Synchronization

final class LiveConfiguration: Sendable {
    private struct State {
        var configuration: ConfigurationFile
        var refusal: RefusedConfiguration?
    }

    private let state: Mutex<State>
    private let changes = Bell()

    init(_ configuration: ConfigurationFile) { state = Mutex(State(configuration: configuration)) }

    var current: ConfigurationFile { state.withLock(\.configuration) }

    /// Why the file is another one; nil where it is in force.
    var refusal: RefusedConfiguration? { state.withLock(\.refusal) }

    func replace(with configuration: ConfigurationFile) {
        state.withLock { $0 = State(configuration: configuration) }
        changes.ring()
    }

    /// The file is not taken, for a reason without secrets; the former configuration stays in force.
    func refuse(_ words: String, at now: Date) {
        state.withLock { $0.refusal = RefusedConfiguration(since: $0.refusal?.since ?? now, words: words) }
    }

    /// Sleeps until `period` of the then present configuration has gone by since the call. A change of the configuration
    /// does not begin the wait anew; without a period it sleeps until there is one.
    /// - Throws: `CancellationError`.
    func sleep(_ time: any Timekeeper, for period: @Sendable (ConfigurationFile) -> Duration?) async throws {
        let start = time.now()
        while true {
            try Task.checkCancellation()
            let rings = changes.rings
            guard let wanted = period(current) else {
                await changes.wait(past: rings)
                continue
            }
            // A clock that was set back must not make the wait longer than it is.
            let gone = Duration.seconds(max(0, time.now().timeIntervalSince(start)))
            guard gone < wanted else { return }
            let isOver = await withTaskGroup(of: Bool.self) { group in
                group.addTask { (try? await time.sleep(for: wanted - gone)) != nil }
                group.addTask {
                    await self.changes.wait(past: rings)
                    return false
                }
                defer { group.cancelAll() }
                return await group.next() ?? false
            }
            if isOver { return }
        }
    }

    /// Runs `body` with the present configuration, and anew with each later one, until the task is cancelled.
    func following(_ body: @Sendable @escaping (ConfigurationFile) async -> Void) async {
        while !Task.isCancelled {
            let rings = changes.rings
            let configuration = current
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    await body(configuration)
                    return false
                }
                group.addTask {
                    await self.changes.wait(past: rings)
                    return true
                }
                // A body that has nothing to do ends at once; the wait for another configuration goes on.
                while let isChanged = await group.next(), !isChanged {}
                group.cancelAll()
            }
        }
    }
}
