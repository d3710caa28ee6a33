import ArgumentParser
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Probing

/// `aasa-monitor watch TARGET`: waits until Apple's CDN serves what the origin serves now.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Wait until every edge of Apple's CDN serves what the origin serves now; for use after a deploy.",
        discussion: """
            Reads the origin's file, then asks every edge again and again until each serves that file, in meaning. A newer \
            deploy moves the goal. Exit codes: 0 every edge serves it, 1 the time limit is reached or the origin has no \
            file to wait for, 130 interrupted.

            The watch does not wait for an edge that gave no answer at all in its first three probes, as on a machine \
            without IPv6: when every other edge serves the file, the watch ends with 0 and names it. It waits for every \
            edge that has ever answered, even with an error. If no edge answers, it waits for all.

            On a terminal one block is redrawn; elsewhere each event is a line. With the configuration of a daemon it also \
            shows how long the CDN took for earlier changes.
            """)

    @Argument(
        help: ArgumentHelp("A domain, a URL of it, or an entitlement.", valueName: "target"),
        completion: DomainCompletion.kind)
    var target: String

    @Option(
        help: ArgumentHelp("Between two probes: seconds, or a duration such as 2m; at least 1s.", valueName: "duration")
    )
    var every = "30s"

    @Option(
        name: .customLong("max-time"),
        help: ArgumentHelp(
            "Time limit for the whole watch (default: 86400, which is 24 h). Single requests take 10 seconds at most, and "
                + "never more than is left.",
            valueName: "seconds"))
    var maxTime: Double?

    @Option(help: "text, jsonl (one object an event) or github (the end as a workflow annotation).")
    var format = Format.text

    @OptionGroup var connections: ConnectionOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, jsonl, github }

    private static let longestRequest: Duration = .seconds(10)

    func validate() throws {
        // A year, so that nobody who means "for ever" meets an odd limit.
        if let maxTime, !(maxTime > 0 && maxTime <= 365 * 86_400) {
            throw ValidationError("--max-time takes seconds above 0 and up to a year, not \(maxTime)")
        }
        _ = try interval()
    }

    private func interval() throws -> Duration {
        let duration: Duration
        do {
            duration =
                if let seconds = Double(every), seconds.isFinite, abs(seconds) <= 86_400 {
                    .milliseconds(Int64(seconds * 1000))
                } else {
                    try parseDuration(every)
                }
        } catch {
            throw ValidationError("--every '\(every.displayable)': \(error)")
        }
        guard duration >= .seconds(1), duration <= .seconds(86_400) else {
            throw ValidationError("--every takes 1s to 24h, not \(every.displayable)")
        }
        return duration
    }

    func run() async throws {
        Console.endWithReader()
        try connections.checkFiles()
        let targets = try Targets.read([target])
        guard targets.count == 1, let target = targets.first else {
            throw CommandFailure(.usage, "watch waits for one target, not \(targets.count)")
        }
        let file = try configuration.loadIfPresent()
        let checker = try OneShotChecker(
            connections: connections, timeout: min(Self.longestRequest, file?.defaults.timeout ?? Self.longestRequest),
            asksCDN: true, asksEdges: true, configuration: file)
        defer { checker.close() }
        let mode = checker.mode(of: target)
        let end: WatchEvent.Kind?
        do {
            guard mode.readsCDN else {
                throw CommandFailure(
                    .usage,
                    "devices in \(mode.rawValue) mode read the origin of \(target.domain) themselves, so there is nothing "
                        + "to wait for; watch is for production, where they read Apple's CDN")
            }
            end = try await watch(target.domain, with: checker)
        } catch {
            await checker.shutdown()
            throw error
        }
        await checker.shutdown()
        switch end {
        case .inSync: return
        case .interrupted: throw MonitorExit.interrupted.code
        default: throw MonitorExit.found.code
        }
    }

    /// - Returns: how the watch ended; nil where there was nothing to wait for.
    private func watch(_ domain: Domain, with checker: OneShotChecker) async throws -> WatchEvent.Kind? {
        let time = SystemTime()
        let limit = maxTime.map { Duration.milliseconds(Int64($0 * 1000)) } ?? .seconds(86_400)
        let begin = time.now()
        let interrupts = Interrupts()
        defer { interrupts.end() }
        let signals = interrupts.signals
        let wording = WatchWording(domain: domain, usual: await checker.usualTime(of: domain))
        let output = output(wording)
        let probe = WatchProbe(probe: checker.probe, domain: domain)
        let every = try interval()
        let isText = format != .jsonl
        output.start(WatchStart(at: begin, every: every, limit: limit))
        return await withTaskGroup(of: Ended.self) { group in
            group.addTask {
                switch try? await Self.within(limit, { try await probe.goal(at: begin, within: limit) }) {
                case .file(let goal):
                    let loop = WatchLoop(
                        time: time, every: every, limit: limit,
                        origin: { left in try await Self.within(left) { try await probe.origin(within: left) } },
                        edges: { left, slow, tell in
                            try await Self.within(left) {
                                try await probe.edges(but: slow, within: left, tell: tell)
                            } != nil
                        },
                        edge: { left, address in
                            try await Self.within(left) { try await probe.edge(address, within: left) }
                        },
                        tell: { output.tell($0, $1) })
                    return .watch(await loop.run(goal: goal, begin: begin))
                case .nothing(let nothing):
                    Console.print(isText ? nothing.text(style: .standardOutput) : nothing.json.text(isPretty: false))
                    return .watch(nil)
                case nil where Task.isCancelled: return .watch(.interrupted)
                case nil:
                    Console.note("aasa-monitor: the origin of \(domain) gave no answer within --max-time")
                    return .watch(.timeLimit)
                }
            }
            group.addTask {
                for await _ in signals { break }
                return .signal
            }
            // Whichever ends first ends the other; an interrupted watch still has the last word.
            var result = WatchEvent.Kind?.none
            for await end in group {
                if case .watch(let kind) = end { result = kind }
                group.cancelAll()
            }
            return result
        }
    }

    private enum Ended: Sendable {
        case watch(WatchEvent.Kind?)
        case signal
    }

    private func output(_ wording: WatchWording) -> any WatchOutput {
        switch format {
        case .jsonl: return WatchObjects(wording: wording)
        case .github: return WatchAnnotations(wording: wording)
        case .text:
            guard let size = TerminalSize.standardOutput else { return WatchLines(wording: wording) }
            return WatchBlock(wording: wording, style: .standardOutput, height: size.rows)
        }
    }

    /// The work's result; nil where it took longer.
    private static func within<Result: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
