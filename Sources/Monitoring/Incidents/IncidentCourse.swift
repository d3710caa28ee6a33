// The course of one incident: pending, firing, recovering, resolved. The diagram is in ARCHITECTURE.md.

import Crypto
import Evidence
import Foundation

struct IncidentCourse {
    let domain: Domain
    let kind: IncidentKind
    let policy: Policy
    let verdict: Verdict
    let now: Date

    /// Takes an incident one check further and writes what came of it into `result`.
    func advance(_ known: OpenIncident?, on reading: ConditionReading, into result: inout Evaluation) {
        switch reading {
        case .unknown:
            guard var open = known else { return }
            if open.unknownSince == nil { open.unknownSince = now }
            remind(&open, into: &result)
            keep(open, ifChangedFrom: known, into: &result)
        case .holds(let since, let graceUntil):
            hold(known, since: since, graceUntil: graceUntil, into: &result)
        case .clear(let reason):
            if let known { clear(known, reason, into: &result) }
        }
    }

    private func hold(_ known: OpenIncident?, since: Date, graceUntil: Date?, into result: inout Evaluation) {
        var open = known ?? begin(since: since, graceUntil: graceUntil)
        if known != nil, kind == .cdnStale, since != open.incident.since {
            // The CDN moved to another old version: the clock runs from the change that it lacks now.
            if open.incident.state != .pending, let graceUntil, now < graceUntil {
                resolve(open, .cdnRefreshed, into: &result)
                open = begin(since: since, graceUntil: graceUntil)
            } else {
                open.incident.since = since
                open.graceUntil = graceUntil
            }
        }
        open.confirmations += 1
        open.recoveries = 0
        open.recovery = nil
        open.unknownSince = nil
        switch open.incident.state {
        case .pending:
            let confirmed = open.confirmations >= requiredConfirmations && now >= (open.graceUntil ?? .distantPast)
            if confirmed { fire(&open, into: &result) }
        case .recovering:
            open.incident.state = .firing
            remind(&open, into: &result)
        case .firing:
            remind(&open, into: &result)
        case .resolved:
            break
        }
        keep(open, ifChangedFrom: known, into: &result)
    }

    private func clear(_ known: OpenIncident, _ reason: Incident.Resolution, into result: inout Evaluation) {
        var open = known
        open.confirmations = 0
        open.recoveries += 1
        // Later checks compare with a copy that is good already, and would name another reason.
        let reason = open.recovery ?? reason
        open.recovery = reason
        open.unknownSince = nil
        if open.incident.state == .pending {
            result.state.open[kind] = nil
            result.dropped.append(open.incident)
        } else if open.recoveries >= policy.recoveryThreshold {
            resolve(open, reason, into: &result)
        } else {
            open.incident.state = .recovering
            keep(open, ifChangedFrom: known, into: &result)
        }
    }

    /// One lost packet is no news, and neighbouring edges flip between old and new copies. A certificate's dates do not
    /// flicker.
    private var requiredConfirmations: Int { kind == .certificateExpiring ? 1 : policy.failureThreshold }

    private func begin(since: Date, graceUntil: Date?) -> OpenIncident {
        OpenIncident(
            incident: Incident(
                id: identity(), domain: domain, kind: kind, severity: kind.severity, state: .pending, since: since,
                openedAt: now),
            graceUntil: graceUntil)
    }

    /// The same for the same domain, kind and beginning: a check that is repeated after a crash finds the same incident.
    private func identity() -> String {
        let start = Int64((now.timeIntervalSince1970 * 1000).rounded())
        return String(ContentHash(of: "\(domain.name)\n\(kind.rawValue)\n\(start)".utf8).hex.prefix(32))
    }

    private func fire(_ open: inout OpenIncident, into result: inout Evaluation) {
        open.incident.state = .firing
        open.incident.firedAt = now
        open.incident.nextReminderAt = policy.remindEvery.map { now.addingTimeInterval($0.inSeconds) }
        tell(.firing, &open.incident, into: &result)
    }

    private func resolve(_ open: OpenIncident, _ reason: Incident.Resolution, into result: inout Evaluation) {
        var incident = open.incident
        incident.state = .resolved
        incident.resolvedAt = now
        incident.reason = reason
        incident.nextReminderAt = nil
        tell(.resolved, &incident, into: &result)
        result.state.open[kind] = nil
        result.incidents.append(incident)
    }

    /// Reminders that were missed while the process stood still collapse into one.
    private func remind(_ open: inout OpenIncident, into result: inout Evaluation) {
        guard open.incident.state == .firing, let every = policy.remindEvery, let due = open.incident.nextReminderAt,
            now >= due
        else { return }
        let step = max(1, every.inSeconds)
        let missed = (now.timeIntervalSince(due) / step).rounded(.down)
        open.incident.nextReminderAt = due.addingTimeInterval((missed + 1) * step)
        tell(.reminder, &open.incident, into: &result)
    }

    private func keep(_ open: OpenIncident, ifChangedFrom known: OpenIncident?, into result: inout Evaluation) {
        result.state.open[kind] = open
        if open.incident != known?.incident { result.incidents.append(open.incident) }
    }

    private func tell(_ type: EventType, _ incident: inout Incident, into result: inout Evaluation) {
        incident.sequence += 1
        let own = verdict.findings.filter { IncidentKind.fed(by: $0.rule) == kind }
        result.events.append(
            Event(
                type: type, at: now, incident: incident, summary: Summary.line(type, incident, at: now),
                diagnosis: verdict.diagnosis, comparison: verdict.comparison,
                findings: own.isEmpty && type != .resolved ? verdict.findings : own))
    }
}
