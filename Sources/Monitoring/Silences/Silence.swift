// A silence that somebody asked for. It stops messages, not state: checks run, incidents open and close.

import Foundation

package struct Silence: Equatable, Sendable, Identifiable {
    /// Given by the store; short, since people type it.
    package let id: String
    package let scope: SilenceScope
    package let startsAt: Date
    /// The first instant that is not silent any more.
    package let endsAt: Date
    package let author: String
    package let reason: String

    package init(id: String, scope: SilenceScope, startsAt: Date, endsAt: Date, author: String, reason: String) {
        self.id = id
        self.scope = scope
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.author = author
        self.reason = reason
    }

    package func isActive(at now: Date) -> Bool { startsAt <= now && now < endsAt }
}

/// A silence before the store has it, with all that every way of asking for one must keep to.
package struct SilenceRequest: Equatable, Sendable {
    package let scope: SilenceScope
    package let startsAt: Date
    package let endsAt: Date
    package let author: String
    package let reason: String

    /// A silence has an end, and one that somebody will live to see.
    package static let longest: TimeInterval = 366 * 86_400

    /// - Throws: `SilenceFault` with a sentence for the person who asked.
    package init(scope: SilenceScope, startsAt: Date, endsAt: Date, author: String, reason: String)
        throws(SilenceFault)
    {
        let author = author.trimmingCharacters(in: .whitespacesAndNewlines)
        let reason = reason.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !scope.domains.isEmpty || !scope.labels.isEmpty else {
            throw SilenceFault("a silence needs a domain or a label; `all` stands for every domain")
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
        self.scope = scope
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.author = author
        self.reason = reason
    }
}

/// Why a silence cannot be: the user's mistake, in words for the user.
package struct SilenceFault: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
