// What the world does without the product.

import Evidence
import Facts
import Foundation
import Monitoring
import Storage

extension Simulation {
    func turnSite(_ number: Int, _ turn: SiteTurn) {
        log.note(clock.passed, "site \(number): \(turn)")
        switch turn {
        case .change:
            changeSite(number)
            agenda.add(.site(number, .change), at: clock.passed + siteDice.hours(mean: 14))
        case .breakAs(let origin): sites[number].origin = origin
        case .mend: sites[number].origin = .well
        case .crawl(let edge, let version): sites[number].crawl(edge: edge, version: version)
        case .agree: sites[number].otherCaches = nil
        case .cdnTrouble: sites[number].isCDNAway = true
        case .cdnMend: sites[number].isCDNAway = false
        case .fallSilent(let edge, let muteness):
            // The CDN's name always has at least one edge.
            guard muteness != .absent || !sites[number].mute.values.contains(.absent) else { return }
            sites[number].mute[edge] = muteness
        case .speak(let edge): sites[number].mute[edge] = nil
        case .renew(let address):
            guard sites[number].certificates.indices.contains(address) else { return }
            sites[number].certificates[address] = wall(afterDays: 90)
        }
    }

    private func wall(afterDays days: Double) -> Date {
        Date(timeIntervalSince1970: Double(clock.wall) / 1000 + days * 86_400)
    }

    /// Whether firing incidents change, come back, outlast their global incident, and get silenced. The recordings were
    /// made without that.
    var isVaried: Bool { !plan.isRecorded }

    private func changeSite(_ number: Int) {
        var site = sites[number]
        let now = clock.passed
        let what = siteDice.number(0...99)
        var name = "change"
        switch what {
        case 0..<12 where isVaried:
            name = "deploy a file without an app"
            site.newest += 1
            site.former = site.version
            site.version = SimulatedSite.appless + site.newest
        case 12..<18 where isVaried:
            name = "have a CDN that goes back"
            let isEverywhere = siteDice.happens(0.5)
            for edge in site.edges.indices where isEverywhere || edge == 0 {
                agenda.add(.site(number, .crawl(edge: edge, version: site.former)), at: now + siteDice.hours(mean: 1))
            }
        case 18..<22 where isVaried:
            name = "have caches that differ by chance"
            site.otherCaches = site.former
            agenda.add(.site(number, .agree), at: now + siteDice.hours(mean: 8))
        case 0..<40:
            site.newest += 1
            site.former = site.version
            site.version = site.newest
        case 40..<48:
            name = "revert"
            swap(&site.former, &site.version)
        case 48..<54:
            name = "alternate"
            site.origin = .alternating([site.version, site.former, site.version])
            agenda.add(.site(number, .mend), at: now + siteDice.hours(mean: 6))
        case 54..<68:
            name = "break"
            site.origin = siteDice.pick([.status(500), .status(503), .status(403), .page]) ?? .page
            let length = siteDice.hours(mean: siteDice.happens(0.5) ? 0.4 : 8)
            agenda.add(.site(number, .mend), at: now + length)
            if isVaried { agenda.add(.site(number, .breakAs(.status(502))), at: now + length / 2) }
        case 68..<72:
            name = "vanish"
            site.origin = .status(404)
            agenda.add(.site(number, .mend), at: now + siteDice.hours(mean: 12))
        case 72..<82:
            name = "be unreachable"
            site.origin =
                siteDice.pick([
                    .failed(.timedOut, .connecting), .failed(.connectionRefused, .connecting),
                    .failed(.nameNotFound, .resolving), .failed(.tlsHandshake, .handshaking),
                ]) ?? .page
            agenda.add(.site(number, .mend), at: now + siteDice.hours(mean: siteDice.happens(0.5) ? 0.3 : 6))
        case 82..<87:
            name = "come and go"
            var at = now
            for _ in 0..<siteDice.number(4...12) {
                at += siteDice.hours(0.1...0.5)
                agenda.add(.site(number, .mend), at: at)
            }
            site.origin = .status(503)
        case 87..<89:
            name = "lose the CDN"
            agenda.add(.site(number, .cdnTrouble), at: now)
            agenda.add(.site(number, .cdnMend), at: now + siteDice.hours(mean: 5))
        case 89..<93:
            name = "have a silent edge"
            let edge = siteDice.number(0...site.edges.count - 1)
            let muteness = siteDice.pick(SimulatedSite.Muteness.allCases) ?? .timeout
            agenda.add(.site(number, .fallSilent(edge: edge, muteness)), at: now + siteDice.hours(mean: 2))
            agenda.add(.site(number, .speak(edge: edge)), at: now + siteDice.hours(mean: 2) + siteDice.hours(mean: 12))
            // Often in the middle of a change.
            if siteDice.happens(0.7) {
                site.newest += 1
                site.former = site.version
                site.version = site.newest
            }
        case 93..<97:
            name = "near the end of a certificate"
            let first = siteDice.number(0...site.certificates.count - 1)
            let days = siteDice.happens(0.4) ? Double(siteDice.number(1...4)) : Double(siteDice.number(2...16))
            let isShared = siteDice.happens(0.5)
            for address in site.certificates.indices where isShared || address == first {
                site.certificates[address] = wall(afterDays: days)
                agenda.add(.site(number, .renew(address: address)), at: now + siteDice.hours(mean: 40))
            }
        default:
            name = "be served another file by the CDN"
            agenda.add(.site(number, .crawl(edge: 0, version: 100_000 + site.newest)), at: now)
        }
        figures.count("sites: \(name)")
        sites[number] = site
        // Each edge fetches at its own time; sometimes it gets a version that was replaced meanwhile.
        for edge in site.edges.indices {
            let mean = siteDice.happens(0.25) ? 50.0 : 6
            let overtaken = siteDice.happens(0.1) ? max(1, site.version - 1) : nil
            agenda.add(.site(number, .crawl(edge: edge, version: overtaken)), at: now + siteDice.hours(mean: mean))
            agenda.add(.site(number, .crawl(edge: edge, version: nil)), at: now + siteDice.hours(mean: 2 * mean))
        }
        if what >= 82, what < 87 {
            // Between two repairs it breaks again.
            let next = isVaried ? SiteTurn.breakAs(.status(503)) : .mend
            for _ in 0..<6 { agenda.add(.site(number, next), at: now + siteDice.hours(0.1...4)) }
            if isVaried { agenda.add(.site(number, .mend), at: now + 4 * Self.hour) }
        }
    }

