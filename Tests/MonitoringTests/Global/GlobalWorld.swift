// Many domains on a clock that jumps from check to check: the real schedule, `evaluate` and `evaluateGlobal`, joined as
// in the daemon. It records what one channel is notified of, in a simple version of `decide`. A firing incident is sent
// after a group wait, unless an open global incident that was sent inhibits it.

import Evidence
import Facts
import Foundation
import TestSupport
import Testing

@testable import Monitoring

struct GlobalWorld {
    /// The origin's and the CDN's answers, by domain number and seconds since the beginning.
    typealias Answers = (Int, Double) -> (origin: Reply, cdn: Reply)

    struct Told: Equatable {
        let at: Double
        let transition: IncidentChange.Transition
        let kind: IncidentKind
        let domain: Domain?
        let incident: String
        var facts: IncidentFacts?
    }

    let domains: [Domain]
    let intervals: [Duration]
    var policy = Policy()
    /// Whether the reference hosts answer at a second; nil: there are no reference hosts.
    var canaries: ((Double) -> Bool)?
    private(set) var states: [DomainState]
    private(set) var global = GlobalState()
    private(set) var told: [Told] = []
    /// All open global incidents after each evaluation, with its second.
    private(set) var parents: [(at: Double, open: [GlobalCause: TrackedIncident])] = []
    private(set) var now = 0.0
    private var snapshot: GlobalSnapshot
    private var due: [Double]
    private var known: Set<String> = []
    private var waiting: [String: Double] = [:]
    private var parentEnd = -1.0
    private var evaluatedAt = -100.0
    private var checks = 0

    static let file = Reply.file(SampleFile.version(1))
    static let lost = Reply.failed(.unreachable)
    private static let groupWait = 30.0

    init(_ count: Int, interval: Duration = .seconds(300)) throws {
        try self.init(intervals: Array(repeating: interval, count: count))
    }

    init(intervals: [Duration]) throws {
        self.intervals = intervals
        domains = try intervals.indices.map { try Domain("d\($0).example.com") }
        states = domains.map { DomainState(domain: $0) }
        due = intervals.map { _ in 0 }
        snapshot = GlobalSnapshot(
            domains: zip(states, intervals).map { DomainHealth($0, interval: $1) }, startedAt: .testing)
    }

    private var instant: Date { .testing + now }

    /// Runs until a second.
    mutating func run(until end: Double, _ answers: Answers) throws {
        while let number = due.indices.min(by: { due[$0] < due[$1] }) {
            // The global evaluation also runs between checks.
            let tick = (now / 30).rounded(.down) * 30 + 30
            guard min(due[number], tick) <= end else { break }
            if tick < due[number] {
                now = tick
                evaluateAll()
            } else {
                now = due[number]
                try check(number, answers)
            }
            reconcile()
        }
        now = end
    }

    private mutating func check(_ number: Int, _ answers: Answers) throws {
        let (origin, cdn) = answers(number, now)
        var observation = try Observation.of(domains[number].name, at: instant, origin: origin, cdn: cdn)
        observation.full = FullCheck(resolution: Resolution(source: .proxy))
        let reachability = states[number].reachability.after(observation, at: instant)
        snapshot.suspicion.note(domains[number], reachability, interval: intervals[number], at: instant)
        if let canaries {
            if reachability.isLost {
                snapshot.canaries = ConnectivityRound(at: instant, hosts: ["ref.test"], isLost: !canaries(now))
            }
            snapshot.canaries =
                snapshot.canaries ?? ConnectivityRound(at: .distantPast, hosts: ["ref.test"], isLost: false)
        }
        let isSuspect =
            reachability.isLost && snapshot.suspicion.isSuspect(canaries: snapshot.canaries, now: instant)
        let isProven = reachability.isLost && snapshot.canaries.map { !$0.isLost && $0.at == instant } == true
        let evaluation = evaluate(
            states[number], observation, policy, now: instant, wall: instant,
            network: isSuspect ? .suspect : isProven ? .proven : .trusted)
        states[number] = evaluation.state
        let health = DomainHealth(evaluation.state, interval: intervals[number])
        checks += 1
        // Covers each domain sooner or later: no number of domains is a multiple of 7.
        if checks.isMultiple(of: 7) {
            var stored = try JSONDecoder().decode(DomainHealth.self, from: JSONEncoder().encode(evaluation.state))
            stored.interval = intervals[number]
            #expect(stored == health, "an encoded state gives the same domain health")
        }
        snapshot.domains[number] = health
        for change in evaluation.changes where change.transition == .resolved { tell(change) }
        if evaluation.changes.contains(where: { $0.transition == .firing }) || now - evaluatedAt >= 5 { evaluateAll() }
        // Slightly late, like every timer.
        due[number] =
            now + 0.05
            + CheckSchedule(domain: domains[number], interval: intervals[number])
            .delay(after: evaluation.state, now: instant).inSeconds
    }

    private mutating func evaluateAll() {
        evaluatedAt = now
        let evaluation = evaluateGlobal(global, snapshot, now: instant)
        // Evaluates again with a state that was encoded and decoded: neither a restart nor a repetition changes the
        // result.
        if evaluation.isWorthStoring {
            let stored = try? JSONDecoder().decode(GlobalState.self, from: JSONEncoder().encode(global))
            #expect(stored == global)
            #expect(evaluateGlobal(stored ?? global, snapshot, now: instant) == evaluation)
        }
        global = evaluation.state
        for change in evaluation.changes {
            tell(change)
            if change.transition == .resolved, change.incident.cause?.inhibits.isEmpty == false { parentEnd = now }
        }
        if parents.last?.open.mapValues(\.incident) != global.open.mapValues(\.incident) {
            parents.append((now, global.open))
        }
    }

    /// An end goes only to those who know of the beginning.
    private mutating func tell(_ change: IncidentChange) {
        switch change.transition {
        case .opened, .recovering, .other, .rewritten, .changed, .dropped: return
        case .resolved: guard known.remove(change.incident.id) != nil else { return }
        case .firing, .worse, .again, .flapping: known.insert(change.incident.id)
        }
        told.append(
            Told(
                at: now, transition: change.transition, kind: change.incident.kind, domain: change.incident.domain,
                incident: change.incident.id, facts: change.facts))
    }

    private mutating func reconcile() {
        let parents = global.open.values.filter(\.hasFired).compactMap(\.facts?.affected)
        for state in states where !state.open.isEmpty {
            for open in state.open.values where open.incident.state == .firing && !known.contains(open.incident.id) {
                let since = waiting[open.incident.id] ?? now
                waiting[open.incident.id] = since
                guard !parents.contains(where: { $0.explains(open.incident.kind, of: state.domain) }),
                    open.incident.inhibitedBy == nil, now - since >= Self.groupWait,
                    state.lastCheckedAt ?? .distantPast > .testing + parentEnd, open.unknownSince == nil
                else { continue }
                tell(IncidentChange(incident: open.incident, facts: nil, transition: .firing))
            }
        }
    }

    /// `firing cdn.wide`, in order, without domains.
    var summary: [String] { told.map { "\($0.transition.rawValue) \($0.kind.rawValue)" } }
    var toldOfDomains: [Told] { told.filter { $0.domain != nil } }
    var firing: [IncidentKind] {
        states.flatMap { $0.open.values.map(\.incident) }.filter { $0.state == .firing }.map(\.kind)
    }
}
