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
            read targets from a file or from standard input, one a line. Without a target all domains of the configuration \
            are checked.

            A single check has no history. If the copies differ, a recent Last-Modified of the origin, or the store that \
            --config names, says since when.
            """)

    @Argument(
        help: ArgumentHelp("What to check (default: the domains of the configuration).", valueName: "target"),
        completion: DomainCompletion.kind)
    var targets: [String] = []

    @Option(
        help: ArgumentHelp(
            "text, json (an array for several targets), jsonl (one object a line), markdown, github (workflow annotations) or nagios (plugin output, exit codes 0 to 3).",
            valueName: "format"))
    var format = Format.text

    @Option(
        help: ArgumentHelp(
            "light: one request to the origin and one to the CDN. full: each address, each edge, Apple's user agents, the root copy, vantages and pages too.",
            valueName: "light|full"))
    var depth = Depth.full

    @Flag(help: "Exit with 1 at warnings too.")
    var strict = false

    @Flag(help: "Show only the targets that decide the exit code.")
    var failing = false

    @Flag(name: [.short, .long], help: "Show nothing; the exit code tells.")
    var quiet = false

    @Flag(
        name: .customLong("ask-cdn"),
        help: "Ask Apple's CDN even where the origin has no file yet; Apple then remembers the failure.")
    var asksCDN = false

    @OptionGroup var expectations: ExpectationOptions
    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, jsonl, markdown, github, nagios }

    /// Targets under way at once; further ones wait.
    private static let maximumConcurrent = 32

    func run() async throws {
        do {
            try await check()
        } catch let failure as CommandFailure where format == .nagios {
            // A plugin says on standard output why it knows nothing.
            if !quiet { Console.print(PluginOutput.unknown(failure.message)) }
            throw ExitCode(PluginOutput.Status.unknown.rawValue)
        }
    }

    private func check() async throws {
        try network.connections.checkFiles()
        let file = try configuration.loadIfPresent()
        let targets = try chosen(file)
        let checker = try OneShotChecker(
            connections: network.connections, timeout: network.timeout, asksCDN: asksCDN, targets: targets.count,
            configuration: file,
            expectations: expectations.read(for: targets.map(\.domain)))
        let progress = Progress(total: targets.count, isQuiet: quiet)
        var output = ReportOutput(format: format, isSingle: !self.targets.isEmpty && targets.count == 1)
        var isFound = false
        let (depth, limit) = (depth, strict ? Severity.warning : .error)
        try await checker.close(after: {
            try await OrderedWork.run(targets, maximumConcurrent: Self.maximumConcurrent) { target in
                let report = try await checker.check(target, depth: depth)
                progress.advance()
                return report
            } each: { report in
                progress.clear()
                let isBad = report.verdict.findings.contains { $0.severity >= limit }
                isFound = isFound || isBad
                // A plugin's exit code is made of all of them.
                if !quiet || format == .nagios { output.add(report, isShown: isBad || !failing || format == .nagios) }
            }
        })
        progress.clear()
        if !quiet { output.finish() }
        if format == .nagios { throw ExitCode(output.pluginStatus.rawValue) }
        if isFound { throw MonitorExit.found.code }
    }

    private func chosen(_ file: ConfigurationFile?) throws -> [Target] {
        guard targets.isEmpty else { return try Targets.read(targets) }
        guard let file else {
            throw CommandFailure(
                .usage, "there is no target and no configuration; name a domain, such as example.com, or --config FILE")
        }
        return file.domains.map { Target(domain: $0.domain, mode: $0.mode) }
    }
}

extension Depth: ExpressibleByArgument {}
