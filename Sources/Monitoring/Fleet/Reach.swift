// How far looks got: whether anybody was met at all, whatever was said. Many domains of which nobody is met on either side
// tell of our own network, not of theirs.

import Evidence
import Foundation

package struct Reach: Codable, Equatable, Sendable {
    /// Since when no look reached the origin; nil: the last one did.
    package var originLostSince: Date?
    /// Since when Apple's CDN gave no word about the file; nil: it did, or was not asked.
    package var cdnSilentSince: Date?
    /// Whether the last look did not even reach it.
    package var isCDNLost = false
    package var isCDNAsked = false

    package init() {}

    /// Whether the last look met nobody whom it asked.
    package var isLost: Bool { originLostSince != nil && (isCDNLost || !isCDNAsked) }

    package func after(_ observation: Observation, at now: Date) -> Reach {
        var reach = Reach()
        if observation.origin.isLost { reach.originLostSince = originLostSince ?? now }
        guard let cdn = observation.cdn.retrieval else { return reach }
        reach.isCDNAsked = true
        reach.isCDNLost = cdn.isLost
        if !cdn.speaksOfFile { reach.cdnSilentSince = cdnSilentSince ?? now }
        return reach
    }
}

/// Whether this machine reaches the network, as far as a check needs to know.
package enum Egress: Equatable, Sendable {
    case trusted
    /// What a look did not reach may well be there.
    case inDoubt
}

extension Retrieval {
    /// Nobody whom we could trust to be the other side was met. What somebody said wrongly is no such failure, and neither
    /// is a request that we could not even make.
    package var isLost: Bool {
        guard let failure else { return false }
        return switch failure.kind {
        case .nameNotFound, .connectionRefused, .unreachable, .timedOut, .connectionReset, .tlsHandshake, .tlsVersion,
            .certificate, .proxy:
            true
        case .headersTooLarge, .malformedAnswer, .truncated, .badEncoding, .privateAddress, .noIPv4Address,
            .noIPv6Address,
            .own:
            false
        }
    }
}
