// One run: a machine, the sites and receivers around it, and the process that starts and ends on it, driven by one
// queue of events. Only one event happens at a time, and the seed decides everything random, so a run can be repeated.
//
// While the product waits for an answer or for its own pause, other events happen inside that wait: `pass(until:)` runs
// within the product's calls and continues with the queue.

import Alerting
import Daemon
import Evidence
import Facts
import Foundation
import Monitoring
import Storage

package struct SimulationPlan: Equatable, Sendable {
    package var seed: UInt64
    /// Days with trouble. Quiet days follow, in which nothing may stay open.
    package var days: Double
    /// An existing directory for the store.
    package var folder: String
    /// Whether the run keeps every line of the event log, and not only the last ones.
    package var keepsAll = false
    /// Whether the run is for a `Recording`, which must not depend on the monitor's internals. Nothing kills the
    /// process, and the store has no trouble; a reload replaces a kill. A receiver's answer does not depend on how
    /// often it was asked before.
    package var isRecorded = false

    package init(seed: UInt64, days: Double, folder: String) {
        self.seed = seed
        self.days = days
        self.folder = folder
    }
}

package struct SimulationResult: Sendable {
    package let violation: Violation?
    package let figures: Figures
    /// A hash over every line of the event log.
    package let hash: String
    /// The event log, or its last lines.
    package let tail: [String]
    /// Empty unless the run is recorded.
    package let recording: String
}

