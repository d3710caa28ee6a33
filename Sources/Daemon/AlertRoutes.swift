// Who would be notified of what, and when, by the configuration alone: the routing of the daemon, asked by `alert routes`.

import Alerting
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring

/// The answer for one domain.
package struct AlertRoutes: Sendable {
    /// Kinds of incidents whose notifications are the same.
    package struct Rule: Equatable, Sendable {
        /// As the contract names them; of the monitor's own trouble what it is about.
        package var subjects: [String]
        package var severities: [Severity]
        package let notifications: [ExpectedNotification]
    }

    package let domain: Domain
    package let labels: [String: String]
    /// Incidents of the domain.
    package let incidents: [Rule]
    /// What is about many domains, and the monitor's own trouble.
    package let monitor: [Rule]
    /// A new version of the file.
    package let changes: [ExpectedNotification]
    /// The windows that are for the domain.
    package let windows: [MaintenanceWindow]
    /// To the first reminder; nil: none.
    package let remindEvery: Duration?

    /// What an incident can be: notes open none.
    private static let severities: [Severity] = [.error, .warning]

    /// - Returns: nil where the configuration does not name the domain.
    package init?(of domain: Domain, _ configuration: ConfigurationFile) {
        guard let watched = configuration.domains.first(where: { $0.domain == domain }) else { return nil }
        let routing = Routing(configuration)
        self.domain = domain
        labels = watched.labels
        // In another mode than production Apple's copy is not asked.
        let kinds = IncidentKind.ofDomains.filter { watched.mode == .production || !$0.isOfCDN }
        incidents = Self.rules(
            kinds.map { kind in (kind.rawValue, { routing.notifications(of: .domain(domain), kind, $0) }) })
        let causes: [(String, GlobalCause)] =
            [
                ("Apple's CDN fails for many domains (cdn.wide)", .cdn),
                ("the local network fails", .network), ("what phones do is not known", .blind),
                ("checks are late", .schedule),
                ("a changed configuration is refused", .configuration),
            ] + routing.channels.map { ("the channel \($0.name) takes no messages", .channel($0.name)) }
        monitor = Self.rules(
            causes.map { words, cause in (words, { routing.notifications(of: .global(cause), cause.kind, $0) }) })
        changes = routing.notifications(of: .domain(domain), .change, .note)
        windows = configuration.maintenance.filter { window in
            kinds.contains { window.scope.matches(domain: domain, labels: watched.labels, kind: $0) }
        }
        remindEvery = configuration.alerts.remindEvery
    }

    /// One rule for all that is notified alike.
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
