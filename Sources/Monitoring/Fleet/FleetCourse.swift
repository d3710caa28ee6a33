// The course of one incident of the fleet. It has the states of a domain's incident; what differs is that many looks
// confirm it at once, and that its end needs two judgements with a look and some time between them.

import Evidence
import Foundation

struct FleetCourse {
    let cause: FleetCause
    let policy: FleetPolicy
    /// Seconds for which it must look over.
    let settle: TimeInterval
    /// When any domain was last looked at.
    let lookedAt: Date?
    /// When the fleet was judged before, by the clock of then; nil: never, or by an earlier version.
    let judgedAt: Date?
    let now: Date

    func advance(_ stored: FleetIncident?, on reading: FleetReading, into result: inout FleetEvaluation) {
        let known = stored?.onClock(setBackFrom: judgedAt, to: now)
        switch reading {
        case .unknown:
            guard var open = known else { return }
            if open.incident.state == .firing {
                remind(&open, into: &result)
                escalate(&open, into: &result)
            }
            keep(open, ifChangedFrom: known, into: &result)
        case .holds(let since, let isSure, let report):
            hold(known, since: since, isSure: isSure, report, into: &result)
        case .clear:
            if let known { clear(known, into: &result) }
        case .removed(let relief):
            guard var open = known else { return }
            open.report.relief = relief
            end(&open, .removed, into: &result)
        }
        // What was moved is written down though nothing else of it has changed.
        if let known, known.incident != stored?.incident, result.state[cause]?.incident == known.incident {
            result.incidents.append(known.incident)
        }
    }

    private func hold(
        _ known: FleetIncident?, since: Date, isSure: Bool, _ report: FleetReport, into result: inout FleetEvaluation
    ) {
        var open = known ?? begin(since: since, report, into: &result)
        open.report = report
        open.calmSince = nil
        if open.incident.state == .recovering { open.incident.state = .firing }
        if open.incident.state == .pending {
            if isSure { fire(&open, wasKnown: known != nil, into: &result) }
        } else {
            if report.severity > open.incident.severity {
                open.incident.severity = report.severity
                open.beginEscalation(at: now)
                tell(.update, news: .worse, &open, into: &result)
            }
            remind(&open, into: &result)
            escalate(&open, into: &result)
        }
        keep(open, ifChangedFrom: known, into: &result)
    }

    private func clear(_ known: FleetIncident, into result: inout FleetEvaluation) {
        var open = known
        // With a clock that was set back over a restart it may lie ahead.
        let calm = min(open.calmSince ?? now, now)
        open.calmSince = calm
        // The first judgement without it, and one that has seen more since.
        let isNews = cause.withholds.isEmpty || (lookedAt ?? .distantPast) > calm
        guard now.timeIntervalSince(calm) >= settle, now > calm, isNews else {
            if open.incident.state == .firing { open.incident.state = .recovering }
            return keep(open, ifChangedFrom: known, into: &result)
        }
        end(&open, .recovered, into: &result)
    }

    private func end(
        _ open: inout FleetIncident, _ reason: Incident.Resolution, into result: inout FleetEvaluation
    ) {
        result.state.open.removeAll { $0.cause == cause }
        if !cause.withholds.isEmpty { result.state.withheldUntil = now }
        guard open.incident.state != .pending else { return result.dropped.append(open.incident) }
        open.incident.state = .resolved
        open.incident.resolvedAt = now
        open.incident.reason = reason
        open.incident.nextReminderAt = nil
        tell(.resolved, &open, into: &result)
        result.state.ended.removeAll { $0.cause == cause }
        // What is gone does not come back: under its name it would be another.
        if reason != .removed { result.state.ended.append(open) }
        result.incidents.append(open.incident)
    }

    private func begin(since: Date, _ report: FleetReport, into result: inout FleetEvaluation) -> FleetIncident {
        result.state.begun += 1
        let matter = "fleet\n\(cause.kind.rawValue)\n\(cause.name)"
        return FleetIncident(
            cause: cause,
            incident: Incident(
                id: Incident.identity(matter, number: result.state.begun, from: now), domain: nil,
                kind: cause.kind, severity: report.severity, state: .pending,
                since: min(since, now), openedAt: now), report: report)
    }

    /// Trouble that is back soon after its end is the same incident.
    private func fire(_ open: inout FleetIncident, wasKnown: Bool, into result: inout FleetEvaluation) {
        guard let ended = result.state.ended.first(where: { $0.cause == cause }) else {
            open.incident.firedAt = now
            open.incident.state = .firing
            beginReminders(of: &open)
            open.beginEscalation(at: now)
            return tell(.firing, &open, into: &result)
        }
        if wasKnown { result.dropped.append(open.incident) }
        let opened = open.incident
        open.incident = ended.incident
        open.incident.state = .firing
        open.incident.severity = max(opened.severity, ended.incident.severity)
        open.incident.resolvedAt = nil
        open.incident.reason = nil
        result.state.ended.removeAll { $0.cause == cause }
        beginReminders(of: &open)
        open.beginEscalation(at: now)
        tell(.update, news: .again, &open, into: &result)
    }

    private func beginReminders(of open: inout FleetIncident) {
        open.beginReminders(every: policy.remindEvery, for: policy.remindFor, at: now)
    }

    private func remind(_ open: inout FleetIncident, into result: inout FleetEvaluation) {
        guard open.passReminder(every: policy.remindEvery, for: policy.remindFor, at: now) else { return }
        tell(.reminder, &open, into: &result)
    }

    private func escalate(_ open: inout FleetIncident, into result: inout FleetEvaluation) {
        guard let span = open.passSteps(policy.escalateAfter, at: now) else { return }
        tell(.firing, by: span, &open, into: &result)
    }

    private func tell(
        _ type: EventType, news: Event.News? = nil, by span: EscalationSpan? = nil, _ open: inout FleetIncident,
        into result: inout FleetEvaluation
    ) {
        open.incident.sequence += 1
        var event = open.event(type, news: news, at: now)
        event.escalation = span
        result.news.append(.init(cause: cause, event: event))
    }

    private func keep(_ open: FleetIncident, ifChangedFrom known: FleetIncident?, into result: inout FleetEvaluation) {
        result.state.open.removeAll { $0.cause == cause }
        result.state.open.append(open)
        if open.incident != known?.incident { result.incidents.append(open.incident) }
    }
}

extension FleetIncident {
    /// What is to be said about it at an instant.
    package func event(_ type: EventType, news: Event.News? = nil, at now: Date) -> Event {
        Event(
            type: type, news: news, at: now, incident: incident,
            summary: Summary.line(
                type, news: news, incident, at: now, trouble: (report.trouble, report.relief),
                subject: report.subject),
            diagnosis: type == .resolved ? "\(report.subject): \(report.relief)" : report.diagnosis,
            comparison: Comparison(state: .notCompared), findings: type == .resolved ? [] : [report.finding],
            affected: report.affected)
    }

    /// How it stands now, for those who were not told while that was silenced; nil while that is not settled.
    /// `isWorse`: as in `Event.present`.
    package func present(at now: Date, isWorse: Bool = false) -> Event? {
        EventType.present(incident.state, isWorse: isWorse).map { event($0, news: isWorse ? .worse : nil, at: now) }
    }
}
