// What the world does by itself.

import Evidence
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
        case .mend: sites[number].origin = .well
        case .crawl(let edge, let version): sites[number].crawl(edge: edge, version: version)
        case .cdnTrouble: sites[number].isCDNAway = true
        case .cdnMend: sites[number].isCDNAway = false
        case .renew:
            sites[number].certificateEnds = Date(timeIntervalSince1970: Double(clock.wall) / 1000 + 90 * 86_400)
        }
    }

    private func changeSite(_ number: Int) {
        var site = sites[number]
        let now = clock.passed
        let what = siteDice.number(0...99)
        var name = "change"
        switch what {
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
            agenda.add(.site(number, .mend), at: now + siteDice.hours(mean: siteDice.happens(0.5) ? 0.4 : 8))
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
        case 87..<92:
            name = "lose the CDN"
            agenda.add(.site(number, .cdnTrouble), at: now)
            agenda.add(.site(number, .cdnMend), at: now + siteDice.hours(mean: 5))
        case 92..<96:
            name = "near the end of the certificate"
            site.certificateEnds = Date(
                timeIntervalSince1970: Double(clock.wall) / 1000 + Double(siteDice.number(2...16)) * 86_400)
            agenda.add(.site(number, .renew), at: now + siteDice.hours(mean: 40))
        default:
            name = "be served another file by the CDN"
            agenda.add(.site(number, .crawl(edge: 0, version: 100_000 + site.newest)), at: now)
        }
        figures.count("sites: \(name)")
        sites[number] = site
        // Each edge comes by in its own time; now and then with a version that was overtaken meanwhile.
        for edge in site.edges.indices {
            let mean = siteDice.happens(0.25) ? 50.0 : 6
            let overtaken = siteDice.happens(0.1) ? max(1, site.version - 1) : nil
            agenda.add(.site(number, .crawl(edge: edge, version: overtaken)), at: now + siteDice.hours(mean: mean))
            agenda.add(.site(number, .crawl(edge: edge, version: nil)), at: now + siteDice.hours(mean: 2 * mean))
        }
        if what >= 82, what < 87 {
            // Between two mendings it breaks again.
            for _ in 0..<6 { agenda.add(.site(number, .mend), at: now + siteDice.hours(0.1...4)) }
        }
    }

    func turnReceiver(_ name: String) {
        guard var receiver = receivers[name] else { return }
        let next = receiver.change(&receiverDice)
        log.note(clock.passed, "receiver \(name) is \(receiver.mood)")
        figures.count("receivers: \(receiver.mood.rawValue)")
        receivers[name] = receiver
        agenda.add(.receiver(name), at: clock.passed + next)
    }

    func troubleMachine() {
        let now = clock.passed
        agenda.add(.machine, at: now + machineDice.hours(mean: 7))
        var name = ""
        switch machineDice.number(0...9) {
        case 0...3:
            name = "killed between two writes"
            process?.trouble.die(afterWrites: machineDice.number(0...12))
        case 4:
            name = "killed while idle"
            agenda.add(.crash, at: now)
        case 5:
            name = "clock set"
            let hours: Double = machineDice.pick([-25.0, -3, -1, -0.01, 0.01, 1, 3, 25]) ?? 1
            clock.set(by: Int64(hours * Double(Self.hour)))
            log.note(now, "the clock is set by \(hours) hours")
            // A living process does not notice; the next one reads the new time.
            if machineDice.happens(0.7) { agenda.add(.crash, at: now + machineDice.hours(mean: 0.5)) }
        case 6:
            name = "store locked"
            process?.trouble.lock(until: now + machineDice.hours(mean: 0.4))
        case 7:
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

    /// Takes effect with the next start or reload.
    private func changeSetup() {
        setup.failureThreshold = machineDice.number(1...3)
        setup.recoveryThreshold = machineDice.number(1...3)
        setup.staleAfter = .seconds(3600 * machineDice.number(6...36))
        setup.remindEvery = .seconds(3600 * machineDice.number(4...24))
        if setup.groupWait > .zero { setup.groupWait = .seconds(machineDice.pick([0, 30, 60, 300]) ?? 30) }
        setup.watched = Set(sites.indices)
        if machineDice.happens(0.3) { setup.watched.remove(machineDice.number(0...sites.count - 1)) }
        let window = try? SimulatedSetup.sundayNight(site: machineDice.number(0...sites.count - 1))
        setup.windows = machineDice.happens(0.5) ? [window].compactMap(\.self) : []
    }

    /// Somebody takes one of the incidents in hand that fire.
    func takeInHand() async {
        agenda.add(.acknowledgement, at: clock.passed + machineDice.hours(mean: 20))
        let firing =
            states.values.flatMap { $0.open.values.map(\.incident) }
            .filter { $0.state == .firing && $0.firedAt != nil }.map(\.id)
            + fleet.incidents.values
            .filter { $0.state == .firing }.map(\.id)
        guard let process, !process.trouble.isDead, let id = machineDice.pick(firing.sorted()),
            (try? await process.acknowledge(id)) == true
        else { return }
        log.note(clock.passed, "somebody takes \(id.prefix(8)) in hand")
        figures.count("incidents taken in hand")
        await lookAtSilences()
    }

    func turnSilence() async {
        let now = clock.passed
        agenda.add(.silence, at: now + machineDice.hours(mean: 30))
        let domain = try? Domain(SimulatedSetup.name(of: machineDice.number(0...sites.count - 1)))
        let length = Double(machineDice.hours(mean: 7)) / 1000
        guard let process, !process.trouble.isDead, let domain else { return }
        let start = process.time.now()
        let request = try? SilenceRequest(
            scope: SilenceScope(domains: [.exactly(domain)]), startsAt: start, endsAt: start + length,
            author: "simulation", reason: "work")
        // A store in trouble takes no silence, and says so to whoever asked.
        guard let request, let silence = try? await process.store.add(request, now: start) else { return }
        silences.append(silence)
        log.note(now, "silence \(silence.id) for \(domain) until \(silence.endsAt.timeIntervalSince1970)")
        figures.count("silences")
        await lookAtSilences()
        agenda.add(.lookAtSilences(life: process.life), at: process.time.passed(at: silence.endsAt) + 1)
    }
}
