// Requested checks: they take a while, so that tests can see the pages meanwhile.

import Evidence
import Foundation
import Monitoring
import StatusServer
import Storage
import Synchronization

package final class StageChecks: Sendable {
    private let sites: [StageSite]
    private let store: Store
    private let underWay = Mutex<Set<Domain>>([])

    package init(_ sites: [StageSite], _ store: Store) {
        self.sites = sites
        self.store = store
    }

    /// Longer than a busy machine needs to show the page that says that a check is running.
    private static let length: Duration = .seconds(10)

    package func actions(now: Date) -> MonitorActions {
        MonitorActions(
            checkNow: { domain, wait in
                guard let site = self.sites.first(where: { $0.name == domain.name }) else { return .notWatched }
                self.underWay.withLock { _ = $0.insert(domain) }
                let check = Task {
                    try await Task.sleep(for: Self.length)
                    let state = try await self.store.state(of: domain) ?? DomainState(domain: domain)
                    _ = try await site.check(state, into: self.store, at: now)
                    self.underWay.withLock { _ = $0.remove(domain) }
                }
                guard wait < Self.length else { return (try? await check.value) == nil ? .underWay : .done }
                try? await Task.sleep(for: wait)
                return .underWay
            }, isChecking: { domain in self.underWay.withLock { $0.contains(domain) } })
    }
}
