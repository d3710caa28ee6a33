// Who is notified of what, and when, according to the configuration: the daemon's routing, for `alert routes`.

import Alerting
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring

/// The routes of one domain.
package struct AlertRoutes: Sendable {
    /// Kinds of incidents with the same notifications.
    package struct Rule: Equatable, Sendable {
        /// Incident kinds as in the contract; for the monitor's own problems a description.
        package var subjects: [String]
        package var severities: [Severity]
        package let notifications: [ExpectedNotification]
    }

    package let domain: Domain
    package let labels: [String: String]
    /// Incidents of the domain.
    package let incidents: [Rule]
    /// Incidents of many domains, and the monitor's own problems.
    package let monitor: [Rule]
    /// A new version of the file.
    package let changes: [ExpectedNotification]
    /// The maintenance windows that match the domain.
    package let windows: [MaintenanceWindow]
    /// Until the first reminder; nil: no reminders.
    package let remindEvery: Duration?

    /// Notes open no incident.
    private static let severities: [Severity] = [.error, .warning]

    /// - Returns: nil if the configuration does not contain the domain.
    package init?(of domain: Domain, _ configuration: ConfigurationFile) {
        guard let watched = configuration.domains.first(where: { $0.domain == domain }) else { return nil }
        let routing = Routing(configuration)
        self.domain = domain
        labels = watched.labels
        // In modes other than production Apple's copy is not asked.
        let kinds = IncidentKind.ofDomains.filter { watched.mode == .production || !$0.isOfCDN }
        incidents = Self.rules(
            kinds.map { kind in (kind.rawValue, { routing.notifications(of: .domain(domain), kind, $0) }) })
        let causes: [(String, GlobalCause)] =
            [
                ("many domains failing at Apple's CDN (cdn.wide)", .cdn),
                ("a failing local network", .network), ("no view of what phones do", .blind),
                ("late checks", .schedule),
                ("a refused configuration", .configuration),
            ] + routing.channels.map { ("failures of the channel \($0.name)", .channel($0.name)) }
        monitor = Self.rules(
            causes.map { words, cause in (words, { routing.notifications(of: .global(cause), cause.kind, $0) }) })
        changes = routing.notifications(of: .domain(domain), .change, .note)
        windows = configuration.maintenance.filter { window in
            kinds.contains { window.scope.matches(domain: domain, labels: watched.labels, kind: $0) }
        }
        remindEvery = configuration.alerts.remindEvery
    }

    /// Merges subjects and severities with the same notifications into one rule.
    private static func rules(_ questions: [(String, (Severity) -> [ExpectedNotification])]) -> [Rule] {
        var rules: [Rule] = []
        for (subject, notifications) in questions {
            var own: [Rule] = []
            for severity in severities {
                let expected = notifications(severity)
                if let same = own.firstIndex(where: { $0.notifications == expected }) {
                    own[same].severities.append(severity)
                } else {
                    own.append(Rule(subjects: [subject], severities: [severity], notifications: expected))
                }
            }
            for rule in own {
                let same = rules.firstIndex {
                    $0.severities == rule.severities && $0.notifications == rule.notifications
                }
                if let same { rules[same].subjects.append(subject) } else { rules.append(rule) }
            }
        }
        return rules
    }
}
