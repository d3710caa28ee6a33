import Evidence
import Foundation
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
