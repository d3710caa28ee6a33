// All watched domains at once, one task each. How many requests run at the same time is the driver's limit.

import Alerting
import Evidence
import ServiceLifecycle
import Synchronization

/// Runs the watchers of the running configuration, and lets single ones end and begin while the others go on.
final class DomainScheduler: Service {
    private struct Entry {
        let watcher: DomainWatcher
        /// nil while the scheduler does not run.
        var task: Task<Void, Never>?
    }

    private struct State {
        var entries: [Domain: Entry] = [:]
        var isRunning = false

        mutating func begin(_ domain: Domain) {
            guard isRunning, let entry = entries[domain], entry.task == nil else { return }
            // It ends by cancellation only. A check that this cuts off is not committed: it never happened.
            entries[domain]?.task = Task { try? await entry.watcher.run() }
        }
    }

    private let state = Mutex(State())

    init(_ watchers: [DomainWatcher]) { start(watchers) }

    /// What is watched at present, and how.
    var configurations: [Domain: DomainConfiguration] {
        state.withLock { $0.entries.mapValues(\.watcher.configuration) }
    }

    func run() async throws {
        state.withLock { state in
            state.isRunning = true
            for domain in state.entries.keys { state.begin(domain) }
        }
        await cancelWhenGracefulShutdown { await Wakeup().wait(past: 0) }
        let domains = state.withLock { state in
            state.isRunning = false
            return Set(state.entries.keys)
        }
        await stop(domains)
    }

    func start(_ watchers: [DomainWatcher]) {
        state.withLock { state in
            for watcher in watchers {
                state.entries[watcher.configuration.domain] = Entry(watcher: watcher)
                state.begin(watcher.configuration.domain)
            }
        }
    }

    /// Ends the watchers of these domains. Once it returns, their last checks are committed or never happened.
    func stop(_ domains: Set<Domain>) async {
        let tasks = state.withLock { state in domains.compactMap { state.entries.removeValue(forKey: $0)?.task } }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
