// The course of one incident: pending, firing, recovering, resolved. The diagram is in ARCHITECTURE.md.

import Crypto
import Evidence
import Foundation

struct IncidentCourse {
    let domain: Domain
    let kind: IncidentKind
    let policy: Policy
    let verdict: Verdict
    /// What earlier looks tell besides the verdict over this one.
    var alternation: OriginAlternation?
    /// When the domain was looked at before, by the clock of then; nil: never.
    var lastLook: Date?
    let now: Date

    /// Takes an incident one check further and writes what came of it into `result`.
    func advance(_ stored: OpenIncident?, on reading: ConditionReading, into result: inout Evaluation) {
        let known = stored?.onClock(setBackFrom: lastLook, to: now)
        switch reading {
        case .unknown:
            guard var open = known else { return }
            if open.unknownSince == nil { open.unknownSince = now }
            if open.incident.state == .firing {
                remind(&open, into: &result)
                escalate(&open, into: &result)
            }
            keep(open, ifChangedFrom: known, into: &result)
        case .holds(let since, let graceUntil):
            hold(known, since: since, graceUntil: graceUntil, into: &result)
        case .clear(let reason):
            if let known { clear(known, reason, into: &result) }
        }
        // What was moved is written down though nothing else of it has changed.
        if let known, known.incident != stored?.incident, result.state.open[kind]?.incident == known.incident {
            result.incidents.append(known.incident)
        }
    }

    private func hold(_ known: OpenIncident?, since: Date, graceUntil: Date?, into result: inout Evaluation) {
        var open = known ?? begin(since: since, graceUntil: graceUntil, into: &result)
        if known != nil, kind == .cdnStale, since != open.incident.since {
            // The CDN moved to another old version: the clock runs from the change that it lacks now.
            if open.incident.state != .pending, let graceUntil, now < graceUntil {
                resolve(open, .cdnRefreshed, into: &result)
                open = begin(since: since, graceUntil: graceUntil, into: &result)
            } else {
                open.incident.since = since
                open.graceUntil = graceUntil
            }
        }
        // The time that a change may take is counted from the change, and may be configured anew meanwhile.
        if kind == .cdnStale, !open.isTold, since == open.incident.since, let graceUntil {
            open.graceUntil = graceUntil
        }
        // What was given time to end by itself has become worse, and is given none any more.
        if open.incident.state == .pending, graceUntil == nil { open.graceUntil = nil }
        let wasOver = open.recoveries >= policy.recoveryThreshold
        open.confirmations += 1
        open.recoveries = 0
        open.recovery = nil
        open.unknownSince = nil
        if open.incident.state == .recovering {
            open.incident.state = .firing
            if wasOver, open.isTold { result.state.noteTurn(of: kind, at: now) }
        }
        if open.isTold {
            if open.isFlapping, result.state.isCalm(kind) { open.isFlapping = false }
            update(&open, into: &result)
            remind(&open, into: &result)
            escalate(&open, into: &result)
        } else {
            confirm(&open, ifStillHeldUntil: graceUntil, replacing: known, into: &result)
        }
        keep(open, ifChangedFrom: known, into: &result)
    }

    /// Fires what is confirmed, unless a cause explains it. Once the cause is over, the count and the grace begin anew: the
    /// consequence may well end with it.
    private func confirm(
        _ open: inout OpenIncident, ifStillHeldUntil graceUntil: Date?, replacing known: OpenIncident?,
        into result: inout Evaluation
    ) {
        let cause = result.cause(of: kind)
        if cause == nil, open.inhibitedBy != nil {
            open.inhibitedBy = nil
            open.confirmations = 1
            open.graceUntil = graceUntil
        }
        guard open.inhibitedBy == nil else {
            open.inhibitedBy = cause
            return
        }
        guard open.confirmations >= requiredConfirmations, now >= (open.graceUntil ?? .distantPast) else { return }
        if let cause {
            open.incident.state = .firing
            open.inhibitedBy = cause
        } else if let ended = reopenable(result.state.ended[kind], by: open) {
            if known != nil { result.dropped.append(open.incident) }
            reopen(ended, as: &open, into: &result)
        } else {
            fire(&open, into: &result)
        }
    }

    private func clear(_ known: OpenIncident, _ reason: Incident.Resolution, into result: inout Evaluation) {
        var open = known
        open.confirmations = 0
        open.recoveries += 1
        // Later checks compare with a copy that is good already, and would name another reason.
        let isUnwatched = reason == .removed
        let reason = open.recovery ?? reason
        open.recovery = reason
        open.unknownSince = nil
        if open.incident.state == .pending {
            result.state.open[kind] = nil
            result.dropped.append(open.incident)
            return
        }
        open.incident.state = .recovering
        if open.recoveries == policy.recoveryThreshold, open.isTold { result.state.noteTurn(of: kind, at: now) }
        if open.recoveries >= policy.recoveryThreshold {
            // While it comes and goes it stays one incident, which is told to be over once it is calm.
            if open.isFlapping {
                open.isFlapping = !result.state.isCalm(kind) && !isUnwatched
            } else {
                beginFlapping(&open, into: &result)
            }
            if !open.isFlapping || isUnwatched { return resolve(open, reason, into: &result) }
        }
        keep(open, ifChangedFrom: known, into: &result)
    }

    /// One lost packet is no news, and neighbouring edges flip between old and new copies. A certificate's dates do not
    /// flicker.
    var requiredConfirmations: Int { kind == .certificateExpiring ? 1 : policy.failureThreshold }

    private func begin(since: Date, graceUntil: Date?, into result: inout Evaluation) -> OpenIncident {
        result.state.begun += 1
        let id = Incident.identity("\(domain.name)\n\(kind.rawValue)", number: result.state.begun, from: now)
        return OpenIncident(
            incident: Incident(
                id: id, domain: domain, kind: kind, severity: kind.severity, state: .pending, since: since,
                openedAt: now),
            graceUntil: graceUntil)
    }

    func keep(_ open: OpenIncident, ifChangedFrom known: OpenIncident?, into result: inout Evaluation) {
        result.state.open[kind] = open
        if open.incident != known?.incident { result.incidents.append(open.incident) }
    }
}
