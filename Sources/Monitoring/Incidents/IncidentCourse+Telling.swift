// What is told of an incident, and when: its beginning and its end, that it is back, that it comes and goes, what changed,
// and reminders.

import Evidence
import Foundation

extension IncidentCourse {
    func fire(_ open: inout OpenIncident, into result: inout Evaluation) {
        open.incident.state = .firing
        open.incident.firedAt = now
        beginReminders(of: &open)
        open.beginEscalation(at: now)
        result.state.noteTurn(of: kind, at: now)
        tell(.firing, &open, into: &result)
    }

    /// The incident that has just ended, where `open` is the same trouble once more. Trouble that was given time anew to
    /// end by itself is not: it has another beginning.
    func reopenable(_ ended: OpenIncident?, by open: OpenIncident) -> OpenIncident? {
        guard let ended, let end = ended.incident.resolvedAt else { return nil }
        let opened = open.incident.openedAt
        let isSoon = (0..<max(0, policy.reopenWindow.inSeconds)).contains(opened.timeIntervalSince(end))
        return isSoon && (open.graceUntil ?? .distantPast) <= opened ? ended : nil
    }

    func reopen(_ ended: OpenIncident, as open: inout OpenIncident, into result: inout Evaluation) {
        let confirmations = open.confirmations
        let returned = open.incident.openedAt
        open = ended
        open.returnedAt = returned
        open.confirmations = confirmations
        open.recoveries = 0
        open.recovery = nil
        open.reopened += 1
        open.incident.state = .firing
        open.incident.resolvedAt = nil
        open.incident.reason = nil
        beginReminders(of: &open)
        open.beginEscalation(at: now)
        result.state.ended[kind] = nil
        result.reawakened.insert(open.incident.id)
        result.state.noteTurn(of: kind, at: now)
        if !beginFlapping(&open, into: &result) { tell(.update, news: .again, &open, into: &result) }
    }

    /// Tells that the trouble comes and goes, where it does.
    @discardableResult
    func beginFlapping(_ open: inout OpenIncident, into result: inout Evaluation) -> Bool {
        guard open.isTold, result.state.isFlapping(kind) else { return false }
        open.isFlapping = true
        tell(.update, news: .flapping, &open, into: &result)
        return true
    }

    /// An incident of which nobody was told ends in silence.
    func resolve(_ open: OpenIncident, _ reason: Incident.Resolution, into result: inout Evaluation) {
        var open = open
        open.incident.state = .resolved
        open.incident.resolvedAt = now
        open.incident.reason = reason
        open.incident.nextReminderAt = nil
        open.isFlapping = false
        open.unknownSince = nil
        result.state.open[kind] = nil
        if open.isTold {
            tell(.resolved, &open, into: &result)
            result.state.ended[kind] = open
        }
        result.incidents.append(open.incident)
    }

    /// Keeps the memory of ended incidents as short as it is of use.
    func forgetEnded(in state: inout DomainState) {
        guard let end = state.ended[kind]?.incident.resolvedAt else { return }
        // A pending incident that began within the window may still turn out to be the old one; any other is none.
        let open = state.open[kind]?.incident
        let reference = open?.openedAt ?? now
        let isSoon = (0..<max(0, policy.reopenWindow.inSeconds)).contains(reference.timeIntervalSince(end))
        if !isSoon || (open.map { $0.state != .pending } ?? false) { state.ended[kind] = nil }
    }

    /// Tells what differs from what was told, at most once in a while and only what was not told before: facts that go
    /// back and forth are no news.
    func update(_ open: inout OpenIncident, into result: inout Evaluation) {
        let own = ownFindings
        guard open.incident.state == .firing, !own.isEmpty else { return }
        let worst = max(own.map(\.severity).max() ?? .note, open.incident.severity)
        let isWorse = worst > open.incident.severity
        let isNews = open.facts.see(facts(worst), required: requiredConfirmations)
        // An incident of an earlier version: what it is about now counts as told.
        guard let last = open.facts.at else { return open.facts.note(facts(worst), at: now) }
        // A clock that was set back must not hold updates for long.
        let waited = abs(now.timeIntervalSince(last))
        guard isNews, !open.isFlapping, waited >= policy.updateEvery.inSeconds else { return }
        if isWorse {
            open.incident.severity = worst
            open.beginEscalation(at: now)
            result.reawakened.insert(open.incident.id)
        }
        tell(.update, news: isWorse ? .worse : .changed, &open, into: &result)
    }

    private func beginReminders(of open: inout OpenIncident) {
        open.beginReminders(every: policy.remindEvery, for: policy.remindFor, at: now)
    }

    func remind(_ open: inout OpenIncident, into result: inout Evaluation) {
        guard open.isTold, !open.isFlapping,
            open.passReminder(every: policy.remindEvery, for: policy.remindFor, at: now)
        else { return }
        tell(.reminder, &open, into: &result)
    }

    /// Tells more people where nobody has it in hand, unless another incident explains it: that one climbs by itself.
    func escalate(_ open: inout OpenIncident, into result: inout Evaluation) {
        guard open.isTold, !open.isFlapping, result.cause(of: kind) == nil,
            let span = open.passSteps(policy.escalateAfter, at: now)
        else { return }
        tell(.firing, by: span, &open, into: &result)
    }

    private var ownFindings: [Finding] { verdict.findings.filter { IncidentKind.fed(by: $0.rule) == kind } }

    /// What makes one state of the matter another one to a reader: what is wrong, how grave it is, and what differs. No
    /// ages, no times, and nothing that depends on a threshold.
    private func facts(_ severity: Severity) -> ContentHash {
        let isOfCopy = kind == .cdnStale || kind == .cdnDivergent
        let rules = isOfCopy ? [] : Set(ownFindings.filter { $0.severity == .error }.map(\.rule.rawValue)).sorted()
        let changes = isOfCopy ? verdict.comparison.changes.map { "\($0.kind.rawValue) \($0.summary)" }.sorted() : []
        return ContentHash(of: ([severity.rawValue] + rules + changes).joined(separator: "\n").utf8)
    }

    private func tell(
        _ type: EventType, news: Event.News? = nil, by span: EscalationSpan? = nil, _ open: inout OpenIncident,
        into result: inout Evaluation
    ) {
        open.incident.sequence += 1
        var own = ownFindings
        if type == .firing || type == .update { open.facts.note(facts(open.incident.severity), at: now) }
        var diagnosis = verdict.diagnosis
        // One look at an origin that alternates may well see nothing wrong with it.
        if kind == .originInconsistent, own.isEmpty, let alternation {
            own = [alternation.finding]
            diagnosis = alternation.sentence
        }
        result.events.append(
            Event(
                type: type, news: news, at: now, incident: open.incident,
                summary: Summary.line(type, news: news, open.incident, at: now), diagnosis: diagnosis,
                comparison: verdict.comparison,
                findings: own.isEmpty && type != .resolved ? verdict.findings : own, escalation: span))
    }
}
