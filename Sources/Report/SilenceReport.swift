// Silences and maintenance windows, and the order for a new silence.

import Evidence
import Foundation
import Monitoring

package struct SilenceReport: Codable, Equatable, Sendable {
    package var schema = "aasa-monitor/silence/v1"
    package let id: Int64
    package let state: State
    /// What it covers, in words: `example.com, team=growth (cdn.stale)`.
    package let scope: String
    package let domains: [DomainPattern]
    package let labels: [String: String]
    package let kinds: [IncidentKind]?
    package let startsAt: Date
    package let endsAt: Date
    package let author: String
    package let reason: String

    package enum State: String, Codable, Sendable {
        case active, pending, over
    }

    package init(_ silence: Silence, now: Date) {
        id = Int64(silence.id) ?? 0
        state = silence.isActive(at: now) ? .active : now < silence.startsAt ? .pending : .over
        scope = silence.scope.description
        domains = silence.scope.domains
        labels = silence.scope.labels
        kinds = silence.scope.kinds
        startsAt = silence.startsAt
        endsAt = silence.endsAt
        author = silence.author
        reason = silence.reason
    }
}

/// A maintenance window of the configuration.
package struct MaintenanceReport: Codable, Sendable {
    package let name: String
    package let scope: String
    package let domains: [DomainPattern]
    package let labels: [String: String]
    /// When it is, by the clock of `zone`: `Sun 02:00 to 04:00`.
    package let schedule: String
    package let zone: String
    package let reason: String
    package let activeUntil: Date?
    package let nextStart: Date?

    package init(_ window: MaintenanceWindow, now: Date) {
        name = window.name
        scope = window.scope.description
        domains = window.scope.domains
        labels = window.scope.labels
        schedule = window.schedule
        zone = window.zoneName
        reason = window.reason
        activeUntil = window.end(at: now)
        nextStart = window.nextStart(after: now)
    }
}

/// `/api/v1/silences`.
package struct SilencePage: Codable, Sendable {
    package var schema = "aasa-monitor/silences/v1"
    package let silences: [SilenceReport]
    package let maintenance: [MaintenanceReport]

    package init(silences: [SilenceReport], maintenance: [MaintenanceReport]) {
        self.silences = silences
        self.maintenance = maintenance
    }
}

/// The answer to `POST /api/v1/silences`.
package typealias NewSilence = Detailed<SilenceReport, SilenceReport.Reach>

extension SilenceReport {
    package struct Reach: Codable, Sendable {
        /// How many of the watched domains it covers.
        package let watchedDomains: Int

        package init(watchedDomains: Int) { self.watchedDomains = watchedDomains }
    }
}

