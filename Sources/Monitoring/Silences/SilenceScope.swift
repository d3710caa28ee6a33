// What a silence or a maintenance window is about.

import Evidence

/// Which messages are meant: those whose domain, labels and kind all match.
package struct SilenceScope: Codable, Equatable, Sendable {
    /// One match is enough; empty: the labels alone decide.
    package var domains: [DomainPattern]
    /// Each must match; the value `*` matches any text of a label that is there.
    package var labels: [String: String]
    /// nil: all kinds.
    package var kinds: [IncidentKind]?

    /// A scope without domains and labels matches nothing: silence for everything has to be asked for, with `*`.
    package init(domains: [DomainPattern] = [], labels: [String: String] = [:], kinds: [IncidentKind]? = nil) {
        self.domains = domains
        self.labels = labels
        self.kinds = kinds
    }

    /// `domain`: nil for what is about no single domain; only a scope for all of them, whatever their labels, matches that.
    package func matches(domain: Domain?, labels: [String: String], kind: IncidentKind) -> Bool {
        guard !domains.isEmpty || !self.labels.isEmpty else { return false }
        guard let domain else {
            return domains.contains(.all) && self.labels.isEmpty && kinds?.contains(kind) ?? true
        }
        guard domains.isEmpty || domains.contains(where: { $0.matches(domain) }) else { return false }
        guard self.labels.allSatisfy({ name, value in labels[name].map { value == "*" || value == $0 } ?? false })
        else { return false }
        return kinds?.contains(kind) ?? true
    }
}

extension SilenceScope: CustomStringConvertible {
    /// `example.com, team=growth (cdn.stale)`; free of control characters.
    package var description: String {
        let names = domains.map(\.description) + labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let kinds = self.kinds.map { " (" + $0.map(\.rawValue).sorted().joined(separator: ", ") + ")" } ?? ""
        return (names.joined(separator: ", ") + kinds).displayable
    }
}

/// A domain, the domains below one, or all of them.
package enum DomainPattern: Hashable, Sendable {
    case all
    case exactly(Domain)
    /// `*.example.com`: at any depth, without `example.com` itself.
    case below(Domain)

    /// - Parameter text: `example.com`, `*.example.com`, or `*` or `all` for every domain.
    /// - Throws: `DomainFault` with a sentence for the person who wrote it.
    package init(_ text: String) throws(DomainFault) {
        if text == "*" || text.lowercased() == "all" {
            self = .all
        } else if text.hasPrefix("*.") {
            do { self = .below(try Domain(String(text.dropFirst(2)))) } catch { throw DomainFault(text, error.reason) }
        } else {
            self = .exactly(try Domain(text))
        }
    }

    package func matches(_ domain: Domain) -> Bool {
        switch self {
        case .all: true
        case .exactly(let own): own == domain
        case .below(let parent): domain.name.hasSuffix("." + parent.name)
        }
    }
}

extension DomainPattern: CustomStringConvertible, Codable {
    package var description: String {
        switch self {
        case .all: "*"
        case .exactly(let domain): domain.name
        case .below(let domain): "*." + domain.name
        }
    }

    package init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
