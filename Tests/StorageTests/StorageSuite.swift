import Evidence
import Facts
import Foundation
import GRDB
import TestSupport
import TestTraits
import Testing

@testable import Monitoring
@testable import Storage

/// The root of this target's tests.
@Suite("Storage", .timeLimit(.minutes(120)), .inTurn)
struct StorageSuite {}

/// A directory that is deleted after the test.
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
    let hash = ContentHash(of: "hash-of-\(body)".utf8)
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

/// Version 0 makes a pending incident.
func incident(
    _ id: String = "a1", domain: String = "example.com", kind: IncidentKind = .cdnStale, version: Int = 1,
    state: Incident.State? = nil, severity: Severity = .error, at: Date = noon
) throws -> Incident {
    Incident(
        id: id, subject: .domain(try Domain(domain)), kind: kind, severity: severity,
        state: state ?? (version == 0 ? .pending : .firing), since: at, openedAt: at, firedAt: version == 0 ? nil : at,
        resolvedAt: state == .resolved ? at : nil, version: version)
}

func globalIncident(
    _ cause: GlobalCause = .cdn, version: Int = 1, state: Incident.State = .firing, at: Date = noon
) -> Incident {
    Incident(
        id: "global-\(cause.rawValue)-\(at.milliseconds)", subject: .global(cause), kind: cause.kind, severity: .error,
        state: state, since: at, openedAt: at, firedAt: version == 0 ? nil : at,
        resolvedAt: state == .resolved ? at : nil, version: version)
}

func member(_ incident: String, version: Int = 1, acknowledgedAt: Date? = nil) -> MessageRecord.Member {
    MessageRecord.Member(incidentID: incident, version: version, state: .firing, acknowledgedAt: acknowledgedAt)
}

func message(_ key: String = "k", of ids: [String] = ["a1"], retryAt: Date = noon) -> MessageRecord {
    MessageRecord(
        key: key, reason: .firing, kind: .cdnStale, body: Data(key.utf8), members: ids.map { member($0) },
        createdAt: noon, retryAt: retryAt)
}

func delivery(
    _ key: String = "k", channel: String = "ops", incident: String = "a1", at: Date = noon,
    outcome: DeliveryRecord.Outcome = .delivered, status: Int? = 200, error: String? = nil
) -> DeliveryRecord {
    DeliveryRecord(
        channel: channel, incidentID: incident, type: .update, reason: .worse, version: 2, key: key, at: at,
        attempts: 3,
        outcome: outcome, status: status, error: error)
}

/// A notification that `decide` wants to send.
func pending(_ incident: String = "a1", _ reason: NotificationReason = .firing, since: Date = noon)
    -> NotificationRecord
{
    var record = NotificationRecord(incidentID: incident)
    (record.reason, record.pendingSince) = (reason, since)
    return record
}

extension Incident {
    func with(_ change: (inout Incident) -> Void) -> Incident {
        var copy = self
        change(&copy)
        return copy
    }
}

extension IncidentChange {
    init(_ incident: Incident, facts: String? = nil) {
        self.init(incident: incident, facts: facts.map { IncidentFacts(diagnosis: .saying($0)) }, transition: .firing)
    }
}

extension Store {
    /// A check that changes these incidents.
    @discardableResult
    func commit(_ incidents: Incident..., facts: String? = nil) async throws -> Bool {
        let state = DomainState(domain: try incidents.first?.domain ?? Domain("example.com"))
        return try await commit(Evaluation(state: state, changes: incidents.map { IncidentChange($0, facts: facts) }))
    }

    /// What the channel `ops` does, in one transaction.
    func ops<Value: Sendable>(_ body: @escaping @Sendable (ChannelTransaction) throws -> Value) async throws -> Value {
        try await transact(channel: "ops", body)
    }

    /// The newest incidents, including pending ones.
    func listed(_ domain: Domain? = nil, limit: Int = 999) async throws -> [Incident] {
        var query = IncidentQuery(domain: domain, limit: limit)
        query.hasPending = true
        return try await incidents(query).map(\.incident)
    }

    /// nil if no message, or more than one, has this name.
    func sentMessage(named name: String) async throws -> SentMessage? {
        do { return try await message(named: name) } catch is UnknownName { return nil }
    }

    func rows(_ table: String) async throws -> Int {
        try await read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
    }
}

/// The error that opening throws, or nil.
func errorOfOpening(_ path: String, access: Store.Access = .monitor) -> StoreError? {
    do {
        try Store(path: path, access: access).close()
        return nil
    } catch {
        return error as? StoreError
    }
}
