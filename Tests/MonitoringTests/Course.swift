// A domain's history as a list of checks, each through `evaluate`. Some checks are evaluated twice, and their state is
// encoded and decoded: a restart or a repetition must never change the result.

import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

struct Course {
    var policy = Policy()
    private(set) var state: DomainState
    private(set) var evaluations: [Evaluation] = []
    /// The notifications, in order.
    private(set) var events: [Event] = []
    /// Hours since the beginning.
    private(set) var hours = 0.0
    /// How far the wall clock is ahead of the steady clock, in seconds.
    var wallAhead = 0.0

    struct Event: Equatable {
        let at: Date
        let transition: IncidentChange.Transition
        let incident: Incident
        let facts: IncidentFacts?

        /// nil if nobody is notified of the change.
        init?(_ change: IncidentChange, at instant: Date) {
            switch change.transition {
            case .opened, .recovering, .other, .rewritten, .dropped: return nil
            case .firing, .worse, .again, .flapping, .changed, .resolved: break
            }
            (at, transition, incident, facts) = (instant, change.transition, change.incident, change.facts)
        }
    }

    init(_ name: String = "example.com", policy: Policy = Policy()) throws {
        self.policy = policy
        state = DomainState(domain: try Domain(name))
    }

    /// The origin changes at hour 1, but the copy stays old: `cdn.stale` fires at hour 25.
    static func lagging(until hour: Int = 26, policy: Policy = Policy()) throws -> Course {
        var course = try Course(policy: policy)
        try course.probed(at: 0, origin: 1, cdn: 1)
        try course.probed(at: 1...hour, origin: 2, cdn: 1)
        return course
    }

    /// One full check at an hour. All edges answer as the CDN's name does. Without `full` it is a light check.
    mutating func probed(
        at hours: Double, _ origin: Reply, _ cdn: Reply?, unasked: CDNResult.Reason = .originHasNoFile,
        full: FullCheck? = FullCheck(resolution: Resolution(source: .proxy))
    ) throws {
        var observation = try Observation.of(
            state.domain.name, at: .testing + hours * 3600, mode: unasked == .mode ? .developer : .production,
            origin: origin, cdn: cdn, unasked: unasked)
        observation.full = full
        if full?.edges.isEmpty == true, let copy = observation.cdn.retrieval {
            observation.full?.edges = (1...3).map { EdgeResult(address: "198.51.100.\($0)", retrieval: copy) }
        }
        try probed(at: hours, observation)
    }

    mutating func probed(at hours: Double, _ observation: Observation, replacing light: Observation? = nil) throws {
        self.hours = hours
        let now = Date.testing + hours * 3600
        let wall = now + wallAhead
        let evaluation = evaluate(state, observation, policy, now: now, wall: wall, replacing: light)
        // Doing this at every check would double the run time of this module. Checks that change incidents, and every
        // fifth other check, cover everything that a state can contain.
        if Rounds.isSoak || !evaluation.changes.isEmpty || evaluations.count.isMultiple(of: 5) {
            let stored = try JSONDecoder().decode(DomainState.self, from: JSONEncoder().encode(state))
            #expect(stored == state)
            #expect(evaluate(stored, observation, policy, now: now, wall: wall, replacing: light) == evaluation)
        }
        #expect(evaluation.state.originPeriods.count <= DomainState.maximumPeriods)
        evaluations.append(evaluation)
        events += evaluation.changes.compactMap { Event($0, at: now) }
        state = evaluation.state
    }

    /// The result of a light check one minute later.
    func glance(_ origin: Reply, _ cdn: Reply?) throws -> Evaluation {
        let now = Date.testing + hours * 3600 + 60
        let light = try Observation.of(state.domain.name, at: now, origin: origin, cdn: cdn)
        return evaluate(state, light, policy, now: now, wall: now + wallAhead)
    }

    /// Two versions, or a fault, at an hour: `probed(at: 3, origin: 2, cdn: 1)`.
    mutating func probed(at hours: Double, origin: Int, cdn: Int) throws {
        try probed(at: hours, .file(SampleFile.version(origin)), .file(SampleFile.version(cdn)))
    }

    mutating func probed(at hours: some Sequence<Int>, origin: Int, cdn: Int) throws {
        for hour in hours { try probed(at: Double(hour), origin: origin, cdn: cdn) }
    }

    /// The notifications, as `hour kind transition`, with the reason of an end.
    var told: [String] {
        events.map { event in
            let hour = Int((event.at.timeIntervalSince(.testing) / 3600).rounded())
            let reason = event.incident.reason.map { " (\($0.rawValue))" } ?? ""
            return "\(hour) \(event.incident.kind.rawValue) \(event.transition.rawValue)\(reason)"
        }
    }

    func open(_ kind: IncidentKind) -> TrackedIncident? { state.open[kind] }
}

extension [IncidentChange] {
    /// Those that ended before they were confirmed.
    var dropped: [Incident] { filter { $0.transition == .dropped }.map(\.incident) }
}
