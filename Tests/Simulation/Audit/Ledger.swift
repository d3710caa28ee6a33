// The transitions that were committed, and what became of each for each channel.

import Evidence
import Foundation
import Monitoring

struct Ledger {
    struct Transition {
        let incident: String
        let sequence: Int
        let kind: IncidentKind
        let isEnd: Bool
        /// What kept the message back when it was committed; nil: nothing.
        let reason: Explanation?
        /// The channels that are routed to the site; ends may go to others.
        let channels: [String]
    }

    private(set) var transitions: [String: [Int: Transition]] = [:]

    func has(_ incident: String, _ sequence: Int) -> Bool { transitions[incident]?[sequence] != nil }
    func kind(of incident: String) -> IncidentKind? { transitions[incident]?.values.first?.kind }
    func isOver(_ incident: String) -> Bool { transitions[incident]?.values.contains(where: \.isEnd) ?? false }

    /// What is told counts up an incident's sequence, so that its growth between two committed states is the list of
    /// transitions.
    /// `reason`: what keeps messages back now; `isReminder`: of the last one.
    mutating func note(
        from before: DomainState, to after: DomainState, channels: [String],
        reason: (_ incident: Incident, _ isReminder: Bool) -> Explanation?
    ) throws -> [Transition] {
        let known = Self.incidents(of: before)
        for (id, incident) in known where Self.incidents(of: after)[id] == nil {
            let wasOver = before.open[incident.kind]?.incident.id != id
            guard incident.sequence == 0 || wasOver else {
                throw Violation(rule: .transitionExplained, detail: "\(id) was told of and has vanished")
            }
        }
        return try grow(from: known, to: Self.incidents(of: after)) { incident, sequence in
            let kind = incident.kind
            let isReminder = (after.open[kind]?.reminders ?? 0) > (before.open[kind]?.reminders ?? 0)
            return (channels, reason(incident, isReminder && sequence == incident.sequence))
        }
    }

    /// The same for incidents of the fleet.
    mutating func noteFleet(
        from known: [String: Incident], to present: [String: Incident],
        _ facts: (Incident, Int) -> (channels: [String], reason: Explanation?)
    ) throws -> [Transition] {
        try grow(from: known, to: present, facts)
    }

    private mutating func grow(
        from known: [String: Incident], to present: [String: Incident],
        _ facts: (Incident, Int) -> (channels: [String], reason: Explanation?)
    ) throws -> [Transition] {
        var news: [Transition] = []
        for (id, incident) in present.sorted(by: { $0.key < $1.key }) {
            let earlier = known[id]?.sequence ?? 0
            guard incident.sequence >= earlier else {
                throw Violation(rule: .transitionExplained, detail: "the messages of \(id) are counted backwards")
            }
            guard known[id] != nil || transitions[id] == nil else {
                throw Violation(rule: .keys, detail: "the id \(id) was given before")
            }
            for sequence in earlier..<incident.sequence {
                let (channels, reason) = facts(incident, sequence + 1)
                news.append(
                    Transition(
                        incident: id, sequence: sequence + 1, kind: incident.kind,
                        isEnd: incident.state == .resolved && sequence + 1 == incident.sequence,
                        reason: reason, channels: channels))
            }
        }
        for transition in news { add(transition) }
        return news
    }

    private mutating func add(_ transition: Transition) {
        transitions[transition.incident, default: [:]][transition.sequence] = transition
    }

    /// Why a channel was not owed a message about a transition at all; nil where it was.
    ///
    /// `knowsOfTrouble`: the channel was told of the trouble, or will be.
    func explain(_ transition: Transition, knowsOfTrouble: Bool) -> Explanation? {
        if transition.isEnd { return knowsOfTrouble ? nil : .notConcerned }
        return transition.reason
    }

    private static func incidents(of state: DomainState) -> [String: Incident] {
        let all = (Array(state.ended.values) + Array(state.open.values)).map { ($0.incident.id, $0.incident) }
        return Dictionary(all) { _, last in last }
    }
}
