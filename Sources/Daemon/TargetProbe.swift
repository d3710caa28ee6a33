// One check for `/probe`: evaluated with the stored state, but not stored.

import Evidence
import Foundation
import MonitorConfiguration
import MonitorMetrics
import Monitoring
import Probing
import StatusServer
import Storage
import Synchronization

final class TargetProbe: Sendable {
    private let parts: MonitorParts
    private let underWay = Mutex(0)

    /// The maximum of concurrent probes; more are refused.
    private static let most = 8

    init(_ parts: MonitorParts) { self.parts = parts }

    /// `target`: a domain, a URL or an entitlement.
    func answer(_ text: String, isFull: Bool) async -> MonitorActions.ProbeAnswer {
        let target: Target
        do {
            target = try Target(parsing: String(text.prefix(2048)))
        } catch {
            return .refused("'target' is not a domain: \(error)")
        }
        let configuration = parts.live.current
        let watched = configuration.domains.first { $0.domain == target.domain }
        guard watched != nil || configuration.server.probesUnknownDomains else {
            return .refused("\(target.domain) is not watched; server.probe_unknown_domains allows other domains")
        }
        let isFree = underWay.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
        guard isFree else { return .busy }
        defer { underWay.withLock { $0 -= 1 } }
        do {
            return try await probe(
                watched ?? WatchedDomain(domain: target.domain, checks: configuration.defaults, mode: target.mode),
                isWatched: watched != nil, depth: isFull ? .full : .light, configuration)
        } catch {
            return .refused("the probe failed: the monitor is stopping, or its store cannot be read")
        }
    }

    private func probe(
        _ watched: WatchedDomain, isWatched: Bool, depth: Depth, _ configuration: ConfigurationFile
    ) async throws -> MonitorActions.ProbeAnswer {
        let policy = Policy(watched)
        var settings = ProbeSettings(configuration, userAgent: parts.environment.userAgent)
        // A reader of the metrics must not be able to scan this network.
        settings.refusesPrivateOrigins = !isWatched
        if !isWatched {
            guard configuration.network.proxy == nil else {
                return .refused(
                    "behind network.proxy only watched domains can be probed: the proxy may reach private addresses")
            }
            settings.vantages = []
        }
        let state = try await parts.store.state(of: watched.domain) ?? DomainState(domain: watched.domain)
        let begun = ContinuousClock.now
        let (wanted, now) = (settings, parts.time.now())
        let observation = try await parts.checks.use { driver in
            try await DomainProbe(driver: driver, settings: wanted).observe(
                watched.domain, mode: watched.mode, depth: depth, hadFile: state.hadFile,
                pages: depth == .full && isWatched ? policy.expectations.pages(of: watched.domain) : [],
                timeout: watched.checks.timeout, now: now)
        }
        let took = (ContinuousClock.now - begun).inSeconds
        if !isWatched, observation.origin.redirectStop == .privateAddress, observation.origin.redirects.isEmpty {
            return .refused("\(watched.domain) has no public address; only watched domains may have private ones")
        }
        let wall = parts.time.systemTime()
        let evaluation = evaluate(state, observation, policy, now: parts.time.now(), wall: wall)
        return .metrics(
            MetricsRegistry.exposition(
                probeOf: watched.domain.name, DomainGauges(observation, evaluation.state, wall: wall),
                isSuccess: !evaluation.verdict.findings.contains { $0.severity == .error }, took: took))
    }
}
