// Silences over the API.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import NIOCore
import Storage

struct SilenceRoute: Sendable {
    let store: Store
    let timekeeper: any MonitorClock
    let watched: WatchList
    let windows: WindowList
    let gate: WriteGate
    /// As `StatusSite`'s.
    let onWrite: @Sendable () async -> Void

    func list() async throws -> Response {
        let now = timekeeper.systemTime()
        let silences = try await store.silences(notOverAt: now)
        return try gate.json(
            SilenceList(
                silences: silences.map { SilenceDocument($0, now: now) },
                maintenance: windows.current.map { MaintenanceDocument(window: $0, now: now) }))
    }

    func add(_ request: Request) async throws -> Response {
        try await gate.answer(request, upTo: SilenceOrder.maximumBytes) { body in
            let now = timekeeper.systemTime()
            do {
                let order = try SilenceOrder(json: body, now: now)
                let silence = try await store.add(order.request)
                await onWrite()
                let answer = SilenceAnswer(
                    silence: SilenceDocument(silence, now: now),
                    watchedDomains: watched.index.count(of: silence.scope))
                return try gate.json(answer, .created)
            } catch let error as SilenceFault {
                return gate.fault(error.description, .badRequest)
            }
        }
    }

    func end(_ request: Request, id: String) async throws -> Response {
        if let refusal = gate.refusal(request) { return refusal }
        let now = timekeeper.systemTime()
        guard let silence = try await store.endSilence(id: id, now: now) else {
            return gate.fault("no silence has this id", .notFound)
        }
        await onWrite()
        return try gate.json(SilenceDocument(silence, now: now))
    }
}

/// The body of `POST /api/v1/silences`, from a stranger's bytes to a request that can be kept.
struct SilenceOrder {
    let request: Silence

    static let maximumBytes = 16 * 1024
    private static let keys: Set<String> = [
        "domain", "domains", "labels", "kinds", "for", "until", "reason", "author",
    ]

    /// - Throws: `SilenceFault` in words for the sender.
    init(json: Data, now: Date) throws(SilenceFault) {
        guard let object = (try? JSONSerialization.jsonObject(with: json)) as? [String: Any] else {
            throw SilenceFault("the body is no JSON object")
        }
        // A misspelt key must not silence more than was meant.
        if let unknown = object.keys.filter({ !Self.keys.contains($0) }).min() {
            throw SilenceFault(
                "unknown key '\(unknown.displayable.shortened(to: 40))'; the keys are \(Self.keys.sorted().joined(separator: ", "))"
            )
        }
        func text(_ key: String) throws(SilenceFault) -> String? {
            switch object[key] {
            case nil, is NSNull: return nil
            case let text as String: return text
            default: throw SilenceFault("'\(key)' is no text")
            }
        }
        var domains = try Self.domains(object)
        if let domain = try text("domain") {
            guard domains.isEmpty else { throw SilenceFault("'domain' and 'domains' say the same; leave one out") }
            do { domains = [try DomainPattern(domain)] } catch { throw SilenceFault("'domain': \(error)") }
        }
        request = try Silence(
            scope: SilenceScope(domains: domains, labels: try Self.labels(object), kinds: try Self.kinds(object)),
            startsAt: now, endsAt: try Self.end(for: try text("for"), until: try text("until"), now: now),
            author: try text("author") ?? "", reason: try text("reason") ?? "")
    }

    private static func domains(_ object: [String: Any]) throws(SilenceFault) -> [DomainPattern] {
        switch object["domains"] {
        case nil, is NSNull: return []
        case let names as [String] where names.count <= 100:
            var domains: [DomainPattern] = []
            for name in names {
                do { domains.append(try DomainPattern(name)) } catch { throw SilenceFault("'domains': \(error)") }
            }
            return domains
        default: throw SilenceFault("'domains' is no list of texts, 100 at most")
        }
    }

