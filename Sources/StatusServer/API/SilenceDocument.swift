// Silences and windows as JSON, for the API and for `silence list --format json`. Every key is always there.

import Evidence
import Foundation
import Monitoring

package struct SilenceDocument: Encodable, Sendable {
    private let silence: Silence
    private let now: Date

    package init(_ silence: Silence, now: Date) {
        self.silence = silence
        self.now = now
    }

    private enum Key: String, CodingKey {
        case id, state, domains, labels, kinds, author, reason
        case startsAt = "starts_at", endsAt = "ends_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Key.self)
        try root.encode(silence.id, forKey: .id)
        try root.encode(state, forKey: .state)
        try root.encode(silence.scope.domains, forKey: .domains)
        try root.encode(silence.scope.labels, forKey: .labels)
        try root.encode(silence.scope.kinds, forKey: .kinds)
        try root.encode(silence.startsAt.rfc3339, forKey: .startsAt)
        try root.encode(silence.endsAt.rfc3339, forKey: .endsAt)
        try root.encode(silence.author, forKey: .author)
        try root.encode(silence.reason, forKey: .reason)
    }

    private var state: String {
        if silence.isActive(at: now) { return "active" }
        return now < silence.startsAt ? "pending" : "over"
    }
}

struct MaintenanceDocument: Encodable {
    let window: MaintenanceWindow
    let now: Date

    private enum Key: String, CodingKey {
        case name, domains, labels, zone, reason
        case activeUntil = "active_until", nextStart = "next_start"
    }

    func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Key.self)
        try root.encode(window.name, forKey: .name)
        try root.encode(window.scope.domains, forKey: .domains)
        try root.encode(window.scope.labels, forKey: .labels)
        try root.encode(window.zone.identifier, forKey: .zone)
        try root.encode(window.reason, forKey: .reason)
        try root.encode(window.end(at: now)?.rfc3339, forKey: .activeUntil)
        try root.encode(window.nextStart(after: now)?.rfc3339, forKey: .nextStart)
    }
}

struct SilenceList: Encodable {
    let silences: [SilenceDocument]
    let maintenance: [MaintenanceDocument]
}
