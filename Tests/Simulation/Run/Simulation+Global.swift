// All sites together: the global evaluation, what the product decided about its network, and problems that many sites
// share.

import Evidence
import Facts
import Foundation
import Monitoring

extension Simulation {
    /// The service evaluates every few seconds. Here that happens only when it can make a difference: soon after a
    /// change, while something is unsettled, and otherwise now and then.
    func evaluateGlobal() async {
        guard let process, dueEvaluation.map({ $0 <= clock.passed }) ?? true, busy.insert("global").inserted else {
            return
        }
        defer { busy.remove("global") }
        dueEvaluation = nil
        await process.evaluateGlobal()
        guard !process.trouble.isDead else { return }
        takeIn()
        let isUnsettled = (try? reading?.isGlobalUnsettled()) ?? true
        planEvaluation(process, after: isUnsettled || process.trouble.isUnderWay ? 15_000 : 600_000)
    }

    func planEvaluation(_ process: SimulatedProcess, after pause: Int64) {
        let at = clock.passed + pause
        guard dueEvaluation.map({ $0 > at }) ?? true else { return }
        dueEvaluation = at
        agenda.add(.evaluate(life: process.life), at: at)
    }

    // MARK: - Problems of many sites

    func turnMany() {
        let now = clock.passed
        agenda.add(.many(isOver: false), at: now + siteDice.hours(mean: 40))
        guard !isManyIll else { return }
        let lasts = siteDice.hours(mean: siteDice.happens(0.3) ? 0.3 : 5)
        let spared = siteDice.happens(0.4) ? siteDice.number(0...sites.count - 1) : -1
        let name: String
        switch siteDice.number(0...3) {
        case 0:
            name = "the CDN is away"
            for site in sites.indices where site != spared { sites[site].isCDNAway = true }
        case 1:
            name = "the CDN loses its copies"
            for site in sites.indices where site != spared {
                sites[site].edges = sites[site].edges.map { _ in .refused(maxAge: 3600) }
            }
        case 2:
            name = "origins and the CDN are away"
            for site in sites.indices where site != spared {
                sites[site].isCDNAway = true
                sites[site].origin = .failed(.timedOut, .connecting)
            }
        default:
            name = "the origins change and the CDN stands still"
            for site in sites.indices where site != spared {
                sites[site].newest += 1
                sites[site].former = sites[site].version
                sites[site].version = sites[site].newest
                for edge in sites[site].edges.indices {
                    agenda.add(.site(site, .crawl(edge: edge, version: nil)), at: now + 30 * Self.hour + lasts)
                }
            }
        }
        log.note(now, "many: \(name), except \(spared)")
        figures.count("many sites: \(name)")
        isManyIll = true
        agenda.add(.many(isOver: true), at: now + lasts)
    }

    func mendMany() {
        isManyIll = false
        log.note(clock.passed, "many: over")
        // Sometimes the problem remains at one site, the one with the most frequent checks.
        let late = isVaried && siteDice.happens(0.5) ? 0 : nil
        if let late {
            let end = clock.passed + siteDice.hours(mean: 4)
            for turn in [SiteTurn.mend, .cdnMend, .crawl(edge: 0, version: nil), .crawl(edge: 1, version: nil)] {
                agenda.add(.site(late, turn), at: end)
            }
        }
        for site in sites.indices where site != late {
            sites[site].isCDNAway = false
            if case .failed = sites[site].origin { sites[site].origin = .well }
            for edge in sites[site].edges.indices {
                guard case .refused = sites[site].edges[edge] else { continue }
                agenda.add(.site(site, .crawl(edge: edge, version: nil)), at: clock.passed + siteDice.hours(mean: 1))
            }
        }
    }

    // MARK: - What the product decided about the network

    func reachesCanaries() -> Bool {
        // No time passes here. Otherwise concurrent callers and this one would wait for each other.
        canariesReached = !isOffline
        figures.count("reference hosts asked")
        return !isOffline
    }

    /// The product may suspect its own network only if a check reached nobody, and the reference hosts or most other
    /// checks reached nobody either.
    func note(_ network: LocalNetwork, of domain: Domain) {
        if network == .trusted, let site = sites.firstIndex(where: { $0.name == domain.name }) { noteNoWitness(site) }
        guard network == .suspect, let site = sites.firstIndex(where: { $0.name == domain.name }),
            let last = fetches[site]?.indices.last
        else { return }
        checking {
            let fetched = fetches[site]?[last]
            let isLost =
                fetched?.origin == .unreachable && fetched?.edges.isEmpty == true || fetched?.origin == .unknown
            let isBorneOut =
                setupOfLife.hasCanaries
                ? !canariesReached : lostSites(besides: site) >= 4 || !othersReach(besides: site)
            guard isLost, isBorneOut else {
                throw Violation(
                    rule: .evaluation,
                    detail: "the local network is suspect, but the check of \(domain) reached a server")
            }
        }
        figures.count("checks with the local network suspect")
        fetches[site]?[last].origin = .unknown
        fetches[site]?[last].edges = [:]
        fetches[site]?[last].certificates = [:]
    }

    /// A check that reached nobody says nothing about its site if no other check reached anybody, unless Apple's CDN
    /// was already unreachable.
    private func noteNoWitness(_ site: Int) {
        guard let last = fetches[site]?.indices.last, let fetched = fetches[site]?[last],
            fetched.origin == .unreachable,
            fetched.edges.isEmpty, states[site]?.reachability.isCDNOutAlone != true, !othersReach(besides: site),
            !(setupOfLife.hasCanaries && canariesReached)
        else { return }
        figures.count("checks without a witness")
        fetches[site]?[last].origin = .unknown
    }

    /// Whether another site's last check reached anybody, if it is recent enough to count.
    private func othersReach(besides site: Int) -> Bool {
        guard let now = process?.time.now() else { return false }
        return states.contains { key, state in
            guard key != site, let checked = state.lastCheckedAt, !state.reachability.isLost else { return false }
            return now.timeIntervalSince(checked) <= 2 * (setup.intervals[key] / .seconds(1)) + 60
        }
    }

    private func lostSites(besides site: Int) -> Int {
        states.count { $0.key != site && $0.value.reachability.isLost }
    }
}
