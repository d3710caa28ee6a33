// What a changed configuration leaves behind in the store: domains that are no longer watched.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

package struct RemovedDomainCleanup: Sendable {
    private let store: Store
    private let time: any Timekeeper
    private let logger: Logger

    package init(store: Store, time: any Timekeeper, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
    }

    /// Resolves the incidents of every stored domain that is not in `watched`, and forgets the domain.
    /// - Returns: whether an incident changed, so that the delivery must be woken.
    @discardableResult
    package func run(keeping watched: Set<Domain>) async throws -> Bool {
        var hasChanged = false
        for summary in try await store.domains() where !watched.contains(summary.domain) {
            let evaluation = retire(summary.state, now: time.now())
            // The end is committed before the state goes: after a crash in between, nothing is left to resolve.
            let changes = try await store.commit(
                CheckRecord(
                    observation: nil, state: evaluation.state, changes: evaluation.changes,
                    dropped: evaluation.dropped))
            hasChanged = hasChanged || changes
            try await store.forget(summary.domain)
            logger.notice(
                "domain removed: no longer in the configuration",
                metadata: ["domain": "\(summary.domain)", "resolved": "\(evaluation.changes.count)"])
        }
        return hasChanged
    }
}
