import Dispatch
import Evidence
import Foundation
import Glibc
import Monitoring
import Probing

/// The watch of one domain, from the first look at its origin to the end.
struct DomainWatch: Sendable {
    let domain: Domain
    let probe: DomainProbe
    let output: any WatchOutput
    let begin: Date
    /// Between two looks.
    let every: Duration
    /// For the whole watch.
    let limit: Duration

    /// How it ended.
    enum End: Sendable {
        /// Every edge serves the file, or time was up, or it was cancelled.
        case watched(WatchEvent)
        /// The origin has no file to wait for.
        case nothing(NothingToWaitFor)
        /// The origin did not answer in time.
        case silentOrigin
        /// Cancelled before the origin answered.
        case interrupted

        var isInSync: Bool {
            if case .watched(let event) = self { event.kind == .inSync } else { false }
        }

        var isInterrupted: Bool {
            switch self {
            case .watched(let event): event.kind == .interrupted
            case .interrupted: true
            case .nothing, .silentOrigin: false
            }
        }
    }

    func run() async -> End {
        output.start(WatchStart(at: begin, every: every, limit: limit))
        let probe = WatchProbe(probe: probe, domain: domain)
        switch try? await Self.within(limit, { try await probe.goal(at: begin, within: limit) }) {
        case .file(let goal): return .watched(await loop(probe).run(goal: goal, begin: begin))
        case .nothing(let nothing):
            output.tell(nothing)
            return .nothing(nothing)
        case nil where Task.isCancelled: return .interrupted
        case nil:
            output.tellSilentOrigin()
            return .silentOrigin
        }
    }

    private func loop(_ probe: WatchProbe) -> WatchLoop {
        WatchLoop(
            time: SystemTime(), every: every, limit: limit,
            origin: { left in try await Self.within(left) { try await probe.origin(within: left) } },
            edges: { left, slow, tell in
                try await Self.within(left) { try await probe.edges(but: slow, within: left, tell: tell) } != nil
            },
            edge: { left, address in try await Self.within(left) { try await probe.edge(address, within: left) } },
            tell: { output.tell($0, $1) })
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

/// Watches of several domains, side by side.
struct WatchGroup: Sendable {
    let watches: [DomainWatch]

    /// Runs them until the last has ended, or a signal ends all.
    /// - Returns: how each ended, in the order of `watches`.
    func run() async -> [DomainWatch.End] {
        let interrupts = Interrupts()
        defer { interrupts.end() }
        let signals = interrupts.signals
        var ends = [DomainWatch.End](repeating: .interrupted, count: watches.count)
        await withTaskGroup(of: (index: Int, end: DomainWatch.End)?.self) { group in
            for (index, watch) in watches.enumerated() {
                group.addTask { (index, await watch.run()) }
            }
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            var left = watches.count
            for await result in group {
                if let result {
                    ends[result.index] = result.end
                    left -= 1
                }
                // A signal ends the watches, and the last watch ends the wait for a signal. An interrupted watch still
                // has the last word.
                if result == nil || left == 0 { group.cancelAll() }
            }
        }
        return ends
    }

    /// Of several domains: how many are in sync, and which are not.
    func summary(of ends: [DomainWatch.End]) -> String {
        let missing = zip(watches, ends).filter { !$1.isInSync }
        let start = "\(ends.count - missing.count) of \(ends.count) domains in sync"
        guard !missing.isEmpty else { return start }
        return "\(start); not in sync: "
            + missing.map { "\($0.domain) (\(Self.words(for: $1)))" }.joined(separator: ", ")
    }

    private static func words(for end: DomainWatch.End) -> String {
        switch end {
        case .watched(let event):
            event.edges == 0 ? "no edge was asked" : WatchWording.count(event.inSync, of: event.edges)
        case .nothing(let nothing): nothing.brief
        case .silentOrigin: "the origin did not answer"
        case .interrupted: "the origin was not read yet"
        }
    }
}

/// Ctrl-C, and the signal that ends a service: while it lives, SIGINT and SIGTERM do not end the process by themselves.
struct Interrupts {
    /// The signals as they come.
    let signals: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
    }

    /// A later signal ends the process again.
    func end() {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
