// A domain's life told as a list of looks, each through `evaluate`. Between two looks the memory is written down and
// read again, and each look is judged twice: a restart or a replay must never change what comes out.

import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

struct Course {
    var policy = Policy(remindEvery: nil)
    private(set) var state: DomainState
    private(set) var events: [Event] = []
    private(set) var evaluations: [Evaluation] = []
    /// The clock of the story: hours from its beginning.
    private(set) var hours = 0.0

    init(_ name: String = "example.com", policy: Policy = Policy(remindEvery: nil)) throws {
        self.policy = policy
        state = DomainState(domain: try Domain(name))
    }

    /// One check at an hour of the story. It is a full one that saw nothing besides; with `full` nil it is a light one.
    mutating func look(
        at hours: Double, _ origin: Reply, _ cdn: Reply?, unasked: CDNLook.Reason = .originHasNoFile,
        full: FullLook? = FullLook(resolution: Resolution(source: .proxy))
    ) throws {
        var observation = try Observation.of(
            state.domain.name, at: .testing + hours * 3600, mode: unasked == .mode ? .developer : .production,
            origin: origin, cdn: cdn, unasked: unasked)
        observation.full = full
        try look(at: hours, observation)
    }

    mutating func look(at hours: Double, _ observation: Observation) throws {
        self.hours = hours
        let now = Date.testing + hours * 3600
        let before = try JSONDecoder().decode(DomainState.self, from: JSONEncoder().encode(state))
        #expect(before == state)
        let evaluation = evaluate(state, observation, policy, now: now)
        #expect(evaluate(before, observation, policy, now: now) == evaluation)
        #expect(evaluation.state.originPeriods.count <= DomainState.maximumPeriods)
        evaluations.append(evaluation)
        events += evaluation.events
        state = evaluation.state
    }

    /// Files of two versions, or a fault, at an hour: `look(at: 3, origin: 2, cdn: 1)`.
    mutating func look(at hours: Double, origin: Int, cdn: Int) throws {
        try look(at: hours, .file(SampleFile.version(origin)), .file(SampleFile.version(cdn)))
    }

    mutating func look(at hours: some Sequence<Int>, origin: Int, cdn: Int) throws {
        for hour in hours { try look(at: Double(hour), origin: origin, cdn: cdn) }
    }

    /// What was told, as `hour kind type`, with the reason of an end.
    var told: [String] {
        events.map { event in
            let hour = Int((event.at.timeIntervalSince(.testing) / 3600).rounded())
            let reason = event.incident.reason.map { " (\($0.rawValue))" } ?? ""
            let news = event.news.map { " \($0.rawValue)" } ?? ""
            return "\(hour) \(event.incident.kind.rawValue) \(event.type.rawValue.dropFirst(9))\(news)\(reason)"
        }
    }

    func open(_ kind: IncidentKind) -> OpenIncident? { state.open[kind] }
}
