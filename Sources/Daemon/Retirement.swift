// What a changed configuration leaves behind in the store: domains that nobody watches any more.

import Alerting
import Evidence
import Foundation
import Logging
import Monitoring
import Storage

package struct Retirement: Sendable {
    let store: Store
    let routes: Routes
    let time: any Timekeeper
    let logger: Logger

    package init(store: Store, routes: Routes, time: any Timekeeper, logger: Logger) {
        self.store = store
        self.routes = routes
        self.time = time
        self.logger = logger
    }

    /// Ends the incidents of every stored domain that is not in `watched`, tells their end, and forgets the domain.
    package func retireAll(except watched: Set<Domain>) async throws {
        for summary in try await store.domains() where !watched.contains(summary.domain) {
            let evaluation = retire(summary.state, now: time.now())
            let drafts = try routes.drafts(for: evaluation.events, domain: summary.domain)
            // The end is committed before the state goes: a crash in between finds nothing left to tell.
            try await store.commit(
                CheckRecord(
                    observation: nil, state: evaluation.state, incidents: evaluation.incidents,
                    dropped: evaluation.dropped, outbox: drafts))
            try await store.forget(summary.domain)
            logger.notice(
                "the domain is no longer watched; its open incidents are closed",
                metadata: ["domain": "\(summary.domain)", "incidents": "\(evaluation.incidents.count)"])
        }
    }
}
