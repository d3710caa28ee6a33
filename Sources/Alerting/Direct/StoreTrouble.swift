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
        id: String, since: Date, words: String, isAtStart: Bool, links: Links, now: Date
    ) -> Alert {
        let cause = words.displayable.shortened(to: 400)
        let finding = Finding(
            rule: Rule(rawValue: "monitor.store-failing"), severity: .error,
            message: "the store takes no writes: \(cause)", evidence: ["since": since.rfc3339],
            fix:
                "Free space on the disk of store.path, check its permissions, or end the process that locks the database."
                + (isAtStart ? "" : " Checks continue and are stored again then."),
            reference: "https://www.sqlite.org/rescode.html")
        return storeAlert(
            .firing, id, since, links, now,
            IncidentFacts(
                diagnosis: .monitor(.storeFailing(isAtStart: isAtStart, fault: cause)), findings: [finding],
                subject: "aasa-monitor",
                trouble: isAtStart ? "the monitor cannot start: the store takes no writes" : "the store takes no writes"
            ))
    }

    /// The end of it, for pagers.
    package static func storeTroubleResolved(id: String, since: Date, links: Links, now: Date) -> Alert {
        storeAlert(
            .resolved, id, since, links, now,
            IncidentFacts(
                diagnosis: .monitor(.over), subject: "aasa-monitor",
                relief: "the store takes writes again"))
    }

    private static func storeAlert(
        _ reason: NotificationReason, _ id: String, _ since: Date, _ links: Links, _ now: Date, _ facts: IncidentFacts
    ) -> Alert {
        let isOver = reason == .resolved
        // Of the causes that a stored incident may have, none is the store. Nothing reads this one.
        let incident = Incident(
            id: id, subject: .fleet(.schedule), kind: .monitorDegraded, severity: .error,
            state: isOver ? .resolved : .firing, since: since, openedAt: since, firedAt: since,
            resolvedAt: isOver ? now : nil, reason: isOver ? .recovered : nil, version: 1)
        return Alert(reason: reason, at: now, incident: incident, facts: facts, labels: [:], links: links)
    }
}