    private static func labels(_ object: [String: Any]) throws(SilenceFault) -> [String: String] {
        switch object["labels"] {
        case nil, is NSNull: return [:]
        case let labels as [String: String] where labels.count <= 32: return labels
        default: throw SilenceFault("'labels' is no object of texts, 32 at most")
        }
    }

    private static func kinds(_ object: [String: Any]) throws(SilenceFault) -> [IncidentKind]? {
        switch object["kinds"] {
        case nil, is NSNull: return nil
        case let names as [String] where names.isEmpty: return []
        case let names as [String]: return try SilenceScope(targets: [], kinds: names).kinds
        default: throw SilenceFault("'kinds' is no list of texts")
        }
    }

    private static func end(for length: String?, until: String?, now: Date) throws(SilenceFault) -> Date {
        switch (length, until) {
        case (let length?, nil):
            do { return now + (try parseDuration(length)).inSeconds } catch {
                throw SilenceFault("'for' is no duration such as 2h: \(error)")
            }
        case (nil, let until?):
            guard let end = try? Date(until, strategy: .iso8601) else {
                throw SilenceFault("'until' is no instant such as 2026-11-21T07:00:00Z")
            }
            return end
        default: throw SilenceFault("either 'for' or 'until' is needed")
        }
    }
}

/// Silences and windows as JSON, for the API and for `silence list --format json`. Every key is always there.
package struct SilenceDocument: Encodable, Sendable {
    private let silence: Silence
    private let now: Date

    package init(_ silence: Silence, now: Date) {
        self.silence = silence
        self.now = now
    }

    private enum Key: String, CodingKey {
        case schema, id, state, domains, labels, kinds, author, reason
        case startsAt = "starts_at", endsAt = "ends_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Key.self)
        try root.encode("aasa-monitor/silence/v1", forKey: .schema)
        // A number, as a delivery's is.
        if let number = Int64(silence.id) {
            try root.encode(number, forKey: .id)
        } else {
            try root.encode(silence.id, forKey: .id)
        }
        try root.encode(state, forKey: .state)
        try root.encode(silence.scope.domains, forKey: .domains)
        try root.encode(silence.scope.labels, forKey: .labels)
        try root.encode(silence.scope.kinds, forKey: .kinds)
        try root.encode(silence.startsAt.rfc3339, forKey: .startsAt)
        try root.encode(silence.endsAt.rfc3339, forKey: .endsAt)
        try root.encode(silence.author, forKey: .author)
        try root.encode(silence.reason, forKey: .reason)
    }

    private var state: String {
        if silence.isActive(at: now) { return "active" }
        return now < silence.startsAt ? "pending" : "over"
    }
}

struct MaintenanceDocument: Encodable {
    let window: MaintenanceWindow
    let now: Date

    private enum Key: String, CodingKey {
        case name, domains, labels, zone, reason
        case activeUntil = "active_until", nextStart = "next_start"
    }

    func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Key.self)
        try root.encode(window.name, forKey: .name)
        try root.encode(window.scope.domains, forKey: .domains)
        try root.encode(window.scope.labels, forKey: .labels)
        try root.encode(window.zoneName, forKey: .zone)
        try root.encode(window.reason, forKey: .reason)
        try root.encode(window.end(at: now)?.rfc3339, forKey: .activeUntil)
        try root.encode(window.nextStart(after: now)?.rfc3339, forKey: .nextStart)
    }
}

/// The answer to `POST /api/v1/silences`.
private struct SilenceAnswer: Encodable {
    let silence: SilenceDocument
    /// How many of the watched domains it is about.
    let watchedDomains: Int

    private enum Key: String, CodingKey { case watchedDomains = "watched_domains" }

    func encode(to encoder: any Encoder) throws {
        try silence.encode(to: encoder)
        var root = encoder.container(keyedBy: Key.self)
        try root.encode(watchedDomains, forKey: .watchedDomains)
    }
}

struct SilenceList: Encodable {
    let schema = "aasa-monitor/silences/v1"
    let silences: [SilenceDocument]
    let maintenance: [MaintenanceDocument]
}
