// What one check saw of one domain: plain facts, no opinion. Everything here can be written down and read again.

import Foundation

/// One look at one domain from one place.
package struct Observation: Codable, Equatable, Sendable {
    package var domain: Domain
    /// When the check began.
    package var checkedAt: Date
    /// The place that the check was made from.
    package var vantage: String
    package var mode: AssociationMode
    package var origin: Retrieval
    package var cdn: CDNLook
    /// What a full check saw besides; nil for a light one.
    package var full: FullLook?
    /// The bodies that the retrievals name by their hash. Kept apart so that facts can be stored without them.
    package var contents: [ContentHash: Data] = [:]

    package init(
        domain: Domain, checkedAt: Date, vantage: String = ownVantage, mode: AssociationMode = .production,
        origin: Retrieval, cdn: CDNLook, full: FullLook? = nil, contents: [ContentHash: Data] = [:]
    ) {
        self.domain = domain
        self.checkedAt = checkedAt
        self.vantage = vantage
        self.mode = mode
        self.origin = origin
        self.cdn = cdn
        self.full = full
        self.contents = contents
    }

    /// The name of this machine among the vantages.
    package static let ownVantage = "local"

    package var depth: Depth { full == nil ? .light : .full }

    private enum CodingKeys: String, CodingKey {
        case domain, checkedAt = "checked_at", vantage, mode, origin, cdn, full
    }
}

/// The answer of Apple's CDN, or why it was not asked.
package enum CDNLook: Codable, Equatable, Sendable {
    case asked(Retrieval)
    case notAsked(Reason)

    package enum Reason: String, Codable, Sendable {
        /// The origin has no file yet and never had one: asking would make Apple remember a failure.
        case originHasNoFile = "origin_has_no_file"
        /// Devices in developer or managed mode go to the origin themselves.
        case mode
    }

    /// The answer that stands for the CDN: by its name, or of the first edge that answered.
    package var retrieval: Retrieval? {
        if case .asked(let retrieval) = self { retrieval } else { nil }
    }
}
