// Which channels an incident concerns, according to the configuration. Pure: it reads no clock and sends nothing.

import Evidence
import Foundation
import Monitoring
import Storage

/// The alert settings: who is notified of what, and how often.
package struct Routing: Equatable, Sendable {
    package let channels: [Channel]
    package let domains: [Domain: WatchedDomain]
    /// The channel for alerts about the monitor itself; nil: all channels.
    package let fallback: String?
    package let escalation: Escalation
    package let remindEvery: Duration?
    package var groupWait: Duration
    package let groupInterval: Duration
    /// The name of this monitor in messages.
    package let instance: String
    private let note: MessageNote?
    /// The label of this monitor's shard; empty without shards.
    let share: [String: String]
    private let cdnBaseURL: String
    private let statusPageURL: String?
    /// Whether people can acknowledge incidents on the status page.
    let pageTakesWrites: Bool
    /// The channels of all domains. They also get the global incidents that inhibit those of domains.
    private let watching: Set<String>

    /// `cdnBaseURL`: as `cdn.base_url`, without the domain.
    /// `statusPageURL`: the public root of the status page; nil: none.
    /// `pageTakesWrites`: people can acknowledge incidents there.
    /// `remindEvery`: the time to the first reminder; nil: no reminders.
    package init(
        channels: [Channel], domains: [WatchedDomain], fallback: String? = nil,
        escalation: Escalation = Escalation(), cdnBaseURL: String, statusPageURL: String? = nil,
        pageTakesWrites: Bool = true,
        remindEvery: Duration? = .seconds(24 * 3600), groupWait: Duration = .zero, groupInterval: Duration = .zero,
        note: MessageNote? = nil, instance: String, shard: String? = nil
    ) {
        self.channels = channels
        self.domains = Dictionary(domains.map { ($0.domain, $0) }) { first, _ in first }
        self.fallback = fallback
        self.escalation = escalation
        self.cdnBaseURL = cdnBaseURL
        self.statusPageURL = statusPageURL
        self.pageTakesWrites = pageTakesWrites
        self.remindEvery = remindEvery
        self.groupWait = groupWait
        self.groupInterval = groupInterval
        self.note = note
        self.instance = instance
        share = shard.map { ["shard": $0] } ?? [:]
        let atOnce = channels.map(\.name).filter { !escalation.names.contains($0) }
        watching = domains.reduce(into: domains.isEmpty ? Set(atOnce) : []) { names, domain in
            names.formUnion(domain.channels ?? atOnce)
        }
    }

    package func channel(named name: String) -> Channel? { channels.first { $0.name == name } }

    /// How an incident concerns a channel. An incident of a domain that is no longer watched has no route. Channels
    /// that know of it still receive the end.
    ///
    /// `troubled`: the names of the channels that accept no messages.
    func route(of incident: Incident, to channel: Channel, troubled: Set<String> = []) -> Route {
        Route(
            timing: timing(of: incident, to: channel, troubled: troubled),
            isSubject: incident.cause == .channel(channel.name), isPager: channel.kind.isPager,
            takesAcknowledgements: channel.kind.takesAcknowledgements,
            reminders: ReminderSchedule(every: incident.kind == .change ? nil : remindEvery))
    }

    private func timing(of incident: Incident, to channel: Channel, troubled: Set<String>) -> Route.Timing {
        guard channel.accepts(kind: incident.kind, severity: incident.severity) else { return .none }
        let step = incident.kind == .change ? nil : escalation.after(channel.name)
        switch incident.subject {
        case .domain(let domain):
            guard let watched = domains[domain] else { return .none }
            if isRouted(channel.name, to: watched.channels) { return .atOnce }
            guard let step else { return .none }
            // If all first channels are down, the escalation starts immediately.
            let first = first(watched.channels, incident)
            let isFirstDeaf = !first.isEmpty && first.allSatisfy { troubled.contains($0.name) }
            return .after(isFirstDeaf ? .zero : step)
        case .global(let cause):
            if globalChannels(of: cause, troubled: troubled).contains(channel.name) { return .atOnce }
            return step.map { .after($0) } ?? .none
        }
    }

    /// The channels that are notified of a domain's incident at once.
    private func first(_ names: [String]?, _ incident: Incident) -> [Channel] {
        channels.filter {
            isRouted($0.name, to: names) && $0.accepts(kind: incident.kind, severity: incident.severity)
        }
    }

    /// A pager has one alert per incident, and a global incident covers many domains: their messages are not grouped.
    func isAlone(_ kind: IncidentKind, at channel: Channel) -> Bool {
        channel.kind.isPager || kind.isGlobal || groupWait <= .zero
    }

    private func isRouted(_ channel: String, to names: [String]?) -> Bool {
        names?.contains(channel) ?? !escalation.names.contains(channel)
    }

    /// The channels for a global incident. An incident about a channel in trouble goes to a channel that works.
    func globalChannels(of cause: GlobalCause, troubled: Set<String> = []) -> Set<String> {
        let all = Set(channels.map(\.name))
        let atOnce = all.subtracting(escalation.names)
        switch cause {
        case .network, .cdn, .blind: return watching
        case .schedule, .configuration, .store: return fallback.map { [$0] } ?? atOnce
        case .channel(let sick):
            let well = all.subtracting(troubled).subtracting([sick])
            if let fallback, well.contains(fallback) { return [fallback] }
            let others = [atOnce.intersection(well), well].first { !$0.isEmpty }
            return others ?? fallback.map { [$0] } ?? atOnce.subtracting([sick])
        }
    }

    package func labels(of incident: Incident) -> [String: String] {
        incident.domain.flatMap { domains[$0]?.labels } ?? [:]
    }

    /// The operator's own line for a message about an incident; nil: none.
    package func note(of incident: Incident) -> String? { note?.text(of: incident, labels: labels(of: incident)) }

    package func links(of incident: Incident) -> Alert.Links {
        var links = links(for: incident.domain)
        links.incidents = statusPageURL.map { Self.joined($0, "incidents") }
        links.incident = links.incidents.map { Self.joined($0, incident.id) }
        return links
    }

    /// Links for an alert without a stored incident. `domain`: nil if the alert is not about a single domain.
    package func links(for domain: Domain?) -> Alert.Links {
        Alert.Links(
            statusPage: statusPageURL.map { page in domain.map { Self.joined(page, "domains/\($0.name)") } ?? page },
            cdn: domain.map { Self.joined(cdnBaseURL, $0.name) },
            origin: domain?.wellKnownURL)
    }

    private static func joined(_ base: String, _ path: String) -> String {
        base.hasSuffix("/") ? base + path : base + "/" + path
    }
}

