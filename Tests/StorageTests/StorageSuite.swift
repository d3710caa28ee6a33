import Evidence
import Foundation
import Monitoring
import Storage
import Testing

/// The root of this target's tests.
@Suite("Storage", .timeLimit(.minutes(15)))
struct StorageSuite {}

/// A folder that goes away with the test.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("aasa-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var store: String { path + "/monitor.db" }
}

/// 2026-11-21T07:00:00Z.
let noon = Date(timeIntervalSince1970: 1_795_244_400)

func observation(
    _ name: String = "example.com", at: Date = noon, status: Int = 200, body: String = "{}", age: Int = 1,
    vantage: String = "local", detail: String? = nil
) throws -> Observation {
    let hash = ContentHash(hex: "hash-of-\(body)")
    let data = Data(body.utf8)
    let answer = Answer(
        status: status,
        headers: [
            HeaderField(name: "Content-Type", value: "application/json"), HeaderField(name: "Age", value: "\(age)"),
            HeaderField(name: "X-Request-Id", value: UUID().uuidString),
        ],
        body: .init(hash: hash, decodedBytes: data.count, wireBytes: data.count, end: .complete))
    let failure = detail.map { Failure(kind: .timedOut, phase: .connecting, detail: $0) }
    let domain = try Domain(name)
    return Observation(
        domain: domain, checkedAt: at, vantage: vantage,
        origin: Retrieval(
            url: domain.wellKnownURL, outcome: failure.map(Retrieval.Outcome.failed) ?? .answered(answer),
            connection: Connection(
                address: "192.0.2.\(age % 250)", port: 443, httpVersion: "2", tls: nil,
                timings: Timings(total: Double(age) + 0.1))),
        cdn: .asked(Retrieval(url: "https://cdn.test/\(name)", outcome: .answered(answer))),
        contents: failure == nil ? [hash: data] : [:])
}

func state(_ name: String = "example.com", at: Date = noon) throws -> DomainState {
    var state = DomainState(domain: try Domain(name))
    state.lastCheckedAt = at
    return state
}

func incident(
    _ id: String = "a1", domain: String = "example.com", state: Incident.State = .firing, severity: Severity = .error,
    at: Date = noon
) throws -> Incident {
    Incident(
        id: id, domain: try Domain(domain), kind: .cdnStale, severity: severity, state: state, since: at, openedAt: at,
        firedAt: at, sequence: 1)
}

func draft(
    _ key: String, incident: String = "a1", channel: String = "ops", type: EventType = .firing, sequence: Int = 1,
    severity: Severity = .error, at: Date = noon, life: TimeInterval = 86400, supersedes: Set<EventType> = []
) -> OutboxDraft {
    OutboxDraft(
        messageKey: key, incidentID: incident, channel: channel, type: type, sequence: sequence, severity: severity,
        facts: Data("{}".utf8), createdAt: at, expiresAt: at + life, supersedes: supersedes)
}

/// The error that opening throws, or nil.
func errorOfOpening(_ path: String, readOnly: Bool = false) -> StoreError? {
    do {
        try Store(path: path, readOnly: readOnly).close()
        return nil
    } catch {
        return error as? StoreError
    }
}
