// Starts and ends of the process.

import Foundation
import Monitoring
import Storage

extension Simulation {
    func crash() {
        guard let process, !process.trouble.isDead else { return }
        process.trouble.die()
    }

    /// Notices that the process has ended, for any reason, and plans the next start.
    func noteDeath() {
        guard let process, process.trouble.isDead, !buried.contains(process.life) else { return }
        buried.insert(process.life)
        figures.count("machine: processes ended")
        log.note(clock.passed, "process \(process.life) has ended")
        // A supervisor restarts it in seconds, a person in hours.
        let pause = isQuiet ? 1000 : machineDice.happens(0.7) ? 1000 : machineDice.hours(mean: 2)
        agenda.add(.start, at: clock.passed + pause)
    }

    func start() async {
        // A process that has ended may still be on the stack, in the middle of a call that is going to fail.
        guard busy.isEmpty else {
            agenda.add(.start, at: clock.passed + 1)
            return
        }
        isOffline = false
        do {
            let (path, isCut) = try takeOver()
            if isCut { try await goBack(to: path) }
            guard violation == nil else { return }
            lives += 1
            takeSetup()
            dueSteps = [:]
            dueChecks = [:]
            dueEvaluation = nil
            lastUpheaval = clock.passed
            let trouble = MachineTrouble(clock: clock, path: path)
            if !isQuiet, !plan.isRecorded, machineDice.happens(0.05) {
                trouble.die(afterWrites: machineDice.number(0...6))
            }
            let process: SimulatedProcess
            do {
                process = try await SimulatedProcess(
                    life: lives, path: path, setup: setup, clock: clock, trouble: trouble, network: self,
                    jitter: { [jitter, plan] in plan.isRecorded ? 0 : jitter.draw() })
            } catch  where trouble.isDead {
                log.note(clock.passed, "process \(lives) died while starting")
                figures.count("machine: killed while starting")
                maybeRetired.formUnion(Set(sites.indices).subtracting(setup.watched))
                agenda.add(.start, at: clock.passed + 1000)
                return
            }
            if let lastTime { audit.miss(process.time.isBehind(lastTime)) }
            lastTime = process.time
            self.process = process
            let reading = try StoreReading(path: path)
            self.reading = reading
            log.note(clock.passed, "process \(lives) has started at \(process.startedAt.timeIntervalSince1970)")
            await takeStock(process, reading)
            // Evidence that is too old now is requested again after an interval.
            checkDue()
        } catch {
            fail(Violation(rule: .nothingLost, detail: "the process cannot start: \(error)"))
        }
    }

    /// Copies what a killed process leaves: the database file and its log, unchanged; after a power failure, less of
    /// the log. A copy, because closing the store would change both.
    /// - Returns: the path, and whether a power failure lost something.
    private func takeOver() throws -> (String, isCut: Bool) {
        let next = "\(plan.folder)/monitor-\(lives + 1).db"
        defer { path = next }
        let fails = process != nil && !isRestoring && !plan.isRecorded && powerDice.happens(0.3)
        if fails { takeIn() }
        let (mark, flushed) = (path.flatMap(LogMark.init(path:)), process?.trouble.flushed)
        try reading?.close()
        reading = nil
        try process?.trouble.release()
        guard let former = path else { return (next, false) }
        let source = takeRestored() ?? former
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source + suffix) {
            try FileManager.default.copyItem(atPath: source + suffix, toPath: next + suffix)
        }
        try process?.store.close()
        process = nil
        for suffix in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: former + suffix) }
        guard fails, let mark else { return (next, false) }
        return (next, try cut(next, mark, flushed: flushed))
    }

    /// A process loads the current configuration.
    func takeSetup() {
        setupOfLife = setup
        for channel in setup.channels {
            if let known = places[channel.name], known != channel.host { audit.move(channel.name) }
            places[channel.name] = channel.host
        }
    }

    /// Compares what the new process found with what was committed, and starts its loops.
    private func takeStock(_ process: SimulatedProcess, _ reading: StoreReading) async {
        for site in sites.indices {
            guard let domain = try? SimulatedSetup.domain(of: site) else { continue }
            let stored = try? await process.store.state(of: domain)
            let known = states[site]
            guard setup.watched.contains(site) else {
                if known != nil { endWatch(of: site, stored: nil) }
                continue
            }
            if known != nil, stored == nil, maybeRetired.contains(site) {
                endWatch(of: site, stored: nil)
            } else if stored != known {
                fail(
                    Violation(rule: .nothingLost, detail: "the state of site \(site) differs from the committed one")
                )
            }
            scheduleCheck(site, process)
        }
        maybeRetired = []
        forgetMoments()
        checking { try audit.ledger.checkKept(try reading.incidents(changedAfter: 0)) }
        for channel in setup.channels { endTurn(of: channel.name, isAlive: false) }
        takeIn()
        wakeAll(process)
        agenda.add(.refreshSilences(life: process.life), at: clock.passed + 2000)
        agenda.add(.retention(life: process.life), at: clock.passed)
        planEvaluation(process, after: 3000)
        planRefreshes(process)
    }

    /// A site that is no longer watched: the start or the reload has ended its incidents.
    /// `stored`: what the store still has about it.
    func endWatch(of site: Int, stored: DomainState?) {
        states[site] = stored
        outlooks[site] = nil
        noteMoment(site)
    }

    func scheduleCheck(_ site: Int, _ process: SimulatedProcess) {
        guard let wait = process.wait(before: site, states[site]) else { return }
        let due = clock.passed + Int64(wait / .milliseconds(1)) + 1
        dueChecks[site] = due
        agenda.add(.check(site, life: process.life), at: due)
    }

    func wake(_ channel: String, _ process: SimulatedProcess, at instant: Int64? = nil) {
        let instant = max(clock.passed, instant ?? clock.passed)
        if let due = dueSteps[channel], due <= instant, due > clock.passed { return }
        dueSteps[channel] = instant
        agenda.add(.step(channel, life: process.life), at: instant)
    }

    func wakeAll(_ process: SimulatedProcess) {
        for channel in setupOfLife.channels { wake(channel.name, process) }
    }

    /// Plans to refresh the silences when each one ends. Assumes that nobody sets the wall clock before.
    func planRefreshes(_ process: SimulatedProcess) {
        for silence in silences where silence.endsAt > process.time.systemTime() {
            agenda.add(.refreshSilences(life: process.life), at: clock.passed(atWall: silence.endsAt) + 1)
        }
    }

    /// A living process has noticed that the wall clock was set.
    func noticeClock() async {
        guard let process, !process.trouble.isDead else { return }
        guard (try? await process.noticeClock()) != nil else {
            return agenda.add(.noticeClock(life: process.life), at: clock.passed + 5000)
        }
        figures.count("wall clock changes that a living process noticed")
        wakeAll(process)
        planRefreshes(process)
    }

    func prune() async {
        guard let process else { return }
        // The process logs store trouble and continues.
        try? await process.store.prune(
            now: process.time.now(), keepObservations: .seconds(2 * 86_400), keepDeliveries: .seconds(30 * 86400))
        checking { if let reading { try audit.ledger.checkKept(try reading.incidents(changedAfter: 0)) } }
        agenda.add(.retention(life: process.life), at: clock.passed + 24 * Self.hour)
    }
}
