// The product's own steps, each followed by the audit.

import Evidence
import Foundation
import Monitoring
import Storage

extension Simulation {
    func check(_ site: Int) async {
        let name = "check \(site)"
        guard let process,
            // A check that a reload postponed, because it removed the site and added it again, is due later.
            dueChecks[site].map({ $0 <= clock.passed }) ?? true, busy.insert(name).inserted
        else { return }
        defer { busy.remove(name) }
        fetches[site] = []
        var first: DomainState?
        if states[site] == nil { first = try? await process.firstState(site) }
        guard let before = states[site] ?? first else { return scheduleCheck(site, process) }
        figures.count("checks")
        guard let after = try? await process.check(site, before) else { return }
        let seen = fetches[site] ?? []
        guard after != before else {
            figures.count("checks that could not be stored")
            log.note(clock.passed, "check \(site) was not stored")
            if !process.trouble.isDead { scheduleCheck(site, process) }
            return
        }
        states[site] = after
        let now = after.lastCheckedAt ?? process.time.now()
        log.note(clock.passed, "check \(site) \(Self.words(seen)) -> \(Self.words(after))")
        takeIn()
        checking {
            try outlooks[site, default: Outlook()].take(
                seen, before, after, setupOfLife, now: now, wall: process.time.systemTime())
        }
        noteMoment(site)
        scheduleCheck(site, process)
        planEvaluation(process, after: 2000)
    }

    func step(_ channel: String) async {
        guard let process, dueSteps[channel] == nil || dueSteps[channel] ?? 0 <= clock.passed,
            busy.insert(channel).inserted
        else { return }
        defer { busy.remove(channel) }
        dueSteps[channel] = nil
        figures.count("steps")
        do {
            let next = try await process.step(channel)
            guard !process.trouble.isDead else { return }
            endTurn(of: channel)
            switch next {
            case .now: wake(channel, process)
            case .at(let due):
                // At least 10 ms later, as `ChannelWorker` waits. An instant may be ahead by less than a millisecond,
                // which `Date` cannot show, and time would stop.
                if let due { wake(channel, process, at: max(process.time.passed(at: due), clock.passed + 10)) }
            }
        } catch {
            guard !process.trouble.isDead else { return }
            figures.count("delivery steps that failed")
            endTurn(of: channel)
            wake(channel, process, at: clock.passed + 5000)
        }
    }

    func endTurn(of channel: String, isAlive: Bool = true) {
        checking {
            guard let reading, let book = audit.channels[channel], !(book.received.isEmpty && book.refused.isEmpty)
            else { return }
            audit.endTurn(
                of: channel, present: Set(try reading.messages(channel: channel).map(\.key)), isAlive: isAlive)
        }
    }

    func refreshSilences() async {
        guard let process, !process.trouble.isDead else { return }
        guard (try? await process.refreshSilences()) != nil, !process.trouble.isDead else {
            return agenda.add(.refreshSilences(life: process.life), at: clock.passed + 2000)
        }
        wakeAll(process)
    }

    /// Reads what was committed, and wakes all channels.
    func takeIn() {
        checking {
            guard let reading else { return }
            let news = try audit.take(try reading.incidents(changedAfter: audit.ledger.lastChange), present)
            for (before, incident) in news where before?.version != incident.version || before?.state != incident.state
            {
                figures.count("incidents \(incident.isOver ? "ended" : before == nil ? "begun" : "in between")")
                if incident.isGlobal, before == nil {
                    figures.count("global: \(incident.cause.prefix { $0 != "/" })")
                }
                log.note(
                    clock.passed,
                    "  \(incident.kind.rawValue) \(incident.id.prefix(8)) version \(incident.version) \(incident.state.rawValue)"
                )
            }
            if !news.isEmpty, let process, !process.trouble.isDead { wakeAll(process) }
        }
    }

    /// Checks what is due.
    func checkDue() {
        guard let process, !process.trouble.isDead, let present else { return }
        let quiet = Dictionary(
            uniqueKeysWithValues: receivers.filter { $0.value.mood == .well && !process.trouble.isUnderWay }.map {
                name, _ in
                let since = [wellSince[name], audit.channels[name]?.notBefore, process.trouble.lastUnderWay]
                return (name, since.compactMap(\.self).reduce(lastUpheaval, max))
            })
        checking { try audit.checkDue(present, quietSince: quiet) }
    }

    var present: Present? {
        guard let process else { return nil }
        let checked = states.map { (SimulatedSetup.name(of: $0), $1.lastCheckedAt ?? .distantPast) }
        return Present(
            passed: clock.passed, now: process.time.now(), wall: process.time.systemTime(), setup: setupOfLife,
            checkedAt: Dictionary(checked) { first, _ in first }, silences: silences,
            troubled: (try? reading?.troubled()) ?? [], lastUpheaval: lastUpheaval)
    }

    private static func words(_ fetches: [FetchResult]) -> String {
        fetches.map(\.text).joined(separator: ", then ")
    }

    private static func words(_ state: DomainState) -> String {
        let open = state.open.sorted { $0.key < $1.key }.map { kind, open in
            "\(kind.rawValue) \(open.incident.state.rawValue)\(open.incident.isFlapping ? " flapping" : "")"
                + "\(open.incident.inhibitedBy.map { " by \($0.rawValue)" } ?? "")"
        }
        return "\(state.verdict?.comparison.state.rawValue ?? "?") [\(open.joined(separator: ", "))]"
    }
}
