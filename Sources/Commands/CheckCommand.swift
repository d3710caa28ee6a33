import ArgumentParser
import Curl
import Daemon
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Probing
import Storage

/// `aasa-monitor check TARGET...`: one look, one report a target, in the order given.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check domains once: the origin's file, Apple's copy of it, and how the two stand to each other.",
        discussion: """
            A TARGET is a domain, a URL of it, or an entitlement such as applinks:example.com?mode=developer. @FILE and - \
            read targets from a file or from standard input, one a line.

            A single check has no history. Where the copies differ it is told since when from the origin's Last-Modified, \
            or from the store that --config names.
            """)

    @Argument(help: ArgumentHelp("What to check.", valueName: "target"))
    var targets: [String]

    @Option(help: "text, json (an array for several targets) or jsonl (one object a line).")
    var format = Format.text

    @Flag(help: "Exit with 1 at warnings too.")
    var strict = false

    @Flag(
        name: .customLong("ask-cdn"),
        help: "Ask Apple's CDN even where the origin has no file yet; Apple then remembers the failure.")
    var asksCDN = false

    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, jsonl }

    /// Targets under way at once; further ones wait.
    private static let maximumConcurrent = 32

    func run() async throws {
        try network.checkFiles()
        let targets = try Targets.read(targets)
        let file = try configuration.loadIfPresent()
        let checker = try OneShotChecker(network: network, asksCDN: asksCDN, configuration: file)
        defer { checker.close() }
        let progress = Progress(total: targets.count)
        var output = ReportOutput(format: format, isSingle: targets.count == 1)
        var worst = Severity?.none
        do {
            try await OrderedWork.run(targets, maximumConcurrent: Self.maximumConcurrent) { target in
                let report = try await checker.check(target)
                progress.advance()
                return report
            } each: { report in
                progress.clear()
                output.add(report)
                worst = [worst, report.verdict.findings.first?.severity].compactMap(\.self).max()
            }
        } catch {
            await checker.shutdown()
            throw error
        }
        await checker.shutdown()
        progress.clear()
        output.finish()
        if let worst, worst >= (strict ? .warning : .error) { throw MonitorExit.found.code }
    }
}

/// Checks single targets with what the options and an optional configuration say.
struct OneShotChecker: Sendable {
    private let driver: CurlDriver
    private let probe: DomainProbe
    private let store: Store?
    private let configuration: ConfigurationFile?

    init(network: NetworkOptions, asksCDN: Bool, configuration: ConfigurationFile?) throws {
        self.configuration = configuration
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
            target.domain, mode: target.mode, hadFile: state.map { !$0.originPeriods.isEmpty } ?? false, now: started)
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
            certificateWarning: watched?.certificateWarning ?? defaults.certificateWarning, now: now)
        return CheckReport(
            observation: observation, readings: readings, verdict: verdict, cdnURL: probe.cdnURL(of: target.domain))
    }

    func shutdown() async { await driver.shutdown() }

    func close() { try? store?.close() }
}
