// Whether this machine's own network is suspect. A guess in favour of the monitored sites: while it holds, checks say nothing
// about them.

import Evidence
import Facts
import Foundation

/// Remembers the last checks of distinct domains: as many as the answer needs, however many domains there are.
package struct NetworkSuspicion: Equatable, Sendable {
    /// The latest first; at most `memory`, one a domain.
    private var latest: [Check] = []
    /// When a check last reached anybody.
    package private(set) var reachedAt: Date?

    private struct Check: Equatable, Sendable {
        let domain: Domain
        let at: Date
        /// A later instant knows nothing by this check.
        let freshUntil: Date
        let reachability: Reachability
    }

    /// So many checks must agree.
    static let least = 5
    /// More than so many of the latest checks say nothing new.
    private static let most = 20
    /// A few more, to tell whether these are all domains that there are.
    private static let memory = 24

    package init() {}

    /// Takes what one check of a domain reached. `interval`: until its next check.
    package mutating func note(_ domain: Domain, _ reachability: Reachability, interval: Duration, at instant: Date) {
        latest.removeAll { $0.domain == domain }
        let check = Check(
            domain: domain, at: instant, freshUntil: CheckSchedule.freshUntil(instant, interval.inSeconds),
            reachability: reachability)
        latest.insert(check, at: latest.firstIndex { $0.at <= instant } ?? latest.endIndex)
        if latest.count > Self.memory { latest.removeLast() }
        if !reachability.isCutOff { reachedAt = max(reachedAt ?? instant, instant) }
    }

    /// `canaries` decide where they were asked after the last check that reached anybody. Without reference hosts the latest
    /// checks do: at least five of different domains, of which at most one in ten reached anybody; of fewer domains all, each of which
    /// lost its site and Apple's CDN at once.
    package func isSuspect(canaries: ConnectivityRound?, now: Date) -> Bool {
        let fresh = latest.filter { $0.freshUntil >= now }
        if let canaries {
            return canaries.isLost && fresh.contains { $0.reachability.isCutOff }
                && canaries.at > reachedAt ?? .distantPast
        }
        guard fresh.count >= Self.least else {
            // So few prove nothing by their number: where each lost its site and Apple's CDN together, the control tells.
            return !fresh.isEmpty
                && fresh.allSatisfy {
                    $0.reachability.isCutOff && $0.reachability.isCDNAsked && !$0.reachability.isCDNOutAlone
                }
        }
        return (Self.least...min(fresh.count, Self.most)).contains { count in
            let lost = fresh.prefix(count).filter(\.reachability.isCutOff)
            guard count - lost.count <= count / 10 else { return false }
            // Sites that nobody reads through Apple's CDN may all be down by themselves, unless there are no others.
            return lost.count { $0.reachability.isCDNAsked } >= Self.least || lost.count * 10 >= fresh.count * 9
        }
    }

    /// Whether the last check of another domain, as far as it says anything of now, reached anybody.
    package func reachesOthers(than domain: Domain, now: Date) -> Bool {
        latest.contains { $0.domain != domain && $0.freshUntil >= now && !$0.reachability.isLost }
    }

    /// Since when no host is reached, as far as is known.
    func since(_ now: Date) -> Date {
        let runs = latest.filter(\.reachability.isCutOff).compactMap(\.reachability.originLostSince)
        return runs.filter { now.timeIntervalSince($0) < 86_400 }.min() ?? now
    }
}

/// How far the last checks of a domain got: whether anybody was reached at all, whatever was said. Many domains of which nobody
/// is reached on either side are a sign of our own network, not of theirs.
package struct Reachability: Codable, Equatable, Sendable {
    /// Since when no check reached the origin; nil: the last one did.
    package var originLostSince: Date?
    /// Since when Apple's CDN gave no answer about the file; nil: it did, or was not asked.
    package var cdnSilentSince: Date?
    /// Whether the last check did not even reach it.
    package var isCDNLost = false
    package var isCDNAsked = false
    /// Whether the last check met somebody whose certificate it refused; nil: it did not.
    package var metCertificate: Bool?

    package init() {}

    /// Whether Apple's CDN has been silent since before the origin was: a firewall that lets nobody out to it tells nothing of an
    /// origin that fails later.
    package var isCDNOutAlone: Bool {
        guard let silent = cdnSilentSince else { return false }
        return originLostSince.map { silent < $0 } ?? true
    }

    /// Whether the last check reached nobody whom it asked.
    package var isLost: Bool { originLostSince != nil && (isCDNLost || !isCDNAsked) }

    /// Whether the last check shows a network that is down. Who shows a certificate was reached: where each one is refused, the control
    /// says why.
    package var isCutOff: Bool { isLost && metCertificate != true }

    package func after(_ observation: Observation, at now: Date) -> Reachability {
        var next = Reachability()
        if [observation.origin, observation.cdn.retrieval].contains(where: { $0?.failure?.kind == .certificate }) {
            next.metCertificate = true
        }
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
            .connectionReset, .tlsHandshake, .tlsVersion, .certificate, .proxy:
            true
        case .headersTooLarge, .malformedAnswer, .truncated, .badEncoding, .privateAddress, .noAddress,
            .noIPv4Address, .noIPv6Address, .own:
            false
        }
    }
}
