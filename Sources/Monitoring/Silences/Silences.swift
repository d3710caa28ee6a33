// The silences and maintenance windows, and the one question that everybody asks them. All instants are of the wall clock:
// people name them.

import Evidence
import Foundation

package struct Silences: Equatable, Sendable {
    package var silences: [Silence]
    package var windows: [MaintenanceWindow]

    package init(silences: [Silence] = [], windows: [MaintenanceWindow] = []) {
        self.silences = silences
        self.windows = windows
    }

    /// What silences an incident at an instant, and until when; nil where nothing does. `domain`: nil for an incident that is
    /// about no single domain.
    package func active(
        domain: Domain?, labels: [String: String], kind: IncidentKind, at wall: Date
    ) -> ActiveSilence? {
        if silences.isEmpty, windows.isEmpty { return nil }
        let silences = silences.filter { $0.scope.matches(domain: domain, labels: labels, kind: kind) }
        let windows = windows.filter { $0.scope.matches(domain: domain, labels: labels, kind: kind) }
        guard var until = Self.end(silences, windows, at: wall) else { return nil }
        let reason =
            silences.first { $0.isActive(at: wall) }?.reason ?? windows.first { $0.end(at: wall) != nil }?.reason ?? ""
        // Where one begins before another ends there is no gap. Daily windows of 24 hours have no end at all, so the search
        // has one.
        for _ in 0..<Self.chain {
            guard let next = Self.end(silences, windows, at: until) else { break }
            until = next
        }
        return ActiveSilence(until: until, reason: reason)
    }

    private static let chain = 16

    private static func end(_ silences: [Silence], _ windows: [MaintenanceWindow], at instant: Date) -> Date? {
        (silences.filter { $0.isActive(at: instant) }.map(\.endsAt) + windows.compactMap { $0.end(at: instant) }).max()
    }
}

/// That an incident is silenced.
package struct ActiveSilence: Equatable, Sendable {
    /// The end, as far as is known now.
    package let until: Date?
    /// In the words of the person who asked for it.
    package let reason: String

    package init(until: Date?, reason: String) {
        self.until = until
        self.reason = reason
    }
}
