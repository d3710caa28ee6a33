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
        abstract: "Check domains once: the origin's file, Apple's copy of it, and how they compare.",
        discussion: """
            A TARGET is a domain, a URL of it, or an entitlement such as applinks:example.com?mode=developer. @FILE and - \
            read targets from a file or from standard input, one a line.

            A single check has no history. If the copies differ, a recent Last-Modified of the origin, or the store that \
            --config names, says since when.
            """)

    @Argument(help: ArgumentHelp("What to check.", valueName: "target"))
    var targets: [String]

    @Option(help: "text, json (an array for several targets) or jsonl (one object a line).")
    var format = Format.text

    @Option(
        help: ArgumentHelp(
            "light: one request to the origin and one to the CDN. full: each address, each edge, Apple's user agents, the root copy, vantages and pages too.",
            valueName: "light|full"))
    var depth = Depth.full

    @Flag(help: "Exit with 1 at warnings too.")
    var strict = false

    @Flag(
        name: .customLong("ask-cdn"),
        help: "Ask Apple's CDN even where the origin has no file yet; Apple then remembers the failure.")
    var asksCDN = false

    @OptionGroup var expectations: ExpectationOptions
    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, jsonl }

    /// Targets under way at once; further ones wait.
    private static let maximumConcurrent = 32

    func run() async throws {
        try network.connections.checkFiles()
        let targets = try Targets.read(targets)
        let file = try configuration.loadIfPresent()
        let checker = try OneShotChecker(
            connections: network.connections, timeout: network.timeout, asksCDN: asksCDN, configuration: file,
            expectations: expectations.read(for: targets.map(\.domain)))
        defer { checker.close() }
        let progress = Progress(total: targets.count)
        var output = ReportOutput(format: format, isSingle: targets.count == 1)
        var worst = Severity?.none
        let depth = depth
        do {
            try await OrderedWork.run(targets, maximumConcurrent: Self.maximumConcurrent) { target in
                let report = try await checker.check(target, depth: depth)
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

extension Depth: ExpressibleByArgument {}
