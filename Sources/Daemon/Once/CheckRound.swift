// One check of each domain, many at a time.

import Evidence
import Foundation
import Monitoring

struct CheckRound: Sendable {
    let watchers: [DomainWatcher]
    /// Checks under way at once.
    let concurrency: Int

    struct Outcome: Sendable {
        var failing = 0
        /// Checks that the store did not take.
        var discarded = 0
    }

    /// - Throws: `CancellationError`. What was committed before stays.
    func run() async throws -> Outcome {
        try await withThrowingTaskGroup(of: DomainState?.self) { group in
            var outcome = Outcome()
            func note(_ state: DomainState?) {
                guard let state else { return outcome.discarded += 1 }
                if state.verdict?.level == .failing { outcome.failing += 1 }
            }
            for (index, watcher) in watchers.enumerated() {
                if index >= concurrency, let state = try await group.next() { note(state) }
                group.addTask { try await watcher.checkOnce() }
            }
            for try await state in group { note(state) }
            return outcome
        }
    }
}
