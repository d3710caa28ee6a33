// The alert about a store that takes no writes, and its end. No incident of this kind is stored: the store is what fails.

import Evidence
import Foundation
import Monitoring

extension Alert {
    /// `id`: the same as long as the trouble lasts; pagers keep it open under this id until `storeTroubleResolved`.
    /// `since`, `now`: of the wall clock.
    /// `words`: of the system or the database.
    /// `isAtStart`: the store cannot be opened, so that nothing is monitored.
    package static func storeTrouble(
        id: String, since: Date, words: String, isAtStart: Bool, links: Links, instance: String,
        now: Date
    ) -> Alert {
        let cause = MonitorCause.storeFailing(isAtStart: isAtStart, fault: words.displayable.shortened(to: 400))
        return storeAlert(
            .firing, id, since, links, instance, now,
            IncidentFacts(
                diagnosis: .monitor(cause),
                findings: [Finding(.monitor(cause), evidence: ["since": since.rfc3339])], subject: "aasa-monitor",
                trouble: isAtStart ? "the monitor cannot start: the store takes no writes" : "the store takes no writes"
            ))
    }

    /// The end of it, for pagers.
    package static func storeTroubleResolved(
        id: String, since: Date, links: Links, instance: String, now: Date
    ) -> Alert {
        storeAlert(
            .resolved, id, since, links, instance, now,
            IncidentFacts(
                diagnosis: .monitor(.over), subject: "aasa-monitor",
                relief: "the store takes writes again"))
    }

    private static func storeAlert(
        _ reason: NotificationReason, _ id: String, _ since: Date, _ links: Links, _ instance: String, _ now: Date,
        _ facts: IncidentFacts
    ) -> Alert {
        let isOver = reason == .resolved
        let incident = Incident(
            id: id, subject: .fleet(.store), kind: .monitorDegraded, severity: .error,
            state: isOver ? .resolved : .firing, since: since, openedAt: since, firedAt: since,
            resolvedAt: isOver ? now : nil, reason: isOver ? .recovered : nil, version: 1)
        return Alert(
            reason: reason, at: now, incident: incident, facts: facts, labels: [:], links: links, instance: instance)
    }
}