package actor Simulation {
    let plan: SimulationPlan
    let clock: SimulatedClock
    let begin: Int64
    var agenda = Agenda()
    var log: EventLog
    var figures = Figures()
    var recording = Recording()
    var audit = Audit()
    var sites: [SimulatedSite]
    var receivers: [String: SimulatedReceiver]
    var siteDice: Dice
    var receiverDice: Dice
    var machineDice: Dice
    var powerDice: Dice
    /// What the configuration says now, and what it said when the process last loaded it.
    var setup: SimulatedSetup
    var setupOfLife: SimulatedSetup
    var process: SimulatedProcess?
    var reading: StoreReading?
    /// The committed states, by site.
    var states: [Int: DomainState] = [:]
    var outlooks: [Int: Outlook] = [:]
    /// The states of each site since the process started.
    var moments: [Int: [Moment]] = [:]
    /// The results of the checks under way, by site.
    var fetches: [Int: [FetchResult]] = [:]
    var silences: [Silence] = []
    /// Which of the product's loops are in the middle of a step.
    var busy: Set<String> = []
    var dueSteps: [String: Int64] = [:]
    var dueChecks: [Int: Int64] = [:]
    /// Since when each receiver has worked.
    var wellSince: [String: Int64] = [:]
    /// When the process last started or loaded a configuration, or the wall clock was last set.
    var lastUpheaval: Int64 = 0
    var isManyIll = false
    /// When the next global evaluation is due; nil: none is planned.
    var dueEvaluation: Int64?
    /// The last answer of the reference hosts.
    var canariesReached = true
    /// How a request fails while our network is down.
    var loss = SimulatedSite.Origin.failed(.own, .resolving)
    var lives = 0
    /// The places of the channels in the last setup that a process loaded.
    var places: [String: String] = [:]
    /// Of the last process that started.
    var lastTime: ProcessTime?
    /// The store of the last process, even if the process failed to start.
    var path: String?
    /// Lives whose end was noticed.
    var buried: Set<Int> = []
    /// Sites that a process which failed to start may have ended.
    var maybeRetired: Set<Int> = []
    /// The last copy of the store; nil: there is none, or it was restored.
    var backup: Backup?
    /// The next process starts with the backup.
    var isRestoring = false
    /// The key under which a pager got each problem, from any store.
    var pagerKeys: [String: String] = [:]
    var isQuiet = false
    var isOffline = false
    var violation: Violation?
    let jitter: Jitter

    static let hour: Int64 = 3_600_000
    /// Longer than a channel's longest pause, and longer than a day plus a few checks at the longest interval: an
    /// origin counts as alternating for a day.
    static let quiet: Int64 = 48 * hour
    /// Few messages go out in these hours, and incidents may still be open at the end.
    static let recordedQuiet: Int64 = 6 * hour
    static let auditPause: Int64 = 300_000

    package init(_ plan: SimulationPlan) throws {
        self.plan = plan
        log = EventLog(keeping: plan.keepsAll ? .max : 80)
        var dice = Dice(seed: plan.seed, stream: 0)
        // Any time of the year, so that runs include both changes of daylight saving time.
        let begin = 1_767_225_600_000 + Int64(dice.number(0...364)) * 24 * Self.hour + dice.hours(0...24)
        self.begin = begin
        clock = SimulatedClock(start: begin)
        let late = Date(timeIntervalSince1970: Double(begin) / 1000 + 400 * 86_400)
        setup = SimulatedSetup(&dice)
        setupOfLife = setup
        sites = setup.intervals.indices.map {
            SimulatedSite(name: SimulatedSetup.name(of: $0), addresses: dice.number(1...2), certificateEnds: late)
        }
        receivers = Dictionary(setup.channels.map { ($0.name, SimulatedReceiver(kind: $0.kind)) }) { first, _ in first }
        siteDice = Dice(seed: plan.seed, stream: 1)
        receiverDice = Dice(seed: plan.seed, stream: 2)
        machineDice = Dice(seed: plan.seed, stream: 3)
        powerDice = Dice(seed: plan.seed, stream: 5)
        jitter = Jitter(Dice(seed: plan.seed, stream: 4))
    }

    /// Runs until the end or the first violation.
    /// - Throws: errors of the simulation itself, such as a missing directory.
    package func run() async throws -> SimulationResult {
        let end = Int64(plan.days * 24) * Self.hour
        prepare()
        await pass(until: end)
        if violation == nil {
            calmDown()
            await pass(until: end + (plan.isRecorded ? Self.recordedQuiet : Self.quiet))
        }
        if violation == nil, !plan.isRecorded { finish() }
        figures.days = Double(clock.passed) / Double(24 * Self.hour)
        await shutDown()
        return SimulationResult(
            violation: violation, figures: figures, hash: log.hash, tail: log.tail, recording: recording.text)
    }

    private func prepare() {
        agenda.add(.start, at: 0)
        for site in sites.indices { agenda.add(.site(site, .change), at: siteDice.hours(mean: 12)) }
        for name in receivers.keys.sorted() { agenda.add(.receiver(name), at: receiverDice.hours(mean: 12)) }
        agenda.add(.machine, at: machineDice.hours(mean: 12))
        agenda.add(.silence, at: machineDice.hours(mean: 30))
        agenda.add(.acknowledgement, at: machineDice.hours(mean: 20))
        agenda.add(.many(isOver: false), at: siteDice.hours(mean: 20))
        if !plan.isRecorded { agenda.add(.backup, at: machineDice.hours(mean: 12)) }
        agenda.add(.audit, at: Self.auditPause)
        figures.count("runs")
        figures.count("sites", sites.count)
        if setup.groupWait > .zero { figures.count("runs with grouping") }
        if setup.escalatesAfter != nil { figures.count("runs with escalation") }
        if setup.channel("feed") != nil { figures.count("runs with a feed") }
        log.note(
            0,
            "\(sites.count) sites, canaries \(setup.hasCanaries), group \(setup.groupWait) \(setup.groupInterval), "
                + "channels \(setup.channels.map(\.name))")
    }

    /// From now on, the world makes no trouble.
    private func calmDown() {
        log.note(clock.passed, "the quiet time begins")
        isQuiet = true
        isOffline = false
        agenda.keep { what in
            switch what {
            case .site, .receiver, .silence, .acknowledgement, .many, .machine, .reload, .backup, .restore, .crash:
                false
            case .check, .step, .refreshSilences, .noticeClock, .evaluate, .retention, .start, .audit: true
            }
        }
        let late = Date(timeIntervalSince1970: Double(clock.wall) / 1000 + 400 * 86_400)
        for site in sites.indices { sites[site].calm(certificateEnds: late) }
        for name in receivers.keys where receivers[name]?.mood != .well {
            receivers[name]?.mood = .well
            wellSince[name] = clock.passed
        }
        process?.trouble.relent()
        setup.watched = Set(sites.indices)
        setup.windows = []
        // A changed configuration takes effect at a start.
        agenda.add(.crash, at: clock.passed)
    }

    private func finish() {
        guard let reading, let process, !process.trouble.isDead else {
            fail(Violation(rule: .comesToRest, detail: "the process is not running"))
            return
        }
        takeIn()
        checkDue()
        checking {
            guard let present else { return }
            for (outcome, count) in try audit.checkRest(present) { figures.count("alerts \(outcome.rawValue)", count) }
            for (name, count) in audit.figures() { figures.count(name, count) }
            for (site, state) in states.sorted(by: { $0.key < $1.key }) {
                if let open = state.open.keys.min() {
                    throw Violation(rule: .comesToRest, detail: "\(open.rawValue) of site \(site) is still open")
                }
            }
            if let rest = try reading.leftovers().first { throw Violation(rule: .comesToRest, detail: rest) }
        }
    }

    private func shutDown() async {
        try? reading?.close()
        try? process?.trouble.release()
        try? process?.store.close()
    }

    // MARK: - The queue

    /// Lets the world run until an instant. Returns early if the process has ended or a rule is broken.
    /// `life`: of the waiting process, if one waits.
    func pass(until target: Int64, life: Int? = nil) async {
        while violation == nil {
            if let life, isOver(life) { return }
            guard let (at, what) = agenda.next(by: target) else { break }
            clock.pass(to: at)
            await handle(what)
        }
        if violation == nil { clock.pass(to: target) }
    }

    private func isOver(_ life: Int) -> Bool { process?.life != life || process?.trouble.isDead != false }

    private func handle(_ what: Happening) async {
        switch what {
        case .site(let site, let turn): turnSite(site, turn)
        case .receiver(let name): turnReceiver(name)
        case .machine: troubleMachine()
        case .silence: await turnSilence()
        case .acknowledgement: await acknowledge()
        case .many(let isOver): if isOver { mendMany() } else { turnMany() }
        case .evaluate(let life): if isAlive(life) { await evaluateGlobal() }
        case .audit:
            checkDue()
            agenda.add(.audit, at: clock.passed + Self.auditPause)
        case .reload(let life): if isAlive(life) { await reload() }
        case .backup: takeBackup()
        case .restore: restore()
        case .crash: if plan.isRecorded { await recover() } else { crash() }
        case .start: await start()
        case .check(let site, let life): if isAlive(life) { await check(site) }
        case .step(let name, let life): if isAlive(life) { await step(name) }
        case .refreshSilences(let life): if isAlive(life) { await refreshSilences() }
        case .noticeClock(let life): if isAlive(life) { await noticeClock() }
        case .retention(let life): if isAlive(life) { await prune() }
        }
        noteDeath()
    }

    private func isAlive(_ life: Int) -> Bool { process?.life == life && process?.trouble.isDead == false }

    func fail(_ violation: Violation) {
        guard self.violation == nil else { return }
        self.violation = violation
        log.note(clock.passed, "VIOLATION \(violation)")
    }

    /// Runs code that may find a violation.
    func checking(_ body: () throws -> Void) {
        do {
            try body()
        } catch let violation as Violation {
            fail(violation)
        } catch {
            fail(Violation(rule: .nothingLost, detail: "the store cannot be read: \(error)"))
        }
    }
}
