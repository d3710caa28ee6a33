import Evidence
import Foundation
import Monitoring

/// The health of all watched domains. A check changes one entry, whatever their number.
struct FleetHealth: Sendable {
    /// In the order of names.
    private(set) var domains: [DomainHealth] = []
    private(set) var suspicion = NetworkSuspicion()
    private(set) var usualInterval: Duration = .zero
    /// nil: no domain is watched.
    private(set) var shortestInterval: Duration?
    private var places: [Domain: Int] = [:]

    init(intervals: [Domain: Duration]) { replace(intervals: intervals, at: .distantPast) }

    /// Takes other domains and intervals. What is new or changed is watched since `now`.
    mutating func replace(intervals: [Domain: Duration], at now: Date) {
        let known = places.mapValues { domains[$0] }
        domains = intervals.sorted { $0.key < $1.key }.map { domain, interval in
            var next = known[domain] ?? DomainHealth(DomainState(domain: domain), interval: interval)
            if known[domain]?.interval != interval { next.watchedSince = now }
            next.interval = interval
            return next
        }
        places = Dictionary(uniqueKeysWithValues: domains.indices.map { (domains[$0].domain, $0) })
        usualInterval = FleetSnapshot.usualInterval(domains.map(\.interval))
        shortestInterval = domains.map(\.interval).min()
    }

    mutating func note(_ state: DomainStanding) {
        guard let place = places[state.domain] else { return }
        let known = domains[place]
        domains[place] = DomainHealth(state, interval: known.interval, watchedSince: known.watchedSince)
        guard let checkedAt = state.lastCheckedAt else { return }
        suspicion.note(state.domain, state.reachability, interval: known.interval, at: checkedAt)
    }
}
