// The facts that each surface must show. The comparison alone does not notice a missing fact.

import Foundation
import Stage
import TestSupport

enum Duty {
    private static let words: Set<Property> = [.level, .effect, .incidents, .confirmed]
    private static let facts: Set<Property> = [.kind, .severity, .state, .since, .fired, .marks, .notified]

    /// What a surface must say about the domain and about each incident.
    private static let all: [String: (domain: Set<Property>, incident: Set<Property>)] = [
        "api-domains.json": (words, facts), "api-domain.json": (words, facts), "status.json": (words, facts),
        // It names no effect of a healthy domain.
        "status.txt": ([.level, .incidents], facts.subtracting([.severity])),
        "status-short.txt": ([.level, .incidents], [.kind, .state, .marks]),
        "status.nagios.txt": ([.effect, .incidents], [.kind, .state, .marks]),
        "incidents.txt": ([], facts.union([.effect])),
        "api-incidents.json": ([], facts.union([.effect])), "history.json": ([], facts.union([.effect])),
        "history.txt": ([], [.kind, .severity, .state, .since, .marks]),
        // Its sections show decisions, not levels.
        "page-domains.html": ([], []),
        "page-domain.html": ([.level, .effect, .incidents], facts.subtracting([.notified])),
        "page-incidents.html": ([], [.kind, .severity, .since, .marks, .notified]),
        "badge.svg": ([.level], []),
    ]
    /// They leave out unconfirmed incidents.
    private static let ofConfirmed: Set = ["api-incidents.json", "history.json", "history.txt"]

    /// One line for each missing fact.
    static func omissions(in said: Statements) -> [String] {
        let source = "api-domain.json"
        guard case .all(let open) = said.value(StageState.domain, .incidents, on: source) else { return [] }
        // Without a recent check the badge says only `unknown`.
        let isUnknown = said.value(StageState.domain, .level, on: source) == .text("unknown")
        return all.sorted { $0.key < $1.key }.flatMap { surface, duty in
            var lines = missing(duty.domain, StageState.domain, surface, said)
            if isUnknown, surface == "badge.svg" { lines = [] }
            for id in open {
                let isPending = said.value(id, .state, on: source) == .text("pending")
                if isPending, ofConfirmed.contains(surface) { continue }
                // A pending incident has no text and no colour yet, and nobody was notified.
                let later: Set<Property> = [.fired, .severity, .notified, .effect]
                lines += missing(isPending ? duty.incident.subtracting(later) : duty.incident, id, surface, said)
            }
            return lines
        }
    }

    private static func missing(
        _ properties: Set<Property>, _ subject: String, _ surface: String, _ said: Statements
    ) -> [String] {
        properties.subtracting(said.properties(of: subject, on: surface)).sorted().map {
            "\(surface) has no \($0) of \(subject)"
        }
    }
}

extension Surfaces {
    /// The API's answers, and their paths in `openapi.json`.
    private static let answers = [
        "api-status.json": "status", "api-domains.json": "domains", "api-domain.json": "domains/{domain}",
        "history.json": "domains/{domain}/history", "api-incidents.json": "incidents",
        "api-incident.json": "incidents/{id}", "api-deliveries.json": "deliveries", "delivery.json": "deliveries/{id}",
        "api-silences.json": "silences",
    ]

    /// One line for each difference between an answer and `openapi.json`. Described objects name all their keys, and an
    /// answer must have each of them.
    var undescribed: [String] {
        get throws {
            let document = try JSONValue(openAPI)
            var judge = SchemaJudge(document)
            return try Self.answers.sorted { $0.key < $1.key }.flatMap { name, path -> [String] in
                guard let text = files[name] else { return [] }
                let isRefusal = text.hasPrefix("status ")
                let body = isRefusal ? text.drop { $0 != "\n" } : text[...]
                let place =
                    isRefusal
                    ? document["components"]["responses"]["Error"]
                    : document["paths"]["/api/v1/\(path)"]["get"]["responses"]["200"]
                let schema = place["content"]["application/json"]["schema"]
                guard schema.present != nil else { return ["\(name): no schema"] }
                return judge.faults(of: try JSONValue(String(body)), schema).map { "\(name): \($0)" }
            }
        }
    }
}
