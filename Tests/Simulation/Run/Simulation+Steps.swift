// The product's own steps, each followed by the audit.

import Evidence
import Foundation
import Monitoring
import Storage

extension Simulation {
    func check(_ site: Int) async {
        let name = "check \(site)"
        guard let process, let domain = try? SimulatedSetup.domain(of: site),
            // What a reload has put off, as it took the site out and in again, is due another time.
            dueChecks[site].map({ $0 <= clock.passed }) ?? true, busy.insert(name).inserted
        else { return }
        defer { busy.remove(name) }
        sights[site] = []
        var first: DomainState?
        if states[site] == nil { first = try? await process.firstState(site) }
        guard let before = states[site] ?? first else { return scheduleCheck(site, process) }
        figures.count("checks")
        guard let after = try? await process.check(site, before) else { return }
        let seen = sights[site] ?? []
        guard after != before else {
            figures.count("checks that could not be stored")
            log.note(clock.passed, "check \(site) was not stored")
            if !process.trouble.isDead { scheduleCheck(site, process) }
            return
        }
        states[site] = after
        let now = after.lastCheckedAt ?? process.time.now()
        log.note(clock.passed, "check \(site) \(Self.words(seen)) -> \(Self.words(after))")
        checking {
            if let reading { try takeInTransitions(of: reading) }
            let news = try audit.ledger.note(
                from: before, to: after, channels: SimulatedSetup.channels(of: site)
            ) { incident, isReminder in
                if isReminder, inHand.contains(incident.id) { return .inHand }
                return keptBack(domain, incident.kind, at: now)
            }
            for one in news {
                figures.count("transitions \(one.isEnd ? "ended" : one.sequence == 1 ? "begun" : "in between")")
                log.note(clock.passed, "  \(one.kind.rawValue) \(one.incident.prefix(8)) number \(one.sequence)")
            }
            noteRows(process)
            if let reading { try audit.check(news, channels: receivers.keys.sorted(), withheld: reading.withheld()) }
            try outlooks[site, default: Outlook()].take(seen, after, setupOfLife, now: now)
        }
        scheduleCheck(site, process)
        judge(process, after: 2000)
        await lookAtSilences()
    }

    func step(_ channel: String) async {
        guard let process, dueSteps[channel] == nil || dueSteps[channel] ?? 0 <= clock.passed,
            busy.insert(channel).inserted
        else { return }
        defer { busy.remove(channel) }
        dueSteps[channel] = nil
        do {
            let next = try await process.step(channel)
            guard !process.trouble.isDead else { return }
            noteRows(process)
            switch next {
            case .now: wake(channel, process)
            case .at(let due): if let due { wake(channel, process, at: process.time.passed(at: due)) }
            }
        } catch {
            guard !process.trouble.isDead else { return }
            figures.count("delivery steps that failed")
            noteRows(process)
            wake(channel, process, at: clock.passed + 5000)
        }
    }

    func lookAtSilences() async {
        guard let process, !process.trouble.isDead else { return }
        guard (try? await process.lookAtSilences()) != nil, !process.trouble.isDead else {
            agenda.add(.lookAtSilences(life: process.life), at: clock.passed + 2000)
            return
        }
        noteInHand()
        noteRows(process)
        checkSilences(process)
    }

    func noteInHand() {
        checking { if let reading { inHand = try reading.inHand() } }
    }

    /// Everybody who is routed to a site knows of what fires there, unless something keeps it back now.
    private func checkSilences(_ process: SimulatedProcess) {
        let now = process.time.now()
        checking {
            for (site, state) in states.sorted(by: { $0.key < $1.key }) {
                // A look that lies ahead is one of before the clock was set back.
                guard let last = state.lastCheckedAt, last >= process.startedAt, last <= now else { continue }
                for open in state.open.values where open.isTold && open.incident.state == .firing {
                    let incident = open.incident
                    guard keptBack(state.domain, incident.kind, at: now) == nil, !isUnsettled(open, state)
                    else { continue }
                    for channel in SimulatedSetup.channels(of: site)
                    where !audit.has(Audit.Story(incident: incident.id, channel: channel)) {
                        throw Violation(
                            rule: .silence,
                            detail:
                                "nothing keeps \(incident.kind.rawValue) of site \(site) back, and \(channel) was never told"
                        )
                    }
                }
            }
        }
    }

    /// Takes in new and changed rows; new ones ring the bell of all channels, as a commit does.
    func noteRows(_ process: SimulatedProcess) {
        guard let reading else { return }
        checking {
            let fresh = try takeIn(reading)
            guard fresh > 0 else { return }
            figures.count("rows", fresh)
            for name in receivers.keys.sorted() { wake(name, process) }
        }
    }

    /// What many sites went through together says nothing of one of them until it is looked at again, and that tells.
    private func isUnsettled(_ open: OpenIncident, _ state: DomainState) -> Bool {
        guard let end = fleet.state.withheldUntil, open.incident.openedAt <= end else { return false }
        return state.lastCheckedAt ?? .distantPast < end || open.unknownSince != nil
    }

    private func keptBack(_ domain: Domain, _ kind: IncidentKind, at now: Date) -> Explanation? {
        if fleet.kept.contains(kind) { return .parent }
        return isSilent(domain, kind, at: now) ? .silenced : nil
    }

    /// Reckoned from what was asked for, not from what the product took in.
    private func isSilent(_ domain: Domain, _ kind: IncidentKind, at now: Date) -> Bool {
        silences.contains { $0.isActive(at: now) && $0.scope.matches(domain: domain, labels: [:], kind: kind) }
            || setupOfLife.windows.contains {
                $0.end(at: now) != nil && $0.scope.matches(domain: domain, labels: [:], kind: kind)
            }
    }

    private static func words(_ sights: [Sight]) -> String {
        sights.map(\.text).joined(separator: ", then ")
    }

    private static func words(_ state: DomainState) -> String {
        let open = state.open.sorted { $0.key < $1.key }.map { kind, open in
            "\(kind.rawValue) \(open.incident.state.rawValue)\(open.isFlapping ? " flapping" : "")"
                + "\(open.inhibitedBy.map { " by \($0.rawValue)" } ?? "")"
        }
        return "\(state.verdict?.comparison.state.rawValue ?? "?") [\(open.joined(separator: ", "))]"
    }
}
