import ArgumentParser
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Probing

/// `aasa-monitor watch TARGET...`: waits until Apple's CDN serves what the origin serves now.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Wait until every edge of Apple's CDN serves what the origin serves now; for use after a deploy.",
        discussion: """
            Reads the origin's file, then asks every edge again and again until each serves that file, in meaning. A newer \
            deploy moves the goal. Exit codes: 0 every edge serves it, 1 the time limit is reached or an origin has no \
            file to wait for, 130 interrupted.

            The watch does not wait for an edge that gave no answer at all in its first three probes, as on a machine \
            without IPv6: when every other edge serves the file, the watch ends with 0 and names it. It waits for every \
            edge that has ever answered, even with an error. If no edge answers, it waits for all.

            On a terminal one block is redrawn; elsewhere each event is a line. With the configuration of a daemon it also \
            shows how long the CDN took for earlier changes.

            @FILE and - read targets from a file or from standard input, one a line. Several domains are watched side by \
            side, up to \(maximumTargets), until all are in sync. At the time limit those that are not are named.
            """)

    @Argument(
        help: ArgumentHelp("Domains, URLs of them, or entitlements; @FILE and - read a list.", valueName: "target"),
        completion: .domains)
    var targets: [String]

    @Option(
        help: ArgumentHelp(
            "Between two probes: seconds, or a duration such as 2m; at least 1s (default: 30s).", valueName: "time"),
        transform: TimeSpan.reading(.seconds(1)...(.seconds(86_400))))
    var every = TimeSpan(.seconds(30))

    @Option(
        name: .customLong("max-time"),
        help: ArgumentHelp(
            "Time limit for the whole watch: seconds, or a duration such as 1h. Single requests take 10 seconds at most, "
                + "and never more than is left (default: 1d).",
            valueName: "time"),
        // Up to a year, so that nobody who means "for ever" meets an odd limit.
        transform: TimeSpan.reading(.milliseconds(1)...(.seconds(365 * 86_400))))
    var maxTime = TimeSpan(.seconds(86_400))

    @Option(help: "text, jsonl (one object an event) or github (the end as a workflow annotation).")
    var format = Format.text

    @OptionGroup var color: ColorOption
    @OptionGroup var connections: ConnectionOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, jsonl, github }

    private static let longestRequest: Duration = .seconds(10)
    /// Each asks every edge at each look.
    private static let maximumTargets = 100

    func run() async throws {
        Console.endWithReader()
        try connections.checkFiles()
        let targets = try Targets.read(targets)
        guard targets.count <= Self.maximumTargets else {
            throw CommandFailure(
                .usage, "watch takes up to \(Self.maximumTargets) domains at once, not \(targets.count)")
        }
        let file = try configuration.loadIfPresent()
        let checker = try OneShotChecker(
            connections: connections, timeout: min(Self.longestRequest, file?.defaults.timeout ?? Self.longestRequest),
            asksCDN: true, asksEdges: true, targets: targets.count, configuration: file)
        let ends = try await checker.close(after: {
            for target in targets { try Self.checkMode(checker.mode(of: target), of: target.domain) }
            return await watch(targets.map(\.domain), with: checker)
        })
        if ends.contains(where: { $0.kind == .interrupted }) { throw MonitorExit.interrupted.code }
        guard ends.allSatisfy({ $0.kind == .inSync }) else { throw MonitorExit.found.code }
    }

    private static func checkMode(_ mode: AssociationMode, of domain: Domain) throws {
        guard !mode.readsCDN else { return }
        throw CommandFailure(
            .usage,
            "devices in \(mode.rawValue) mode read the origin of \(domain) themselves, so there is nothing to wait for; "
                + "watch is for production, where they read Apple's CDN")
    }

    private func watch(_ domains: [Domain], with checker: OneShotChecker) async -> [WatchEvent] {
        let begin = Date()
        let board = board(of: domains)
        var watches: [DomainWatch] = []
        for (index, domain) in domains.enumerated() {
            let wording = WatchWording(
                domain: domain, usual: await checker.usualTime(of: domain), every: every.duration,
                limit: maxTime.duration, isOneOfSeveral: domains.count > 1)
            let output = WatchOutput(wording: wording, format: format, board: board.map { ($0, index) })
            watches.append(
                DomainWatch(
                    domain: domain, probe: checker.probe, output: output, begin: begin, every: every.duration,
                    limit: maxTime.duration))
        }
        let group = WatchGroup(watches: watches)
        let ends = await group.run()
        guard format == .text, domains.count > 1 else { return ends }
        if board != nil {
            // Its lines have no room for the findings.
            for (watch, end) in zip(watches, ends) where end.kind == .nothingToWaitFor {
                Console.print("\n" + watch.output.report(end) + "\n")
            }
        }
        Console.print(group.summary(of: ends))
        return ends
    }

    /// nil for programs, and where standard output is no terminal.
    private func board(of domains: [Domain]) -> WatchBoard? {
        guard format == .text else { return nil }
        return TerminalSize.standardOutput.map { WatchBoard(domains: domains, style: .standardOutput, height: $0.rows) }
    }
}
