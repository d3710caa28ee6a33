// Trouble that nobody takes in hand is told to more people, step by step. One rhythm for the incidents of domains and of
// the fleet. Only trouble of severity error climbs: nobody is woken by a certificate that lasts for two more weeks.

import Evidence
import Foundation

/// An incident that is told to more people the longer it fires. What decides the next step is stored with it, and is no
/// place in a list: a restart neither repeats nor skips a step, nor does another list.
package protocol Escalating {
    var incident: Incident { get set }
    /// From where the time of the steps is counted; nil before it fires, and in states of earlier versions.
    var escalatesFrom: Date? { get set }
    /// Seconds of that time whose steps have passed; nil: none has.
    var escalatedFor: TimeInterval? { get set }
}

extension OpenIncident: Escalating {}
extension FleetIncident: Escalating {}

extension Escalating {
    /// At the firing, and anew where trouble grows or is back: whoever had it in hand has it no more.
    mutating func beginEscalation(at now: Date) {
        escalatesFrom = now
        escalatedFor = nil
    }

    /// The steps that came due since the last time; nil where none did. Those that were missed while the process stood still
    /// come as one.
    package mutating func passSteps(_ steps: [Duration], at now: Date) -> EscalationSpan? {
        guard incident.severity == .error, let start = escalatesFrom ?? incident.firedAt else { return nil }
        let age = now.timeIntervalSince(start)
        let passed = escalatedFor ?? 0
        guard let last = steps.map(\.inSeconds).filter({ $0 > passed && $0 <= age }).max() else { return nil }
        escalatedFor = last
        return EscalationSpan(after: passed, through: last)
    }
}

/// Which steps of the escalation an event is about, by the time after which they come.
package struct EscalationSpan: Codable, Equatable, Sendable {
    /// In seconds; a step of just this many came before.
    package let after: TimeInterval
    /// In seconds; a step of just this many belongs to it.
    package let through: TimeInterval

    package init(after: TimeInterval, through: TimeInterval) {
        self.after = after
        self.through = through
    }

    package func contains(_ step: Duration) -> Bool { step.inSeconds > after && step.inSeconds <= through }
}

extension Event {
    /// The same for those who are told by the steps that the incident has passed; nil where it has passed none, or is over.
    package func escalated(of incident: (any Escalating)?) -> Event? {
        guard type == .firing, let passed = incident?.escalatedFor, incident?.incident.id == self.incident.id else {
            return nil
        }
        var event = self
        event.escalation = EscalationSpan(after: 0, through: passed)
        return event
    }
}
