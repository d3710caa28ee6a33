// What each surface must say. A surface that leaves a fact out would agree with all others.

import Foundation
import Stage
import TestSupport

enum Duty {
    private static let words: Set<Property> = [.level, .effect, .incidents, .confirmed]
    private static let facts: Set<Property> = [.kind, .severity, .state, .since, .fired, .marks, .notified]

    /// What a surface says about the domain, and about each of its incidents.
    private static let all: [String: (domain: Set<Property>, incident: Set<Property>)] = [
        "api-domains.json": (words, facts), "api-domain.json": (words, facts), "status.json": (words, facts),
        // The other surfaces have the effect of a healthy domain.
        "status.txt": ([.level, .incidents], facts.subtracting([.severity])),
        "status-short.txt": ([.level, .incidents], [.kind, .state, .marks]),
        "status.nagios.txt": ([.effect, .incidents], [.kind, .state, .marks]),
        "incidents.txt": ([], facts.union([.effect])),
        "api-incidents.json": ([], facts.union([.effect])), "history.json": ([], facts.union([.effect])),
        "history.txt": ([], [.kind, .severity, .state, .since, .marks]),
        // Its sections say what to do, not how bad it is.
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
        // No check ran: the badge says only that.
        let isUnknown = said.value(StageState.domain, .level, on: source) == .text("unknown")
        return all.sorted { $0.key < $1.key }.flatMap { surface, duty in
            var lines = missing(duty.domain, StageState.domain, surface, said)
            if isUnknown, surface == "badge.svg" { lines = [] }
            for id in open {
                let isPending = said.value(id, .state, on: source) == .text("pending")
                if isPending, ofConfirmed.contains(surface) { continue }
                // It has no text and no colour yet, and nobody was notified.
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

    /// A line for each place where an answer differs from `openapi.json`, which names all keys of its objects. Every
    /// one of them must be in the answer.
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
