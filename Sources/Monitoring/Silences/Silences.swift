// A silence that a user created. It stops messages, not state: checks run, incidents open and close.

import Evidence
import Foundation

package struct Silence: Equatable, Sendable, Identifiable {
    /// Set by the store, empty before; short, because people type it.
    package var id: String
    package let scope: SilenceScope
    package var startsAt: Date
    /// The first time that is no longer silenced.
    package var endsAt: Date
    package var author: String
    package let reason: String

    /// In seconds; at most a year.
    package static let longest: TimeInterval = 366 * 86_400

    package init(id: String, scope: SilenceScope, startsAt: Date, endsAt: Date, author: String, reason: String) {
        self.id = id
        self.scope = scope
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.author = author
        self.reason = reason
    }

    /// A new silence, validated in the same way for every interface.
    /// - Throws: `SilenceFault` with a sentence for the user.
    package init(scope: SilenceScope, startsAt: Date, endsAt: Date, author: String, reason: String)
        throws(SilenceFault)
    {
        let author = author.trimmingCharacters(in: .whitespacesAndNewlines)
        let reason = reason.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !scope.domains.isEmpty || !scope.labels.isEmpty else {
            throw SilenceFault("a silence needs a domain or a label; `all` means every domain")
        }
        guard scope.kinds?.isEmpty != true else {
            throw SilenceFault("the list of kinds is empty; leave it out for all kinds")
        }
        guard !reason.isEmpty else { throw SilenceFault("a silence needs a reason; others will ask for it") }
        guard reason.count <= 500 else { throw SilenceFault("the reason is longer than 500 characters") }
        guard !author.isEmpty else { throw SilenceFault("a silence needs an author") }
        guard author.count <= 100 else { throw SilenceFault("the author is longer than 100 characters") }
        guard endsAt > startsAt else { throw SilenceFault("the end is not after the beginning") }
        guard endsAt.timeIntervalSince(startsAt) <= Self.longest else {
            throw SilenceFault("a silence lasts 366 days at most; stop watching the domain instead")
        }
        self.init(id: "", scope: scope, startsAt: startsAt, endsAt: endsAt, author: author, reason: reason)
    }

    package func isActive(at now: Date) -> Bool { startsAt <= now && now < endsAt }
}

/// Why a silence is invalid: the user's mistake, in words for the user.
package struct SilenceFault: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

// MARK: - What it is about

/// Which incidents are silenced: domain, labels and kind must all match.
package struct SilenceScope: Codable, Equatable, Sendable {
    /// One match is enough; empty: only the labels decide.
    package var domains: [DomainPattern]
    /// All must match; the value `*` matches any value of an existing label.
    package var labels: [String: String]
    /// nil: all kinds.
    package var kinds: [IncidentKind]?

    /// A scope without domains and labels matches nothing: use `*` to silence everything.
    package init(domains: [DomainPattern] = [], labels: [String: String] = [:], kinds: [IncidentKind]? = nil) {
        self.domains = domains
        self.labels = labels
        self.kinds = kinds
    }

    /// From user input: `example.com`, `*.example.com`, `all`, labels as `team=growth`; kinds by name, none: all.
    /// - Throws: `SilenceFault` with a sentence for the user.
    package init(targets: [String], kinds: [String]) throws(SilenceFault) {
        self.init()
        for target in targets {
            if let sign = target.firstIndex(of: "=") {
                labels[String(target[..<sign])] = String(target[target.index(after: sign)...])
            } else {
                do { domains.append(try DomainPattern(target)) } catch { throw SilenceFault(error.description) }
            }
        }
        guard !kinds.isEmpty else { return }
        var chosen: [IncidentKind] = []
        for name in kinds {
            guard let kind = IncidentKind(rawValue: name) else {
                throw SilenceFault(
                    "'\(name.displayable.shortened(to: 40))' is not a kind of incident; the kinds are "
                        + IncidentKind.allCases.map(\.rawValue).joined(separator: ", "))
            }
            chosen.append(kind)
        }
        self.kinds = chosen
    }

    /// Whether it matches at least one kind of incident of a domain.
    package func isAbout(_ domain: Domain, labels: [String: String]) -> Bool {
        IncidentKind.allCases.contains { matches(domain: domain, labels: labels, kind: $0) }
    }

    /// `domain`: nil for a global incident, which only a scope of all domains without labels matches.
    package func matches(domain: Domain?, labels: [String: String], kind: IncidentKind) -> Bool {
        guard !domains.isEmpty || !self.labels.isEmpty else { return false }
        guard let domain else {
            return domains.contains(.all) && self.labels.isEmpty && kinds?.contains(kind) ?? true
        }
        guard domains.isEmpty || domains.contains(where: { $0.matches(domain) }) else { return false }
        return labels.match(self.labels) && kinds?.contains(kind) ?? true
    }
}

extension [String: String] {
    /// Whether these labels of a domain have all wanted ones; `*` matches any value.
    func match(_ wanted: Self) -> Bool {
        wanted.allSatisfy { name, value in self[name].map { value == "*" || value == $0 } ?? false }
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

package enum DomainPattern: Hashable, Sendable {
    case all
    case exactly(Domain)
    /// `*.example.com`: at any depth, without `example.com` itself.
    case below(Domain)

    /// - Parameter text: `example.com`, `*.example.com`, or `*` or `all` for every domain.
    /// - Throws: `DomainFault` with a sentence for the user.
    package init(_ text: String) throws(DomainFault) {
        if text == "*" || text.lowercased() == "all" {
            self = .all
        } else if text.hasPrefix("*.") {
            do { self = .below(try Domain(String(text.dropFirst(2)))) } catch { throw DomainFault(text, error.reason) }
        } else {
            self = .exactly(try Domain(text))
        }
    }

    /// The name in it; nil: it has none.
    package var domain: Domain? {
        switch self {
        case .all: nil
        case .exactly(let domain), .below(let domain): domain
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

// MARK: - Whether an incident is silenced

// All times are of the wall clock, because users set them.

package struct Silences: Equatable, Sendable {
    package var silences: [Silence]
    package var windows: [MaintenanceWindow]

    package init(silences: [Silence] = [], windows: [MaintenanceWindow] = []) {
        self.silences = silences
        self.windows = windows
    }

    /// The end of the silence that is active at `wall`, as far as is known now; nil if there is none. `domain`: nil for
    /// a global incident.
    package func end(domain: Domain?, labels: [String: String], kind: IncidentKind, at wall: Date) -> Date? {
        if silences.isEmpty, windows.isEmpty { return nil }
        let silences = silences.filter { $0.scope.matches(domain: domain, labels: labels, kind: kind) }
        let windows = windows.filter { $0.scope.matches(domain: domain, labels: labels, kind: kind) }
        var end = Self.end(silences, windows, at: wall)
        // A silence that begins before another one ends leaves no gap. Daily windows of 24 hours never end, so the
        // search is limited to `chain` steps.
        for _ in 0..<Self.chain {
            guard let last = end, let next = Self.end(silences, windows, at: last) else { break }
            end = next
        }
        return end
    }

    private static let chain = 16

    private static func end(_ silences: [Silence], _ windows: [MaintenanceWindow], at instant: Date) -> Date? {
        (silences.filter { $0.isActive(at: instant) }.map(\.endsAt) + windows.compactMap { $0.end(at: instant) }).max()
    }
}
