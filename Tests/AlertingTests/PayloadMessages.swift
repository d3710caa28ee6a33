// Every kind of message that there is, with texts as they may come from outside.

import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

/// What a value from outside may look like.
enum ForeignText: String, CaseIterable, Sendable {
    case plain, hostile, long, wide, controls, empty

    var text: String {
        switch self {
        case .plain: "the CDN lags"
        case .hostile:
            #"<b>x</b> &lt; & *a* _b_ `c` [d](https://e.test) @everyone <!channel> <@U1> <users/all> [To:1] </a> "q" \ ||"#
        case .long: String(repeating: "a long text, ", count: 600)
        case .wide: String(repeating: "漢👩🏽e\u{301}<&", count: 1500)
        case .controls: "a\u{0}b\u{7}c\u{202E}d\u{2028}e\r\nf"
        case .empty: ""
        }
    }
}

enum MessageKind: String, CaseIterable, Sendable {
    case firing, escalated, again, flapping, worse, changed, reminder, resolved, wasFiring, test, digest, digestEnd,
        backlog, fleet, fleetEnd, acknowledged

    func facts(_ foreign: ForeignText) throws -> AlertFacts {
        let text = foreign.text
        switch self {
        case .firing: return try one(.firing, text)
        case .escalated:
            var facts = try one(.firing, text)
            facts.event.escalation = EscalationSpan(after: 0, through: 3600)
            return facts
        case .again, .flapping, .worse, .changed:
            var facts = try one(.update, text)
            facts.event.news = Event.News(rawValue: rawValue)
            return facts
        case .reminder: return try one(.reminder, text)
        case .resolved: return try one(.resolved, text)
        case .wasFiring:
            var facts = try one(.resolved, text)
            facts.isUnsaidEnd = true
            return facts
        case .test:
            return AlertFacts.test(
                domain: try Domain("example.com"),
                links: .init(statusPage: "http://127.0.0.1:9630/", cdn: nil, origin: nil), now: noon)
        case .digest: return try several([.firing], text)
        case .digestEnd: return try several([.resolved], text)
        case .backlog: return try several([.firing, .update, .resolved], text)
        case .fleet: return try fleet(.firing, text)
        case .fleetEnd: return try fleet(.resolved, text)
        case .acknowledged: return try one(.acknowledged, text)
        }
    }

    private func one(_ type: EventType, _ text: String, id: String = "a1") throws -> AlertFacts {
        let change = Change(kind: .added, summary: text, pointer: "/applinks")
        let isEnd = type == .resolved
        var event = try event(
            type, incident: id, sequence: 2, changes: isEnd ? [] : Array(repeating: change, count: 30),
            findings: isEnd ? [] : [finding(text, evidence: ["seen": text], fix: text)], diagnosis: text)
        // As long as a name may be.
        if text.count > 5000 {
            event.incident.domain = try Domain(String(repeating: "long.", count: 48) + "example.com")
        }
        return AlertFacts(
            event: event, labels: ["note": text],
            links: .init(
                statusPage: "https://status.test/?a=1&b=\"<x>\"#example.com", cdn: "https://cdn.test/a/v1/example.com",
                origin: "https://example.com/.well-known/apple-app-site-association"))
    }

    /// Of one text, in as many messages as a digest shows and more.
    private func several(_ types: [EventType], _ text: String) throws -> AlertFacts {
        let members = try (0..<25).map { try one(types[$0 % types.count], text, id: "a\($0)") }
        return try #require(AlertFacts(members, key: MessageIdentity.key(ofMessages: ["k"])))
    }

    private func fleet(_ type: EventType, _ text: String) throws -> AlertFacts {
        let domains = try (0..<60).map { try Domain("d\($0).\(String(repeating: "long.", count: 40))example.com") }
        let isOver = type == .resolved
        let incident = Incident(
            id: "f1f1f1f1f1f1", domain: nil, kind: .cdnWide, severity: .error, state: isOver ? .resolved : .firing,
            since: noon - 300, openedAt: noon - 300, firedAt: noon, resolvedAt: isOver ? noon : nil,
            reason: isOver ? .recovered : nil, sequence: 1)
        return AlertFacts(
            event: Event(
                type: type, at: noon, incident: incident, summary: "many: trouble", diagnosis: text,
                comparison: Comparison(state: .notCompared), findings: isOver ? [] : [finding(text, fix: text)],
                affected: AffectedDomains(domains, of: 80)),
            labels: [:], links: .init(statusPage: nil, cdn: nil, origin: nil))
    }
}
