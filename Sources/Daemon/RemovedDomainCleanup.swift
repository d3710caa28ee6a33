// What a changed configuration leaves behind in the store: domains that are no longer watched.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

package struct RemovedDomainCleanup: Sendable {
    private let store: Store
    private let time: any MonitorClock
    private let logger: Logger

    package init(store: Store, time: any MonitorClock, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
    }

    /// Resolves the incidents of every stored domain that is not in `watched`, and forgets the domain.
    /// - Returns: whether an incident changed, so that the delivery must be woken.
    @discardableResult
    package func run(keeping watched: Set<Domain>) async throws -> Bool {
        var hasChanged = false
        for domain in try await store.domainNames() where !watched.contains(domain) {
            var state = try await store.state(of: domain)
            if state == nil { state = try await store.firstState(of: domain) }
            guard let state else { continue }
            let evaluation = retire(state, now: time.now())
            // The end is committed before the state goes: after a crash in between, nothing is left to resolve.
            let changes = try await store.commit(evaluation)
            hasChanged = hasChanged || changes
            try await store.forget(domain)
            logger.notice(
                "domain removed: no longer in the configuration",
                metadata: [
                    "domain": "\(domain)",
                    "resolved": .stringConvertible(evaluation.changes.count { $0.transition == .resolved }),
                ])
        }
        return hasChanged
    }
}
