// The body of `POST /api/v1/silences`, from a stranger's bytes to a request that can be kept.

import Evidence
import Foundation
import Monitoring

struct SilenceOrder {
    let request: SilenceRequest

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
        request = try SilenceRequest(
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
        case let names as [String]:
            var kinds: [IncidentKind] = []
            for name in names {
                guard let kind = IncidentKind(rawValue: name) else {
                    let all = IncidentKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw SilenceFault(
                        "'\(name.displayable.shortened(to: 40))' is no kind of incident; the kinds are \(all)")
                }
                kinds.append(kind)
            }
            return kinds
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
