import Evidence
import Foundation
import Monitoring
import TestSupport
import TestTraits
import Testing

@testable import Alerting

/// The root suite of this target.
@Suite("Alerting", .timeLimit(.minutes(120)), .inTurn)
struct AlertingSuite {}

/// 2026-11-21T07:00:00Z.
let noon = Date(timeIntervalSince1970: 1_795_244_400)

func incident(
    _ id: String = "a1", domain: String = "example.com", severity: Severity = .error, end: Date? = nil
) throws -> Incident {
    Incident(
        id: id, subject: .domain(try Domain(domain)), kind: .cdnStale, severity: severity,
        state: end == nil ? .firing : .resolved, since: noon - 90_000, openedAt: noon - 86_400, firedAt: noon,
        resolvedAt: end, reason: end == nil ? nil : .cdnCaughtUp, version: 1)
}

func alert(
    _ reason: NotificationReason = .firing, incident id: String = "a1", domain: String = "example.com",
    severity: Severity = .error, changes: [AssociationChange] = [], findings: [Finding] = [],
    diagnosis: String = "the CDN lags"
) throws -> Alert {
    Alert(
        reason: reason, at: noon,
        incident: try incident(id, domain: domain, severity: severity, end: reason.type == .resolved ? noon : nil),
        facts: IncidentFacts(
            diagnosis: .saying(diagnosis), comparison: Comparison(state: .stale, lagSeconds: 90_000, changes: changes),
            findings: findings),
        labels: ["team": "growth"],
        links: .init(
            statusPage: nil, cdn: "https://cdn.test/a/v1/\(domain)",
            origin: "https://\(domain)/.well-known/apple-app-site-association"), instance: "monitor-1")
}

func finding(_ message: String = "stale", evidence: [String: String] = [:], fix: String = "wait") -> Finding {
    Finding(
        .file(
            .lint(
                LintFinding(
                    rule: "stale", severity: .error, message: message, fix: fix, reference: "https://example.test/r",
                    range: 0..<1, start: .init(line: 1, column: 1), end: .init(line: 1, column: 2), pointer: ""))),
        evidence: evidence)
}

func channel(_ name: String = "hook", _ kind: ChannelKind = .webhook, keys: [Data] = []) throws -> Channel {
    Channel(name: name, kind: kind, url: "https://\(name).test/services/T0SECRET/B0SECRET", signingKeys: keys)
}

/// A JSON object as a dictionary.
func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
}