// MARK: - Who would be notified
// Asks `decide` about hypothetical incidents, so that what is shown cannot differ from what is done.

/// When a channel would be notified if an incident fired.
package struct ExpectedNotification: Equatable, Sendable {
    package let channel: String
    package let type: ChannelKind
    /// From the firing to the message.
    package let after: Duration
    /// A step of the escalation: sent only if nobody acknowledges.
    package let isEscalation: Bool
    /// From the message to the first reminder; nil: none.
    package let reminder: Duration?
}

extension Routing {
    /// The channels that would be notified, soonest first, then in the order of the configuration.
    package func notifications(
        of subject: Incident.Subject, _ kind: IncidentKind, _ severity: Severity
    ) -> [ExpectedNotification] {
        // Any time works, because only differences are shown.
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let incident = Incident(
            id: "0", subject: subject, kind: kind, severity: severity, state: .firing, since: start, openedAt: start,
            firedAt: start, version: 1)
        let all = channels.compactMap { notification(of: IncidentRecord(incident: incident), to: $0, at: start) }
        return all.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(\.element)
    }

    private func notification(
        of record: IncidentRecord, to channel: Channel, at start: Date
    ) -> ExpectedNotification? {
        let incident = record.incident
        let route = route(of: incident, to: channel)
        var known = NotificationRecord(incidentID: incident.id)
        let due: Date
        switch decide(record, known, route, nil, now: start) {
        case .send: due = start
        case .wait(until: let until?): due = until
        case .wait(until: nil), .nothing, .undecided: return nil
        }
        guard case .send(let reason) = decide(record, known, route, nil, now: due) else { return nil }
        let wait = isAlone(incident.kind, at: channel) ? .zero : groupWait
        (known.state, known.version, known.notifiedAt) = (.firing, 1, due)
        var reminder: Duration?
        if case .wait(until: let next?) = decide(record, known, route, nil, now: due) {
            reminder = .seconds(next.timeIntervalSince(due))
        }
        return ExpectedNotification(
            channel: channel.name, type: channel.kind, after: .seconds(due.timeIntervalSince(start)) + wait,
            isEscalation: reason == .escalated, reminder: reminder)
    }
}