    func turnReceiver(_ name: String) {
        guard var receiver = receivers[name] else { return }
        let next = receiver.change(&receiverDice)
        log.note(clock.passed, "receiver \(name) is \(receiver.mood)")
        figures.count("receivers: \(receiver.mood.rawValue)")
        if receiver.mood == .well { wellSince[name] = clock.passed }
        receivers[name] = receiver
        agenda.add(.receiver(name), at: clock.passed + next)
    }

    func troubleMachine() {
        let now = clock.passed
        agenda.add(.machine, at: now + machineDice.hours(mean: 7))
        var name = ""
        switch machineDice.number(0...9) {
        case 0...3 where !plan.isRecorded:
            name = "killed between two writes"
            process?.trouble.die(afterWrites: machineDice.number(0...12))
        case 0...4:
            name = "killed while idle"
            agenda.add(.crash, at: now)
        case 5:
            name = "clock set"
            setClock(hours: machineDice.pick([-25.0, -3, -1, -0.01, 0.01, 1, 3, 25]) ?? 1)
            if machineDice.happens(0.3) { agenda.add(.crash, at: now + machineDice.hours(mean: 0.5)) }
        case 6 where !plan.isRecorded:
            name = "store locked"
            process?.trouble.lock(until: now + machineDice.hours(mean: 0.4))
        case 7 where !plan.isRecorded:
            name = "disk full"
            process?.trouble.fill(until: now + machineDice.hours(mean: 0.6), space: machineDice.number(0...4))
        case 8:
            name = "network lost"
            isOffline = true
            loss =
                machineDice.pick([
                    .failed(.own, .resolving), .failed(.unreachable, .connecting), .failed(.timedOut, .connecting),
                    .failed(.nameNotFound, .resolving),
                ]) ?? loss
            agenda.add(.crash, at: now + machineDice.hours(mean: 3))
        default:
            changeSetup()
            if let process, machineDice.happens(0.5) {
                name = "configuration changed and reloaded"
                agenda.add(.reload(life: process.life), at: now + machineDice.hours(mean: 0.2))
            } else {
                name = "configuration changed before a start"
                agenda.add(.crash, at: now + machineDice.hours(mean: 0.2))
            }
        }
        log.note(now, "machine: \(name)")
        figures.count("machine: \(name)")
    }

