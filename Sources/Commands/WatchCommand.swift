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
            Reads the origin's file, then asks every edge again and again until each serves a file with the same \
            meaning. A newer deploy moves the goal. Exit codes: 0 every edge serves it, 1 the time limit is reached or \
            an origin has no file to wait for, 130 interrupted.

            The watch does not wait for an edge that gave no answer at all in its first three probes, as on a machine \
            without IPv6: when every other edge serves the file, the watch ends with 0 and names it. It waits for every \
            edge that has ever answered, even with an error. If no edge answers, it waits for all.

            On a terminal one block is redrawn; elsewhere each event is a line. With the configuration of a daemon it also \
            shows how long the CDN took for earlier changes.

            @FILE and - read targets from a file or from standard input, one per line. Up to \(maximumTargets) domains \
            are watched at the same time, until all are in sync. At the time limit, the domains that are not are \
            listed.
            """)

    @Argument(
        help: ArgumentHelp("Domains, their URLs, or entitlements; @FILE and - read a list.", valueName: "target"),
        completion: .domains)
    var targets: [String]

    @Option(
        help: .init(
            "Between two probes: seconds, or a duration such as 2m; at least 1s (default: 30s).", valueName: "time"),
        transform: TimeSpan.reading(.seconds(1)...(.seconds(86_400))))
    var every = TimeSpan(.seconds(30))

    @Option(
        .text, .jsonl, .github, notes: [.jsonl: "one object per event", .github: "the end as a workflow annotation"])
    var format: OutputFormat

    @OptionGroup var color: ColorOption
    @OptionGroup var network: NetworkOptions<LimitOfWholeWatch>

    /// Each domain's watch asks every edge in each round.
    private static let maximumTargets = 100
    private static let defaultLimit = Duration.seconds(86_400)

    func run() async throws {
        Console.endWithReader()
        try network.checkFiles()
        let targets = try Targets.read(targets)
        guard targets.count <= Self.maximumTargets else {
            throw CommandFailure(
                .usage, "watch takes up to \(Self.maximumTargets) domains at once, not \(targets.count)")
        }
        let file = try network.configuration.loadIfPresent()
        let checker = try OneShotChecker(
            network: network, asksCDN: true, asksEdges: true, targets: targets.count,
            configuration: file)
        let ends = try await checker.close(after: {
            if let target = targets.first(where: { !checker.mode(of: $0).readsCDN }) {
                throw CommandFailure(
                    .usage,
                    "devices in \(checker.mode(of: target).rawValue) mode read the origin of \(target.domain) directly, so "
                        + "there is nothing to wait for; watch is for production, where they read Apple's CDN")
            }
            return try await watch(targets.map(\.domain), with: checker)
        })
        if ends.contains(where: { $0.kind == .interrupted }) { throw MonitorExit.interrupted.code }
        guard ends.allSatisfy({ $0.kind == .inSync }) else { throw MonitorExit.found.code }
    }

    /// Watches domains at the same time until the last has ended; Ctrl-C, SIGTERM or the time limit end all.
    /// - Returns: how each ended, in their order.
    private func watch(_ domains: [Domain], with checker: OneShotChecker) async throws -> [WatchEvent] {
        var subjects: [(Domain, UsualTime?)] = []
        for domain in domains { subjects.append((domain, await checker.usualTime(of: domain))) }
        let limit = network.maxTime?.duration ?? Self.defaultLimit
        let (every, probe, time) = (every.duration, checker.probe, SystemTime())
        let (begin, rows) = (time.now(), format == .text ? TerminalSize.standardOutput?.rows : nil)
        let output = WatchOutput(format: format, subjects: subjects, every: every, limit: limit, height: rows)
        let watches = Task {
            var ends: [WatchEvent] = []
            try await OrderedWork.run(Array(domains.enumerated()), maximumConcurrent: domains.count) { index, domain in
                let loop = WatchLoop(
                    time: time, begin: begin, every: every, limit: limit,
                    origin: {
                        let (seen, body) = try await probe.original(of: domain)
                        let contents = seen.answer?.body.hash.flatMap { hash in body.map { [hash: $0] } } ?? [:]
                        let cdn = CDNResult.notAsked(.originHasNoFile)
                        return Observation(
                            domain: domain, checkedAt: Date(), origin: seen, cdn: cdn, contents: contents)
                    },
                    edges: { try await probe.edges(of: domain, tell: $0) }, tell: { output.tell($0, of: index) })
                return await loop.run()
            } each: {
                ends.append($0)
            }
            output.finish(ends)
            return ends
        }
        // A little later: each watch first notices its own time limit.
        let timer = Task {
            try await Task.sleep(for: limit + .milliseconds(200))
            watches.cancel()
        }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { watches.cancel() }
            source.resume()
            return source
        }
        defer {
            timer.cancel()
            sources.forEach { $0.cancel() }
            // A later signal ends the process again.
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        }
        return try await watches.value
    }
}