/// The body of `POST /api/v1/silences`.
package struct SilenceOrder: Codable, Sendable {
    package var domain: String?
    package var domains: [String]?
    package var labels: [String: String]?
    package var kinds: [String]?
    /// How long, such as `2h`, by the clock of the receiver of the order.
    package var length: String?
    package var until: String?
    package var author: String?
    package var reason: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case domain, domains, labels, kinds, until, author, reason
        case length = "for"

        /// What the value must be, in words for the sender.
        var form: String {
            switch self {
            case .domains: "a list of at most 100 strings"
            case .labels: "an object of at most 32 strings"
            case .kinds: "a list of strings"
            case .domain, .until, .author, .reason, .length: "a string"
            }
        }
    }

    package init(
        _ scope: SilenceScope, length: Duration?, until: Date? = nil, author: String, reason: String
    ) {
        domains = scope.domains.map(\.description)
        labels = scope.labels
        kinds = scope.kinds?.map(\.rawValue)
        self.length = length.map { "\(Int($0.inSeconds * 1000))ms" }
        self.until = length == nil ? until?.rfc3339 : nil
        self.author = author
        self.reason = reason
    }

    /// From untrusted bytes.
    /// - Throws: `SilenceFault` in words for the sender.
    package init(json: Data) throws(SilenceFault) {
        let known = CodingKeys.allCases.map(\.rawValue).sorted()
        let keys: [String]
        do {
            keys = Array(try JSONDecoder().decode([String: AnyValue].self, from: json).keys)
        } catch {
            throw SilenceFault("the body is not a JSON object")
        }
        // A misspelt key must not silence more than intended.
        if let unknown = keys.filter({ !known.contains($0) }).min() {
            throw SilenceFault(
                "unknown key '\(unknown.displayable.shortened(to: 40))'; the keys are \(known.joined(separator: ", "))")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch let error as DecodingError {
            throw SilenceFault(Self.words(error))
        } catch {
            throw SilenceFault("the body is not a JSON object")
        }
        if domains?.count ?? 0 > 100 { throw Self.fault(.domains) }
        if labels?.count ?? 0 > 32 { throw Self.fault(.labels) }
    }

    /// Any value; only its key matters.
    private struct AnyValue: Decodable {
        init(from decoder: any Decoder) {}
    }

    private static func fault(_ key: CodingKeys) -> SilenceFault {
        SilenceFault("'\(key.rawValue)' must be \(key.form)")
    }

    private static func words(_ error: DecodingError) -> String {
        let path =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context.codingPath
            @unknown default: [any CodingKey]()
            }
        guard let key = path.first.flatMap({ CodingKeys(stringValue: $0.stringValue) }) else {
            return "the body is not a JSON object"
        }
        return fault(key).description
    }

    /// The requested silence.
    /// - Throws: `SilenceFault` in words for the sender.
    package func silence(now: Date) throws(SilenceFault) -> Silence {
        var patterns: [DomainPattern] = []
        for name in domains ?? [] {
            do { patterns.append(try DomainPattern(name)) } catch { throw SilenceFault("'domains': \(error)") }
        }
        if let domain {
            guard patterns.isEmpty else { throw SilenceFault("give 'domain' or 'domains', not both") }
            do { patterns = [try DomainPattern(domain)] } catch { throw SilenceFault("'domain': \(error)") }
        }
        let chosen = try kinds.map { names throws(SilenceFault) in
            names.isEmpty ? [] : try SilenceScope(targets: [], kinds: names).kinds ?? []
        }
        return try Silence(
            scope: SilenceScope(domains: patterns, labels: labels ?? [:], kinds: chosen), startsAt: now,
            endsAt: try end(now: now), author: author ?? "", reason: reason ?? "")
    }

    private func end(now: Date) throws(SilenceFault) -> Date {
        switch (length, until) {
        case (let length?, nil):
            do { return now + (try parseDuration(length)).inSeconds } catch {
                throw SilenceFault("'for' is not a duration such as 2h: \(error)")
            }
        case (nil, let until?):
            guard let end = try? Date(until, strategy: .iso8601) else {
                throw SilenceFault("'until' is not a time such as 2026-11-21T07:00:00Z")
            }
            return end
        default: throw SilenceFault("give either 'for' or 'until'")
        }
    }
}

// MARK: - Silences of everything

extension Silences {
    /// Until when every domain is silenced, for all kinds of incidents; nil if not.
    package func everything(at wall: Date) -> Date? {
        // A silence of all domains also covers incidents that belong to no single domain.
        whole.end(domain: nil, labels: [:], kind: .cdnStale, at: wall)
    }

    private var whole: Silences {
        Silences(silences: silences.filter { $0.scope.kinds == nil }, windows: windows.filter { $0.scope.kinds == nil })
    }

    /// The same in words, with its author. `until` formats the end.
    package func everythingInWords(at wall: Date, until written: (Date) -> String) -> String? {
        guard let end = everything(at: wall) else { return nil }
        let covering = whole.silences.filter { silence in
            Silences(silences: [silence], windows: []).everything(at: wall) != nil
        }
        // The author, if one silence alone decides the end.
        let author = covering.count == 1 && covering[0].endsAt == end ? covering[0].author : nil
        return "Nobody is notified until \(written(end)): "
            + (author.map { "a silence by \($0.onOneLine(upTo: 60)) covers" } ?? "silences or windows cover")
            + " all domains."
    }
}
