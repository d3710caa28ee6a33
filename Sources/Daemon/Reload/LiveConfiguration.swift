// The configuration by which the daemon runs at this moment, a wakeup when it changes, and why the file was refused.

import Alerting
import Foundation
import MonitorConfiguration
import Monitoring
import Synchronization

final class LiveConfiguration: Sendable {
    private struct State {
        var configuration: ConfigurationFile
        var refusal: RefusedConfiguration?
        let takenAt = Date()
    }

    private let state: Mutex<State>
    private let changes = Wakeup()

    init(_ configuration: ConfigurationFile) { state = Mutex(State(configuration: configuration)) }

    var current: ConfigurationFile { state.withLock(\.configuration) }

    /// Why the file is another one; nil where it is in force.
    var refusal: RefusedConfiguration? { state.withLock(\.refusal) }

    /// When the one in force was read, by the machine's clock.
    var takenAt: Date { state.withLock(\.takenAt) }

    func replace(with configuration: ConfigurationFile) {
        state.withLock { $0 = State(configuration: configuration) }
        changes.signal()
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
            let generation = changes.generation
            guard let wanted = period(current) else {
                await changes.wait(past: generation)
                continue
            }
            let gone = Duration.seconds(time.now().timeIntervalSince(start))
            guard gone < wanted else { return }
            let isOver = await withTaskGroup(of: Bool.self) { group in
                group.addTask { (try? await time.sleep(for: wanted - gone)) != nil }
                group.addTask {
                    await self.changes.wait(past: generation)
                    return false
                }
                defer { group.cancelAll() }
                return await group.next() ?? false
            }
            if isOver { return }
        }
    }
}
