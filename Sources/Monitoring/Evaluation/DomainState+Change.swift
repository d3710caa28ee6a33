// The rollout of a new version of the origin's file to all of Apple's CDN edges, as an incident of kind `change`:
// firing during the rollout, resolved when every edge serves it. It is not a problem, and opens only if a channel is
// notified of changes.

import Evidence
import Foundation

extension DomainState {
    /// Follows the latest change of the origin by one check. `isSettled`: the check knows every edge.
    ///
    /// Content that differs from the previous one is a change, also if the origin reverts. The first content ever seen
    /// is not a change, and neither are the contents of an alternating origin. A change ends when every edge serves it,
    /// or when another one follows. The latter end is silent: `decide` sends only `cdn_caught_up`.
    mutating func followChange(since before: DomainState, _ verdict: Verdict, isSettled: Bool, at now: Date)
        -> [IncidentChange]
    {
        let present = originPeriods.last
        let isNew = before.originPeriods.last.map { $0.meaning != present?.meaning } ?? false
        var changes: [IncidentChange] = []
        if let known = change {
            if isNew {
                changes.append(ending(known, .superseded, verdict, at: now))
            } else if cdnCopy?.meaning == present?.meaning,
                verdict.comparison.state == .inSync && isSettled
                    || propagations.contains(where: { $0.changedAt == known.since })
            {
                changes.append(ending(known, .cdnCaughtUp, verdict, at: now))
            } else if verdict.comparison.state == .notCompared {
                changes.append(ending(known, .removed, verdict, at: now))
            }
        }
        guard isNew, let present, originAlternation == nil else { return changes }
        incidents.begun += 1
        let incident = Incident(
            id: Incident.identity(
                "\(domain.name)\n\(IncidentKind.change.rawValue)", number: incidents.begun, from: now),
            subject: .domain(domain), kind: .change, severity: .note, state: .firing, since: present.firstSeen,
            openedAt: now, firedAt: now, version: 1)
        change = incident
        return changes + [IncidentChange(incident: incident, facts: facts(of: present, verdict), transition: .firing)]
    }

    /// Ends a change when no channel is notified of changes any more.
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
            resolvedText: "every edge serves \(version)")
    }
}