    /// The wall clock moves away from the steady clock. A living process notices within half a minute.
    private func setClock(hours: Double) {
        clock.set(by: Int64(hours * Double(Self.hour)))
        lastUpheaval = clock.passed
        log.note(clock.passed, "the wall clock is set by \(hours) hours")
        if let process { agenda.add(.noticeClock(life: process.life), at: clock.passed + 30_000) }
    }

    /// Takes effect with the next start or reload.
    private func changeSetup() {
        setup.failureThreshold = machineDice.number(1...3)
        setup.recoveryThreshold = machineDice.number(1...3)
        setup.staleAfter = .seconds(3600 * machineDice.number(6...36))
        setup.remindEvery = .seconds(3600 * (machineDice.pick([1, 2, 4, 24]) ?? 4))
        if setup.groupWait > .zero { setup.groupWait = .seconds(machineDice.pick([0, 10, 60, 300]) ?? 30) }
        if setup.escalatesAfter != nil {
            setup.escalatesAfter = .seconds(machineDice.pick([1800, 3600, 14_400]) ?? 3600)
        }
        if machineDice.happens(0.3), let name = machineDice.pick(["second", "pager", "chat"]),
            let index = setup.channels.firstIndex(where: { $0.name == name })
        {
            setup.channels[index].place += 1
            figures.count("channels moved to another place")
        }
        setup.watched = Set(sites.indices)
        if machineDice.happens(0.3) { setup.watched.remove(machineDice.number(0...sites.count - 1)) }
        let window = try? SimulatedSetup.sundayNight(site: machineDice.number(0...sites.count - 1))
        setup.windows = machineDice.happens(0.5) ? [window].compactMap(\.self) : []
    }

    /// Somebody acknowledges one of the firing incidents.
    func acknowledge() async {
        agenda.add(.acknowledgement, at: clock.passed + machineDice.hours(mean: 6))
        let firing = audit.active.compactMap { audit.ledger[$0] }.filter { $0.state == .firing }.map(\.id)
        guard let process, !process.trouble.isDead, let id = machineDice.pick(firing.sorted()),
            (try? await process.acknowledge(id)) == true
        else { return }
        log.note(clock.passed, "somebody acknowledges \(id.prefix(8))")
        figures.count("acknowledgements")
        takeIn()
    }

    func turnSilence() async {
        let now = clock.passed
        agenda.add(.silence, at: now + machineDice.hours(mean: 30))
        let firing = audit.active.compactMap { audit.ledger[$0] }.filter { $0.state == .firing && !$0.isGlobal }
        // Most silences are for something that is firing at that moment.
        let known = isVaried && machineDice.happens(0.7) ? machineDice.pick(firing.map(\.domain).sorted()) : nil
        let domain = try? Domain(known ?? SimulatedSetup.name(of: machineDice.number(0...sites.count - 1)))
        let length = Double(machineDice.hours(mean: 7)) / 1000
        guard let process, !process.trouble.isDead, let domain else { return }
        let start = process.time.systemTime()
        let request = try? Silence(
            scope: SilenceScope(domains: [.exactly(domain)]), startsAt: start, endsAt: start + length,
            author: "simulation", reason: "work")
        // A store in trouble does not take a silence, and the caller gets the error.
        guard let request, let silence = try? await process.store.add(request) else { return }
        silences.append(silence)
        log.note(now, "silence \(silence.id) for \(domain) until \(silence.endsAt.timeIntervalSince1970)")
        figures.count("silences")
        await refreshSilences()
        // The silence may end before the next audit, and what ended before its notification is not sent afterwards.
        checkDue()
        agenda.add(.refreshSilences(life: process.life), at: clock.passed(atWall: silence.endsAt) + 1)
    }
}
