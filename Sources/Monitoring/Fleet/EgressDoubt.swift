// Whether this machine's own way out can be trusted. A guess in favour of the watched sites: as long as it stands, nothing
// is said about them.

import Evidence
import Foundation

package struct EgressDoubt: Equatable, Sendable {
    /// Since when nobody is met, as far as is known.
    package let since: Date
    /// The reference hosts that were not reached either; empty where there are none.
    package let canaries: [String]
    /// Of these domains nobody was met at the last look.
    package let domains: [Domain]

    /// So many looks must agree.
    static let least = 5
    /// More than so many of the latest looks say nothing new.
    private static let most = 20

    /// nil: no doubt. `canaries` decide where they were asked after the last look that met anybody. Without them, the
    /// latest looks do: at least five of different domains, of which at most one in ten met anybody.
    package init?(_ look: FleetLook, now: Date) {
        let checked = look.domains.filter { Self.isFresh($0, now) }
        let lost = checked.filter(\.reach.isLost)
        if let round = look.canaries {
            let lastMet = checked.filter { !$0.reach.isLost }.compactMap(\.checkedAt).max()
            guard round.isLost, !lost.isEmpty, round.at > lastMet ?? .distantPast else { return nil }
            canaries = round.hosts
        } else {
            let latest = checked.sorted { $0.checkedAt ?? .distantPast > $1.checkedAt ?? .distantPast }
            guard Self.agrees(latest) else { return nil }
            canaries = []
        }
        domains = lost.map(\.domain)
        let run = lost.compactMap(\.reach.originLostSince).filter { now.timeIntervalSince($0) < 86_400 }
        since = run.min() ?? now
    }

    private static func agrees(_ latest: [DomainGlimpse]) -> Bool {
        guard latest.count >= least else { return false }
        return (least...min(latest.count, most)).contains { count in
            let looks = latest.prefix(count)
            let lost = looks.filter(\.reach.isLost)
            guard count - lost.count <= count / 10 else { return false }
            // Sites that nobody reads through Apple's CDN may all be down by themselves, unless there are no others.
            return lost.count { $0.reach.isCDNAsked } >= least || lost.count * 10 >= latest.count * 9
        }
    }

    /// What was seen before a stop says nothing of the present.
    private static func isFresh(_ glimpse: DomainGlimpse, _ now: Date) -> Bool {
        guard let checked = glimpse.checkedAt else { return false }
        return now.timeIntervalSince(checked) <= 2 * glimpse.interval.inSeconds + 60
    }
}
