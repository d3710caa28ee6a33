// One check without a daemon, with the history of a daemon's store where there is one.

import Curl
import Daemon
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Probing
import Storage

/// Checks single targets with what the options and an optional configuration say.
struct OneShotChecker: Sendable {
    private let driver: CurlDriver
    let probe: DomainProbe
    private let store: Store?
    private let configuration: ConfigurationFile?
    /// Of the command line; nil: the configuration's.
    private let timeout: Duration?
    /// Of the command line; they count for every target, besides those of the configuration.
    private let expectations: Expectations

    init(
        network: NetworkOptions, asksCDN: Bool, configuration: ConfigurationFile?,
        expectations: Expectations = Expectations()
    ) throws {
        self.configuration = configuration
        timeout = network.timeout
        self.expectations = expectations
        let file = configuration?.network
        let settings = Curl.NetworkSettings(
            caFile: network.caFile ?? file?.caFile,
            // The command line's entries come first: the first that fits counts.
            connectTo: network.connectTo + (file?.connectTo ?? []),
            resolve: (file?.resolve ?? []) + network.resolve,
            proxy: network.proxy ?? file?.proxy?.reveal())
        do {
            driver = try CurlDriver(network: settings, maximumConcurrent: file?.maxConcurrent ?? 64)
        } catch {
            throw CommandFailure(.software, "the network cannot be used: \(error.message)")
        }
        probe = DomainProbe(
            driver: driver,
            settings: ProbeSettings(
                cdnBaseURL: network.cdnURL ?? configuration?.cdn.baseURL ?? ProbeSettings.applesCDN,
                timeout: network.timeout ?? configuration?.defaults.timeout ?? ProbeSettings.defaultTimeout,
                family: network.family, asksBeforeOrigin: asksCDN || configuration?.cdn.askBeforeOrigin == true,
                cdnRequestsPerSecond: configuration?.cdn.requestsPerSecond ?? 50, userAgent: Version.userAgent))
        store = configuration.flatMap { Self.openStore($0.store) }
    }

    /// A store that does not exist yet, or cannot be read, only means that there is no history.
    private static func openStore(_ settings: StoreSettings) -> Store? {
        let path = settings.resolvedPath()
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try Store(path: path, readOnly: true)
        } catch {
            Console.note("aasa-monitor: without history, since \(error.message)")
            return nil
        }
    }

    func check(_ target: Target) async throws -> CheckReport {
        let state = try? await store?.state(of: target.domain)
        let watched = configuration?.domains.first { $0.domain == target.domain }
        let started = Date()
        let observation = try await probe.observe(
            target.domain, mode: target.mode == .production ? watched?.mode ?? .production : target.mode,
            hadFile: state.map { !$0.originPeriods.isEmpty } ?? false,
            timeout: timeout ?? watched?.timeout, now: started)
        let readings = Readings(observation)
        let now = Date()
        var history = CopyHistory.none
        if var state {
            state.noteOrigin(readings, at: now)
            history = CopyHistory(periods: state.originPeriods)
        }
        let defaults = configuration?.defaults ?? DomainDefaults()
        let verdict = Verdict(
            of: readings, history: history, staleAfter: watched?.staleAfter ?? defaults.staleAfter,
            certificateWarning: watched?.certificateWarning ?? defaults.certificateWarning,
            expectations: (watched?.expect ?? Expectations()).adding(expectations), now: now)
        return CheckReport(
            observation: observation, readings: readings, verdict: verdict, cdnURL: probe.cdnURL(of: target.domain))
    }

    func shutdown() async { await driver.shutdown() }

    func close() { try? store?.close() }
}
