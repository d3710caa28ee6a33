import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

/// The root of this target's tests.
@Suite("Alerting", .timeLimit(.minutes(15)))
struct AlertingSuite {}

/// 2026-11-21T07:00:00Z.
let noon = Date(timeIntervalSince1970: 1_795_244_400)

func event(
    _ type: EventType = .firing, incident id: String = "a1", sequence: Int = 1, severity: Severity = .error,
    at: Date = noon, changes: [Change] = [], findings: [Finding] = [], diagnosis: String = "the CDN lags"
) throws -> Event {
    let resolved = type == .resolved
    let incident = Incident(
        id: id, domain: try Domain("example.com"), kind: .cdnStale, severity: severity,
        state: resolved ? .resolved : .firing, since: noon - 90_000, openedAt: noon - 86_400, firedAt: noon,
        resolvedAt: resolved ? at : nil, reason: resolved ? .cdnCaughtUp : nil, sequence: sequence)
    return Event(
        type: type, at: at, incident: incident, summary: "example.com: the CDN is stale", diagnosis: diagnosis,
        comparison: Comparison(state: .stale, lagSeconds: 90_000, changes: changes), findings: findings)
}

func finding(_ message: String = "stale", evidence: [String: String] = [:], fix: String = "wait") -> Finding {
    Finding(
        rule: Rule(rawValue: "cdn.stale"), severity: .error, message: message, evidence: evidence, fix: fix,
        reference: "https://example.test/r")
}

func facts(_ event: Event) -> AlertFacts {
    AlertFacts(
        event: event, labels: ["team": "growth"],
        links: .init(
            statusPage: nil, cdn: "https://cdn.test/a/v1/example.com",
            origin: "https://example.com/.well-known/apple-app-site-association"))
}

func channel(_ name: String = "hook", _ kind: ChannelKind = .webhook, keys: [Data] = []) throws -> Channel {
    try Channel(name: name, kind: kind, url: "https://\(name).test/services/T0SECRET/B0SECRET", signingKeys: keys)
}

/// A JSON object as dictionaries.
func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
}

/// Waits for a condition, not for time; the suite's limit ends what never comes.
func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() {
        try await Task.sleep(for: .milliseconds(1))
    }
}
