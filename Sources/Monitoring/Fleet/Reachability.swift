// How far the last checks of a domain got: whether anybody was reached at all, whatever was said. Many domains of which nobody
// is reached on either side are a sign of our own network, not of theirs.

import Evidence
import Foundation

package struct Reachability: Codable, Equatable, Sendable {
    /// Since when no check reached the origin; nil: the last one did.
    package var originLostSince: Date?
    /// Since when Apple's CDN gave no answer about the file; nil: it did, or was not asked.
    package var cdnSilentSince: Date?
    /// Whether the last check did not even reach it.
    package var isCDNLost = false
    package var isCDNAsked = false

    package init() {}

    /// Whether the last check reached nobody whom it asked.
    package var isLost: Bool { originLostSince != nil && (isCDNLost || !isCDNAsked) }

    package func after(_ observation: Observation, at now: Date) -> Reachability {
        var next = Reachability()
        if observation.origin.isLost { next.originLostSince = originLostSince ?? now }
        guard let cdn = observation.cdn.retrieval else { return next }
        next.isCDNAsked = true
        next.isCDNLost = cdn.isLost
        if !cdn.speaksOfFile { next.cdnSilentSince = cdnSilentSince ?? now }
        return next
    }
}

extension Retrieval {
    /// Nobody was reached whom we could trust to be the other side. A wrong answer is no such failure, and neither is a request
    /// that we could not even make.
    package var isLost: Bool {
        guard let failure else { return false }
        return switch failure.kind {
        case .nameNotFound, .nameServerFailure, .noNameServer, .connectionRefused, .unreachable, .timedOut,
            .connectionReset, .tlsHandshake, .tlsVersion,
            .certificate, .intercepted, .proxy:
            true
        case .headersTooLarge, .malformedAnswer, .truncated, .badEncoding, .privateAddress, .noAddress,
            .noIPv4Address, .noIPv6Address, .own:
            false
        }
    }
}
