// An incident with all that decides its next step. Counts are stored: a restart neither delays nor repeats an alert.

import Evidence
import Foundation

package struct OpenIncident: Codable, Equatable, Sendable {
    package var incident: Incident
    /// Consecutive checks that held the condition true.
    package var confirmations: Int
    /// Consecutive checks that held it false.
    package var recoveries: Int
    /// Since when checks could not tell; nil while they can.
    package var unknownSince: Date?
    /// Until when nobody is told, since the trouble may well end by itself; nil: the count alone decides.
    package var graceUntil: Date?
    /// Why the condition ended, as the first check without it saw; nil while it holds.
    package var recovery: Incident.Resolution?
    /// When it last came back after its end was told; nil: it never did.
    package var returnedAt: Date?
    /// How often it was over and came back.
    package var reopened: Int
    /// The cause whose incident explains this one, so that nobody is told of it; nil where there is none.
    package var inhibitedBy: IncidentKind?
    /// Whether it comes and goes so fast that no more is told.
    package var isFlapping: Bool
    /// How many reminders were sent since it fired or came back.
    package var reminders: Int
    /// After this instant no reminder is due any more; nil before it fires, and in states of earlier versions.
    package var remindUntil: Date?
    package var escalatesFrom: Date?
    package var escalatedFor: TimeInterval?
    /// What was told of the matter, and what was last seen that differs.
    package var facts: ToldFacts

    package init(
        incident: Incident, confirmations: Int = 0, recoveries: Int = 0, unknownSince: Date? = nil,
        graceUntil: Date? = nil, recovery: Incident.Resolution? = nil
    ) {
        self.incident = incident
        self.confirmations = confirmations
        self.recoveries = recoveries
        self.unknownSince = unknownSince
        self.graceUntil = graceUntil
        self.recovery = recovery
        reopened = 0
        isFlapping = false
        reminders = 0
        facts = ToldFacts()
    }

    /// States of earlier versions lack what was added since.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        incident = try container.decode(Incident.self, forKey: .incident)
        confirmations = try container.decode(Int.self, forKey: .confirmations)
        recoveries = try container.decode(Int.self, forKey: .recoveries)
        unknownSince = try container.decodeIfPresent(Date.self, forKey: .unknownSince)
        graceUntil = try container.decodeIfPresent(Date.self, forKey: .graceUntil)
        recovery = try container.decodeIfPresent(Incident.Resolution.self, forKey: .recovery)
        returnedAt = try container.decodeIfPresent(Date.self, forKey: .returnedAt)
        reopened = try container.decodeIfPresent(Int.self, forKey: .reopened) ?? 0
        inhibitedBy = try container.decodeIfPresent(IncidentKind.self, forKey: .inhibitedBy)
        isFlapping = try container.decodeIfPresent(Bool.self, forKey: .isFlapping) ?? false
        reminders = try container.decodeIfPresent(Int.self, forKey: .reminders) ?? 0
        remindUntil = try container.decodeIfPresent(Date.self, forKey: .remindUntil)
        escalatesFrom = try container.decodeIfPresent(Date.self, forKey: .escalatesFrom)
        escalatedFor = try container.decodeIfPresent(TimeInterval.self, forKey: .escalatedFor)
        facts = try container.decodeIfPresent(ToldFacts.self, forKey: .facts) ?? ToldFacts()
    }

    /// Whether anybody was told of it.
    package var isTold: Bool { incident.firedAt != nil }
}
