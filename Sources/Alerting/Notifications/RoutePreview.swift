// Who would be notified of an incident, and when: the answers of `decide` to questions about incidents that there are none of,
// so that what is shown cannot differ from what is done.

import Evidence
import Foundation
import Monitoring
import Storage

/// When a channel would be notified of an incident that fires.
package struct ExpectedNotification: Equatable, Sendable {
    package let channel: String
    package let type: ChannelKind
    /// From the firing to the message.
    package let after: Duration
    /// It is a step of the escalation: it comes only where nobody has acknowledged.
    package let isEscalation: Bool
    /// From the message to the first reminder; nil: there is none.
    package let reminder: Duration?
}

/// What is asked about.
package struct RoutePreview: Sendable {
    private let routing: Routing
    /// Any instant will do: only differences are shown.
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    package init(_ routing: Routing) { self.routing = routing }

    /// The channels that would be notified, soonest first, then in the order of the configuration.
    package func notifications(
        of subject: Incident.Subject, _ kind: IncidentKind, _ severity: Severity
    ) -> [ExpectedNotification] {
        let incident = Incident(
            id: "0", subject: subject, kind: kind, severity: severity, state: .firing, since: start, openedAt: start,
            firedAt: start, version: 1)
        let all = routing.channels.compactMap { notification(of: IncidentRecord(incident: incident), to: $0) }
        return all.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(\.element)
    }

    private func notification(of record: IncidentRecord, to channel: Channel) -> ExpectedNotification? {
        let incident = record.incident
        let route = routing.route(of: incident, to: channel)
        var known = NotificationRecord(incidentID: incident.id)
        let due: Date
        switch decide(record, known, route, nil, now: start) {
        case .send: due = start
        case .wait(until: let until?): due = until
        case .wait(until: nil), .nothing, .undecided: return nil
        }
        guard case .send(let reason) = decide(record, known, route, nil, now: due) else { return nil }
        let wait = routing.isAlone(incident.kind, at: channel) ? .zero : routing.groupWait
        (known.state, known.version, known.notifiedAt) = (.firing, 1, due)
        var reminder: Duration?
        if case .wait(until: let next?) = decide(record, known, route, nil, now: due) {
            reminder = .seconds(next.timeIntervalSince(due))
        }
        return ExpectedNotification(
            channel: channel.name, type: channel.kind, after: .seconds(due.timeIntervalSince(start)) + wait,
            isEscalation: reason == .escalated, reminder: reminder)
    }
}
