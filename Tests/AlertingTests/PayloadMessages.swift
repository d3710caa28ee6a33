// Every kind of message, with text as it may come from outside.

import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import Alerting

/// Kinds of text from outside.
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
    case firing, escalated, again, flapping, worse, changed, reminder, acknowledged, resolved, wasFiring, test, digest,
        digestEnd, global, globalEnd, store

    func alert(_ foreign: ForeignText) throws -> Alert {
        let text = foreign.text
        let links = Alert.Links(statusPage: "http://127.0.0.1:9630/")
        return switch self {
        case .test: Alert.test(domain: try Domain("example.com"), links: links, instance: "monitor-1", now: noon)
        case .digest: try several(.firing, text)
        case .digestEnd: try several(.wasFiring, text)
        case .global: try global(.firing, text)
        case .globalEnd: try global(.resolved, text)
        case .store:
            Alert.storeTrouble(
                since: noon - 60, outage: .writes, words: text, links: links, instance: "monitor-1", now: noon)
        case .firing, .escalated, .again, .flapping, .worse, .changed, .reminder, .acknowledged, .resolved, .wasFiring:
            try one(NotificationReason.allCases.first { "\($0)" == rawValue } ?? .firing, text)
        }
    }

    private func one(_ reason: NotificationReason, _ text: String, id: String = "a1") throws -> Alert {
        let change = AssociationChange(kind: .added, summary: text, pointer: "/applinks")
        let isEnd = reason.type == .resolved
        var alert = try AlertingTests.alert(
            reason, incident: id,
            // The longest possible domain name.
            domain: text.count > 5000 ? String(repeating: "long.", count: 48) + "example.com" : "example.com",
            changes: isEnd ? [] : Array(repeating: change, count: 30),
            findings: isEnd ? [] : [finding(text, evidence: ["seen": text], fix: text)], diagnosis: text)
        alert.acknowledgement = reason == .changed ? Acknowledgement(by: text, reason: text, at: noon) : nil
        alert.labels = ["note": text]
        alert.links.statusPage = "https://status.test/?a=1&b=\"<x>\"#example.com"
        return alert
    }

    /// More alerts of one text than a digest shows.
    private func several(_ reason: NotificationReason, _ text: String) throws -> Alert {
        let alerts = try (0..<25).map { try one(reason, text, id: "a\($0)") }
        return try #require(Alert(digestOf: alerts, key: MessageIdentity.key(ofMessages: ["k"])))
    }

    private func global(_ reason: NotificationReason, _ text: String) throws -> Alert {
        let domains = try (0..<60).map { try Domain("d\($0).\(String(repeating: "long.", count: 40))example.com") }
        let isOver = reason == .resolved
        return try globalAlert(
            .cdnWide, reason, AffectedDomains(domains, of: 80), findings: isOver ? [] : [finding(text, fix: text)],
            diagnosis: text)
    }
}

/// An alert about a global incident.
func globalAlert(
    _ kind: IncidentKind, _ reason: NotificationReason = .firing, _ affected: AffectedDomains?,
    findings: [Finding] = [], diagnosis: String = "what is wrong"
) throws -> Alert {
    let isOver = reason.type == .resolved
    let incident = Incident(
        id: "f1f1f1f1f1f1", subject: .global(kind == .cdnWide ? .cdn : .network), kind: kind, severity: .error,
        state: isOver ? .resolved : .firing, since: noon - 300, openedAt: noon - 300, firedAt: noon,
        resolvedAt: isOver ? noon : nil, reason: isOver ? .recovered : nil, version: 1)
    let facts = IncidentFacts(
        diagnosis: .saying(diagnosis), findings: findings, affected: affected,
        subject: kind == .cdnWide ? affected?.words : "aasa-monitor", trouble: "it fails",
        resolvedText: "it works again")
    return Alert(
        reason: reason, at: noon, incident: incident, facts: facts, labels: [:],
        links: .init(statusPage: "http://127.0.0.1:9630/"), instance: "monitor-1")
}
