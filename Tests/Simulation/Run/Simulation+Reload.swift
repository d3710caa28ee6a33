// A living process loads another configuration.

import Foundation
import Monitoring
import Storage

extension Simulation {
    /// The product waits for the checks and the evaluation that a reload interrupts. The simulation instead tries again
    /// once they have ended.
    func reload() async {
        guard var process, !process.trouble.isDead else { return }
        guard !busy.contains(where: { $0 == "global" || $0.hasPrefix("check ") }) else {
            return agenda.add(.reload(life: process.life), at: clock.passed + 100)
        }
        let former = setupOfLife.watched
        takeSetup()
        do {
            try await process.reload(to: setup)
        } catch {
            guard process.trouble.isDead else {
                return fail(Violation(rule: .nothingLost, detail: "the configuration is not loaded: \(error)"))
            }
        }
        self.process = process
        figures.count("reloads")
        log.note(clock.passed, "process \(process.life) has reloaded")
        await endRemoved(process)
        for site in setup.watched.subtracting(former).sorted() { scheduleCheck(site, process) }
        guard !process.trouble.isDead else { return }
        lastUpheaval = clock.passed
        // Somebody may have fixed what the receiver refused.
        for channel in setup.channels { audit.forgetRejections(of: channel.name) }
        takeIn()
        wakeAll(process)
        agenda.add(.refreshSilences(life: process.life), at: clock.passed + 2000)
        planEvaluation(process, after: 2000)
    }

    /// Replaces a kill and a restart in recorded runs.
    func recover() async {
        isOffline = false
        await reload()
    }

    /// Ends the sites that are no longer watched, if the store took that.
    private func endRemoved(_ process: SimulatedProcess) async {
        for site in sites.indices where !setup.watched.contains(site) {
            guard let known = states[site], let domain = try? SimulatedSetup.domain(of: site) else { continue }
            do {
                let stored = try await process.store.state(of: domain)
                if stored != known { endWatch(of: site, stored: stored) }
            } catch {
                maybeRetired.insert(site)
            }
        }
    }
}
