// All sites together: the judgement over them, what it keeps back, and the trouble that many of them share.

import Evidence
import Foundation
import Monitoring

/// What was committed about the fleet.
struct FleetBook {
    var state = FleetState()
    var incidents: [String: Incident] = [:]
    /// What was committed since rows were last looked at: transitions, and kinds whose waiting messages were taken back.
    var news: [Ledger.Transition] = []
    var recalled: Set<IncidentKind> = []
    /// What is kept back, as the audit has it: an open incident of the fleet keeps its kinds back, told or not.
    var kept: Set<IncidentKind> { Set(state.open.flatMap { Array($0.cause.withholds) }) }
}

extension Simulation {
    /// The service judges every few seconds; here it does where that can make a difference: soon after something new, while
    /// something is unsettled, and else now and then.
    func judge() async {
        guard let process, process.fleet != nil, dueJudgement.map({ $0 <= clock.passed }) ?? true,
            busy.insert("fleet").inserted
        else { return }
        defer { busy.remove("fleet") }
        dueJudgement = nil
        await process.judge()
        guard !process.trouble.isDead else { return }
        noteRows(process)
        let isUnsettled = fleet.state.open.contains { $0.incident.state != .firing || $0.calmSince != nil }
        judge(process, after: isUnsettled ? 15_000 : 600_000)
    }

    func judge(_ process: SimulatedProcess, after pause: Int64) {
        let at = clock.passed + pause
        guard process.fleet != nil, dueJudgement.map({ $0 > at }) ?? true else { return }
        dueJudgement = at
        agenda.add(.judge(life: process.life), at: at)
    }

    /// Takes in what changed in the store: first the transitions of the fleet, since rows are about them.
    /// - Returns: how many rows are new.
    func takeIn(_ reading: StoreReading) throws -> Int {
        try takeInTransitions(of: reading)
        let before = audit.recalled.count
        let fresh = try audit.take(reading, recalled: fleet.recalled)
        fleet.recalled = []
        if audit.recalled.count > before {
            figures.count("messages taken back by a parent", audit.recalled.count - before)
        }
        let news = fleet.news
        fleet.news = []
        if !news.isEmpty {
            // Of what somebody has in hand nobody can tell a reminder from an update by the count alone.
            try audit.check(
                news.filter { $0.reason == nil }, channels: receivers.keys.sorted(), withheld: reading.withheld())
        }
        return fresh
    }

    func takeInTransitions(of reading: StoreReading) throws {
        guard setup.hasFleet else { return }
        let (stored, incidents) = try reading.fleet()
        let state = stored ?? FleetState()
        for open in state.open where fleet.state[open.cause]?.incident.id != open.incident.id {
            fleet.recalled.formUnion(open.cause.withholds)
            figures.count("fleet: \(open.cause.label) suspected")
        }
        let causes = Dictionary((state.ended + state.open).map { ($0.incident.id, $0.cause) }) { _, last in last }
        for (id, incident) in fleet.incidents where incidents[id] == nil && incident.sequence > 0 {
            throw Violation(rule: .nothingLost, detail: "the incident \(id) of the fleet was told of and has vanished")
        }
        let news = try audit.ledger.noteFleet(from: fleet.incidents, to: incidents) { incident, _ in
            // What is in neither list was told past the store.
            (
                setupOfLife.fleetChannels(of: causes[incident.id] ?? .store),
                inHand.contains(incident.id) ? .inHand : nil
            )
        }
        for one in news {
            figures.count("fleet: \(causes[one.incident]?.label ?? "?") \(one.isEnd ? "ended" : "told")")
            log.note(clock.passed, "  \(one.kind.rawValue) \(one.incident.prefix(8)) number \(one.sequence)")
        }
        fleet.state = state
        fleet.incidents = incidents
        fleet.news += news
    }

    /// Nothing of the fleet is open once all is well, but for a channel that nobody has had to speak to since.
    func checkFleetAtRest() throws {
        for open in fleet.state.open {
            if case .channel = open.cause { continue }
            throw Violation(
                rule: .comesToRest, detail: "\(open.incident.kind.rawValue) (\(open.cause.label)) is still open")
        }
    }

    // MARK: - Trouble of many sites

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
        log.note(now, "many: \(name), but for \(spared)")
        figures.count("many sites: \(name)")
        isManyIll = true
        agenda.add(.many(isOver: true), at: now + lasts)
    }

    func mendMany() {
        isManyIll = false
        log.note(clock.passed, "many: over")
        for site in sites.indices {
            sites[site].isCDNAway = false
            if case .failed = sites[site].origin { sites[site].origin = .well }
            for edge in sites[site].edges.indices {
                guard case .refused = sites[site].edges[edge] else { continue }
                agenda.add(.site(site, .crawl(edge: edge, version: nil)), at: clock.passed + siteDice.hours(mean: 1))
            }
        }
    }

    // MARK: - What the product made of the network

    func noteJudging(_ isJudging: Bool) { self.isJudging = isJudging }

    func reachesCanaries() -> Bool {
        // No time passes: others who ask meanwhile would wait for this answer, and this one for them.
        canariesReached = !isOffline
        figures.count("reference hosts asked")
        return !isOffline
    }

    /// Doubt is for looks that met nobody, while the reference hosts or most other looks met nobody either.
    func noteEgress(_ egress: Egress, of domain: Domain) {
        guard egress == .inDoubt, let site = sites.firstIndex(where: { $0.name == domain.name }),
            let last = sights[site]?.indices.last
        else { return }
        checking {
            let sight = sights[site]?[last]
            let isLost = sight?.origin == .unreachable && sight?.copies.isEmpty == true
            let isBorneOut = setupOfLife.hasCanaries ? !canariesReached : lostSites(besides: site) >= 4
            guard isLost, isBorneOut else {
                throw Violation(rule: .judgement, detail: "our own network is doubted, and \(domain) was met")
            }
        }
        figures.count("looks made in doubt of our own network")
        sights[site]?[last].origin = .unknown
        sights[site]?[last].copies = []
    }

    private func lostSites(besides site: Int) -> Int {
        states.count { $0.key != site && $0.value.reach.isLost }
    }
}

extension FleetCause {
    /// Without the name of a channel.
    var label: String { String(name.prefix { $0 != "/" }) }
}
