import Evidence
import Foundation
import Report
import StatusServer
import Storage
import TestSupport
import TestTraits
import Testing

@testable import Monitoring

/// The root of this target's tests.
@Suite("Status server", .timeLimit(.minutes(120)), .inTurn)
struct StatusServerSuite {}

/// 2026-11-21T07:00:00Z.
let noon = Date(timeIntervalSince1970: 1_795_244_400)

/// A clock that stands still.
struct FixedTime: MonitorClock {
    func now() -> Date { noon }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// A store in a folder that is removed with the test.
final class ScratchStore: Sendable {
    let folder: String
    let store: Store

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("aasa-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try Store(path: folder + "/monitor.db")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func commit(_ states: [DomainState]) async throws {
        for state in states { try await store.commit(Evaluation(state: state)) }
    }

    /// Makes an incident of a domain fire.
    @discardableResult
    func fire(_ id: String = "0123456789abcdef", _ name: String = "a.test") async throws -> Incident {
        let firing = try incident(id, name, .cdnStale, .firing)
        _ = try await store.commit(
            Evaluation(
                state: try state(name, .failing),
                changes: [IncidentChange(incident: firing, facts: nil, transition: .firing)]))
        return firing
    }

    /// Stores pending notifications.
    func pend(_ count: Int, channel: String = "ops", since: Date = noon - 300) async throws {
        let incidents = try (0..<count).map { try incident("incident-\($0)", "pending.test", .cdnStale, .firing) }
        _ = try await store.commit(
            Evaluation(
                state: DomainState(domain: try Domain("pending.test")),
                changes: incidents.map { IncidentChange(incident: $0, facts: nil, transition: .firing) }))
        try await store.transact(channel: channel) { channel in
            for incident in incidents {
                var record = NotificationRecord(incidentID: incident.id)
                record.reason = .firing
                record.pendingSince = since
                try channel.save(record, of: incident)
            }
        }
    }
}

func incident(_ id: String, _ name: String, _ kind: IncidentKind, _ state: Incident.State) throws -> Incident {
    Incident(
        id: id, subject: .domain(try Domain(name)), kind: kind, severity: .error, state: state,
        since: noon - 3600 * 26, openedAt: noon - 3600, version: state == .pending ? 0 : 1)
}

func info(
    _ name: String, labels: [String: String] = [:], interval: Duration = .seconds(300)
) throws -> WatchedDomain {
    WatchedDomain(domain: try Domain(name), checks: CheckSettings(interval: interval), labels: labels)
}

/// The stored state of a domain; its open incidents are 26 hours old.
func state(
    _ name: String, _ level: Verdict.Level?, _ diagnosis: String = "Nothing to say.",
    comparison: Comparison = Comparison(state: .inSync, bytesEqual: true),
    open: [(IncidentKind, Incident.State)] = [], checkedAt: Date? = noon - 60
) throws -> DomainState {
    var state = DomainState(domain: try Domain(name))
    state.lastCheckedAt = checkedAt
    state.verdict = level.map {
        Verdict(level: $0, diagnosis: .saying(diagnosis), comparison: comparison, findings: [])
    }
    for (kind, stage) in open {
        state.open[kind] = TrackedIncident(incident: try incident("\(name)-\(kind)", name, kind, stage))
    }
    return state
}

/// The content type of a form.
let formType = "Content-Type: application/x-www-form-urlencoded"
/// The headers that a form of our own page sends.
let own = [formType, "Origin: http://localhost", "Sec-Fetch-Site: same-origin"]

func post(
    _ port: Int, _ path: String, _ body: String = "", _ headers: [String] = own, host: String = "localhost"
) async throws -> RawAnswer {
    let client = try RawClient(port: port)
    let lines =
        ["POST \(path) HTTP/1.1", "Host: \(host)", "Connection: close", "Content-Length: \(body.utf8.count)"] + headers
    try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    return RawAnswer(try await client.receive())
}

/// The overview of a store with these states.
func overview(_ states: [DomainState], pending: Int = 0) async throws -> Overview {
    let scratch = try ScratchStore()
    try await scratch.commit(states)
    try await scratch.pend(pending)
    let api = API(scratch.store, now: noon)
    let domains = try await api.domains(SummaryFilter(), limit: 1000).domains.filter { $0.domain != "pending.test" }
    return Overview(try await api.status(), domains, wall: noon)
}

/// Four domains as an operator might see them, one of each kind.
func sample() throws -> (watched: [WatchedDomain], states: [DomainState]) {
    let watched = [
        try info("example.com"), try info("links.example.com", labels: ["team": "growth", "tier": "1"]),
        try info("new.example.org"), try info("shop.example.net", labels: ["team": "shop"]),
        try info("expiring.example.com"), try info("late.example.com"),
    ]
    let states = [
        try state("example.com", .ok, "Apple's CDN serves the file that the origin serves."),
        try state(
            "links.example.com", .failing,
            "Apple's CDN still serves the file from before 2026-11-20 05:00 UTC, 26 hours behind the origin; "
                + "check that the origin answers Apple's crawler.",
            comparison: Comparison(state: .stale, bytesEqual: false, changedAt: noon - 93600, lagSeconds: 93600),
            open: [(.cdnStale, .firing), (.certificateExpiring, .pending)]),
        try state(
            "shop.example.net", .failing,
            "The origin answers 301 to https://www.shop.example.net/; Apple follows none.",
            comparison: Comparison(state: .originUnavailable), open: [(.originBroken, .pending)]),
        try state(
            "expiring.example.com", .warning, "The certificate ends in 9 days; renew it.",
            open: [(.cdnMissing, .recovering)]),
        try state(
            "late.example.com", .ok, "Apple's CDN serves the file that the origin serves.", checkedAt: noon - 7200),
    ]
    return (watched, states)
}
