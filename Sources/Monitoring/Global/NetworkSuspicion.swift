// Whether this machine's own network is suspect. This guess favors the monitored sites: while it holds, checks say
// nothing about them.

import Evidence
import Facts
import Foundation

/// Remembers the last checks of distinct domains, at most as many as the guess needs.
package struct NetworkSuspicion: Equatable, Sendable {
    /// The latest first; at most `memory`, one for each domain.
    private var latest: [Check] = []
    /// When a check last reached any host.
    package private(set) var reachedAt: Date?

    private struct Check: Equatable, Sendable {
        let domain: Domain
        let at: Date
        /// After this time the check says nothing.
        let freshUntil: Date
        let reachability: Reachability
    }

    /// This many checks must agree.
    static let least = 5
    /// More checks than this add no information.
    private static let most = 20
    /// A few more, to tell whether there are more domains.
    private static let memory = 24

    package init() {}

    /// Adds what one check of a domain reached. `interval`: until its next check.
    package mutating func note(_ domain: Domain, _ reachability: Reachability, interval: Duration, at instant: Date) {
        latest.removeAll { $0.domain == domain }
        let check = Check(
            domain: domain, at: instant, freshUntil: CheckSchedule.freshUntil(instant, interval.inSeconds),
            reachability: reachability)
        latest.insert(check, at: latest.firstIndex { $0.at <= instant } ?? latest.endIndex)
        if latest.count > Self.memory { latest.removeLast() }
        if !reachability.isCutOff { reachedAt = max(reachedAt ?? instant, instant) }
    }

    /// If `canaries` were asked after the last check that reached a host, they decide. Without reference hosts the
    /// latest checks decide: at least five of different domains, of which at most one in ten reached a host. With fewer
    /// domains all must have lost the site and Apple's CDN at the same time.
    package func isSuspect(canaries: ConnectivityRound?, now: Date) -> Bool {
        let fresh = latest.filter { $0.freshUntil >= now }
        if let canaries {
            return canaries.isLost && fresh.contains { $0.reachability.isCutOff }
                && canaries.at > reachedAt ?? .distantPast
        }
        guard fresh.count >= Self.least else {
            // A few domains are not enough. If each lost its site and Apple's CDN together, the CDN is the control.
            return !fresh.isEmpty
                && fresh.allSatisfy {
                    $0.reachability.isCutOff && $0.reachability.isCDNAsked && !$0.reachability.isCDNOutAlone
                }
        }
        return (Self.least...min(fresh.count, Self.most)).contains { count in
            let lost = fresh.prefix(count).filter(\.reachability.isCutOff)
            guard count - lost.count <= count / 10 else { return false }
            // Sites in a mode without Apple's CDN may all be down by themselves, unless there are no others.
            return lost.count { $0.reachability.isCDNAsked } >= Self.least || lost.count * 10 >= fresh.count * 9
        }
    }

    /// Whether the last check of another domain reached a host, if that check is recent enough.
    package func reachesOthers(than domain: Domain, now: Date) -> Bool {
        latest.contains { $0.domain != domain && $0.freshUntil >= now && !$0.reachability.isLost }
    }

    /// Since when no host is reachable, as far as is known.
    func since(_ now: Date) -> Date {
        let runs = latest.filter(\.reachability.isCutOff).compactMap(\.reachability.originLostSince)
        return runs.filter { now.timeIntervalSince($0) < 86_400 }.min() ?? now
    }
}

/// Which hosts the last checks of a domain reached, regardless of their answers. If many domains are unreachable at the
/// origin and at Apple's CDN, the cause is probably our own network.
package struct Reachability: Codable, Equatable, Sendable {
    /// Since when no check reached the origin; nil: the last one did.
    package var originLostSince: Date?
    /// Since when Apple's CDN has not answered about the file; nil: it did, or was not asked.
    package var cdnSilentSince: Date?
    /// Whether the last check did not reach Apple's CDN at all.
    package var isCDNLost = false
    package var isCDNAsked = false
    /// Whether the last check got a certificate that it refused.
    package var metCertificate = false

    package init() {}

    /// Whether Apple's CDN has been silent since before the origin failed: then a firewall may block the CDN, and its
    /// silence says nothing about an origin that fails later.
    package var isCDNOutAlone: Bool {
        guard let silent = cdnSilentSince else { return false }
        return originLostSince.map { silent < $0 } ?? true
    }

    /// Whether the last check reached none of the hosts that it asked.
    package var isLost: Bool { originLostSince != nil && (isCDNLost || !isCDNAsked) }

    /// Whether the last check indicates that the network is down. A host with a certificate was reached: if every
    /// certificate is refused, the control says why.
    package var isCutOff: Bool { isLost && !metCertificate }

    package func after(_ observation: Observation, at now: Date) -> Reachability {
        var next = Reachability()
        next.metCertificate = [observation.origin, observation.cdn.retrieval].contains {
            $0?.failure?.kind == .certificate
        }
        if observation.origin.isLost { next.originLostSince = originLostSince ?? now }
        guard let cdn = observation.cdn.retrieval else { return next }
        next.isCDNAsked = true
        next.isCDNLost = cdn.isLost
        if !cdn.isAboutFile { next.cdnSilentSince = cdnSilentSince ?? now }
        return next
    }
}

extension Retrieval {
    /// No trustworthy host was reached. A wrong answer does not count, and neither does a request that we could not
    /// make.
    package var isLost: Bool {
        guard let failure else { return false }
        return switch failure.kind {
        case .nameNotFound, .nameServerFailure, .noNameServer, .connectionRefused, .unreachable, .timedOut,
            .connectionReset, .tlsHandshake, .tlsVersion, .certificate, .proxy:
            true
        case .headersTooLarge, .malformedAnswer, .truncated, .badEncoding, .privateAddress, .noAddress,
            .noIPv4Address, .noIPv6Address, .own:
            false
        }
    }
}
