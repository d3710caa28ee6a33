// All that keeps messages back at present, and the one question that everybody asks it.

import Evidence
import Foundation

package struct Mutings: Equatable, Sendable {
    package var silences: [Silence]
    package var windows: [MaintenanceWindow]
    /// What an incident of the fleet explains, so that it is not told beside it.
    package var fleet: FleetWithholding
    /// The incidents that somebody has taken in hand, by id.
    package var acknowledged: [String: Acknowledgement]

    package init(
        silences: [Silence] = [], windows: [MaintenanceWindow] = [], fleet: FleetWithholding = FleetWithholding(),
        acknowledged: [String: Acknowledgement] = [:]
    ) {
        self.silences = silences
        self.windows = windows
        self.fleet = fleet
        self.acknowledged = acknowledged
    }

    /// Whether messages about something are kept back at an instant, and until when; nil where they are not.
    /// `domain`: nil for what is about no single domain.
    package func muting(domain: Domain?, labels: [String: String], kind: IncidentKind, at now: Date) -> Muting? {
        // Nobody knows when it ends.
        if domain != nil, let reason = fleet.reason(for: kind) { return Muting(until: nil, reason: reason) }
        let silences = silences.filter { $0.scope.matches(domain: domain, labels: labels, kind: kind) }
        let windows = windows.filter { $0.scope.matches(domain: domain, labels: labels, kind: kind) }
        guard var until = Self.end(silences, windows, at: now) else { return nil }
        let reason =
            silences.first { $0.isActive(at: now) }?.reason ?? windows.first { $0.end(at: now) != nil }?.reason ?? ""
        // Where one takes over from another there is no gap to speak in. Daily windows of 24 hours have no end at all, so
        // the search has one.
        for _ in 0..<Self.chain {
            guard let next = Self.end(silences, windows, at: until) else { break }
            until = next
        }
        return Muting(until: until, reason: reason)
    }

    /// What of a check's events may be told, and what is withheld. An end is never withheld: who was told of the trouble
    /// is calmed by it at once, and the store keeps it from all others. Nobody reminds those who have taken it in hand; that
    /// is neither told nor owed.
    package func split(_ events: [Event], labels: [String: String], at now: Date) -> (told: [Event], withheld: [Event])
    {
        var told: [Event] = []
        var withheld: [Event] = []
        for event in events {
            let incident = event.incident
            if event.type == .reminder, acknowledged[incident.id] != nil { continue }
            let isMuted =
                event.type != .resolved
                && muting(domain: incident.domain, labels: labels, kind: incident.kind, at: now) != nil
            if isMuted { withheld.append(event) } else { told.append(event) }
        }
        return (told, withheld)
    }

    private static let chain = 16

    private static func end(_ silences: [Silence], _ windows: [MaintenanceWindow], at now: Date) -> Date? {
        (silences.filter { $0.isActive(at: now) }.map(\.endsAt) + windows.compactMap { $0.end(at: now) }).max()
    }
}

/// That messages about something are kept back.
package struct Muting: Equatable, Sendable {
    /// When they come again, as far as is known now; nil while a cause that explains it lasts.
    package let until: Date?
    /// In the words of whoever asked for it.
    package let reason: String

    package init(until: Date?, reason: String) {
        self.until = until
        self.reason = reason
    }
}
