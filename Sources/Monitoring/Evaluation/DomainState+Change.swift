// A new version of the origin's file on its way to every edge of Apple's CDN, as an incident of kind `change`: firing while it
// is on its way, resolved where every edge serves it. It is no trouble, and opens only where a channel is notified of changes.

import Evidence
import Foundation

extension DomainState {
    /// Follows the latest change of the origin by one check. `isSettled`: the check knows of every edge.
    ///
    /// The first version that is ever seen is no change, nor is what an origin that alternates serves in turn. A version that
    /// another one follows, or that the origin takes back, ends silently: `decide` sends no end but `cdn_caught_up`.
    mutating func followChange(since before: DomainState, _ verdict: Verdict, isSettled: Bool, at now: Date)
        -> [IncidentChange]
    {
        var changes: [IncidentChange] = []
        let isInSync = verdict.comparison.state == .inSync && isSettled
        let present = originPeriods.last
        let isNew = before.originPeriods.last.map { $0.meaning != present?.meaning } ?? false
        if let known = change {
            let hasArrived = propagations.contains { $0.changedAt == known.since } || isInSync
            if isNew {
                // What the CDN still serves: the origin went back.
                changes.append(ending(known, isInSync ? .originReverted : .superseded, verdict, at: now))
            } else if hasArrived {
                changes.append(ending(known, .cdnCaughtUp, verdict, at: now))
            } else if verdict.comparison.state == .notCompared {
                changes.append(ending(known, .removed, verdict, at: now))
            }
        }
        guard isNew, let present, originAlternation == nil, changes.last?.incident.reason != .originReverted else {
            return changes
        }
        incidents.begun += 1
        let incident = Incident(
            id: Incident.identity(
                "\(domain.name)\n\(IncidentKind.change.rawValue)", number: incidents.begun, from: now),
            subject: .domain(domain), kind: .change, severity: .note, state: .firing, since: present.firstSeen,
            openedAt: now, firedAt: now, version: 1)
        change = incident
        return changes + [IncidentChange(incident: incident, facts: facts(of: present, verdict), transition: .firing)]
    }

    /// Ends a change that nobody follows any more.
    mutating func forgetChange(_ verdict: Verdict, at now: Date) -> [IncidentChange] {
        change.map { [ending($0, .removed, verdict, at: now)] } ?? []
    }

    private mutating func ending(_ known: Incident, _ reason: Incident.Resolution, _ verdict: Verdict, at now: Date)
        -> IncidentChange
    {
        var incident = known
        incident.state = .resolved
        incident.resolvedAt = now
        incident.reason = reason
        change = nil
        let period = originPeriods.last { $0.firstSeen == known.since } ?? originPeriods.last
        return IncidentChange(incident: incident, facts: period.map { facts(of: $0, verdict) }, transition: .resolved)
    }

    private func facts(of period: OriginPeriod, _ verdict: Verdict) -> IncidentFacts {
        let version = "version \(period.content.hex.prefix(8))"
        return IncidentFacts(
            diagnosis: verdict.diagnosis, comparison: verdict.comparison, trouble: "\(version) is live at the origin",
            relief: "every edge serves \(version)")
    }
}
