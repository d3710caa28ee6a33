// PagerDuty's Events API v2: https://developer.pagerduty.com/docs/send-alert-event
// A pager repeats by itself: it gets what happens to an incident, and no reminders.

import Evidence
import Foundation
import Monitoring
import Storage

struct PagerDutyFormat: ChannelFormat {
    static let summaryLimit = 1024

    func body(_ facts: AlertFacts, minimal: Bool, reference: String?) throws -> Data {
        let action = Action(facts)
        return try JSONText.encoded(
            Event(
                event_action: action, dedup_key: MessageIdentity.key(ofIncident: facts.incident.id),
                payload: action == .trigger ? Self.payload(facts, minimal: minimal) : nil,
                links: action == .trigger && !minimal ? Self.links(facts) : nil,
                client: "aasa-monitor", client_url: facts.links.statusPage))
    }

    private enum Action: String, Encodable {
        case trigger, acknowledge, resolve

        init(_ facts: AlertFacts) {
            self =
                switch facts.event.type {
                case .resolved: .resolve
                case .acknowledged: .acknowledge
                case .firing, .update, .reminder: .trigger
                }
        }
    }

    private static func payload(_ facts: AlertFacts, minimal: Bool) -> Event.Payload {
        let story = Story(facts, isBrief: minimal)
        let form = PlainMarkup(unit: .utf16)
        let room = summaryLimit - story.headline.utf16.count - 2
        let details = TextLayout(form: form, limit: 20_000).paragraphs(story, room: 20_000)
        return Event.Payload(
            summary: story.headline + ": " + form.cut(story.gist, to: room), source: facts.incident.subject,
            severity: severity(facts.isTest ? .note : facts.incident.severity),
            timestamp: facts.event.at.formatted(.iso8601), component: component(facts.incident.kind),
            class: facts.incident.kind.rawValue,
            custom_details: .init(
                text: details.map { ([$0.title].compactMap(\.self) + $0.lines).joined(separator: "\n") },
                since: story.since, incident: form.cut(facts.incident.id, to: 100),
                labels: facts.labels.mapValues { form.cut($0, to: 300) }))
    }

    private static func component(_ kind: IncidentKind) -> String {
        kind == .monitorDegraded ? "monitor" : kind.isOfCDN ? "cdn" : "origin"
    }

    private static func severity(_ severity: Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .note: "info"
        }
    }

    private static func links(_ facts: AlertFacts) -> [Event.Link] {
        Story(facts).links.filter { PlainMarkup.isPlain($0.url) }.map { Event.Link(href: $0.url, text: $0.title) }
    }

    private struct Event: Encodable {
        let event_action: Action
        let dedup_key: String
        let payload: Payload?
        let links: [Link]?
        let client: String
        let client_url: String?

        struct Payload: Encodable {
            let summary: String
            let source: String
            let severity: String
            let timestamp: String
            let component: String
            let `class`: String
            let custom_details: Details
        }

        struct Details: Encodable {
            let text: [String]
            let since: String
            let incident: String
            let labels: [String: String]
        }

        struct Link: Encodable {
            let href: String
            let text: String
        }
    }

    func wire(_ body: Data, channel: Channel) throws -> Data {
        try JSONText.adding(["routing_key": channel.token ?? ""], to: body)
    }

    func address(messageKey: String, channel: Channel) -> String { channel.url("/v2/enqueue") }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        // The key stands in the body, so that a wrong one is told as a fault of the message.
        if answer.status == 400,
            answer.text.range(of: "routing[_ ]key", options: [.regularExpression, .caseInsensitive]) != nil
        {
            return .permanentChannel(gone: false)
        }
        return Classification.outcome(of: answer, now: now)
    }

    /// What would page somebody for nothing: a reminder of what is known, and a trigger behind its own end, which would
    /// open an incident there that nothing closes.
    func isPointless(_ facts: AlertFacts, told: Told) -> Bool {
        let action = Action(facts)
        guard action == .trigger else { return action == .acknowledge && told.laterEnd }
        return told.laterEnd || (facts.event.type == .reminder && told.severity == facts.incident.severity)
    }

    /// A test ends what it opened.
    func followUp(_ facts: AlertFacts, reference: String?, channel: Channel) throws -> FollowUp? {
        guard facts.isTest else { return nil }
        let end = Event(
            event_action: .resolve, dedup_key: MessageIdentity.key(ofIncident: facts.incident.id), payload: nil,
            links: nil, client: "aasa-monitor", client_url: nil)
        return FollowUp(
            url: address(messageKey: "", channel: channel), body: try wire(try JSONText.encoded(end), channel: channel))
    }
}
