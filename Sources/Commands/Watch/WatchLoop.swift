// Looks again and again until every edge serves the goal, or time is up. What it looks with, and the clock, are given.

import Evidence
import Facts
import Foundation
import Monitoring
import Probing

struct WatchLoop: Sendable {
    let time: any MonitorClock
    /// Between two looks.
    let every: Duration
    /// For the whole watch, from `begin` on.
    let limit: Duration
    /// Looks at the origin within the time given; nil where that was not enough. Throws `CancellationError` only, as does
    /// `edges`.
    let origin: @Sendable (Duration) async throws -> OriginAnswer?
    /// Looks at every edge within the time given and tells each answer as it comes; false where that was not enough.
    let edges: @Sendable (Duration, @escaping @Sendable (EdgeLook) -> Void) async throws -> Bool
    let tell: @Sendable ([WatchEvent], PropagationWatch) -> Void

    /// - Returns: its end: `inSync`, `timeLimit`, or `interrupted` where its task was cancelled.
    func run(goal: WatchGoal, begin: Date) async -> WatchEvent {
        var watch = PropagationWatch(goal: goal, begin: begin)
        tell([watch.opening(at: time.now())], watch)
        let end: WatchEvent.Kind
        do {
            end = try await wait(&watch)
        } catch {
            end = .interrupted
        }
        let event = watch.end(end, at: time.now())
        tell([event], watch)
        return event
    }

    private func wait(_ watch: inout PropagationWatch) async throws -> WatchEvent.Kind {
        while true {
            guard try await look(&watch) else { return .timeLimit }
            if watch.wantsOrigin {
                guard let fetched = try await origin(left(watch)) else { return .timeLimit }
                tell(watch.onOrigin(fetched, at: time.now()), watch)
                if watch.isComplete { return .inSync }
            }
            let left = left(watch)
            guard left > .zero else { return .timeLimit }
            try await time.sleep(for: min(every, left))
            guard self.left(watch) > .zero else { return .timeLimit }
        }
    }

    /// One look at every edge. It reports each answer that came before time was up.
    private func look(_ watch: inout PropagationWatch) async throws -> Bool {
        let left = left(watch)
        let (news, feed) = AsyncStream.makeStream(of: EdgeLook.self)
        async let isWhole = {
            defer { feed.finish() }
            return try await edges(left) { feed.yield($0) }
        }()
        for await piece in news {
            switch piece {
            case .asking(let addresses): watch.onResult(at: addresses)
            case .seen(let fetched): tell(watch.on(fetched, at: time.now()), watch)
            }
        }
        guard try await isWhole else { return false }
        tell(watch.onRoundEnd(at: time.now()), watch)
        return true
    }

    private func left(_ watch: PropagationWatch) -> Duration {
        limit - .milliseconds(Int64(time.now().timeIntervalSince(watch.begin) * 1000))
    }
}

/// A step of a look at all edges.
enum EdgeLook: Sendable {
    /// What is asked now; none where the addresses are not known here.
    case asking([String])
    case seen(EdgeAnswer)
}

/// The watch of one domain, from the first look at its origin to the end.
struct DomainWatch: Sendable {
    let domain: Domain
    let probe: DomainProbe
    let output: WatchOutput
    let begin: Date
    /// Between two looks.
    let every: Duration
    /// For the whole watch.
    let limit: Duration

    /// - Returns: the last word.
    func run() async -> WatchEvent {
        output.tell([WatchEvent(kind: .started, at: begin, elapsed: 0)], nil)
        guard let (fetched, readings) = try? await Self.within(limit, { try await look(within: limit) }) else {
            return end(Task.isCancelled ? .interrupted : .silentOrigin)
        }
        guard case .file(let goal) = fetched else {
            let verdict = Verdict(of: readings, checks: CheckSettings(certificateWarning: .zero), now: begin)
            let isAbsent = readings.absence != nil
            let event = WatchEvent(
                kind: .nothingToWaitFor, at: begin, elapsed: 0,
                detail: isAbsent ? "the origin has no file" : "the origin's file cannot be read",
                isFileAbsent: isAbsent,
                findings: verdict.findings.filter { $0.severity == .error }.map { $0.text(at: begin) })
            output.tell([event], nil)
            return event
        }
        return await loop.run(goal: goal, begin: begin)
    }

    private func end(_ kind: WatchEvent.Kind) -> WatchEvent {
        let event = WatchEvent(kind: kind, at: begin, elapsed: 0)
        if kind != .interrupted { output.tell([event], nil) }
        return event
    }

    private var loop: WatchLoop {
        WatchLoop(
            time: SystemTime(), every: every, limit: limit,
            origin: { left in try await Self.within(left) { try await look(within: left).0 } },
            edges: { left, tell in
                try await Self.within(left) {
                    try await probe.edges(of: domain, timeout: left) { news in
                        switch news {
                        case .asking(let addresses): tell(.asking(addresses))
                        case .seen(let result, let contents): tell(.seen(EdgeAnswer(result, contents: contents)))
                        }
                    }
                } != nil
            },
            tell: { output.tell($0, $1) })
    }

    /// What the origin serves now. `left`: no request takes longer.
    private func look(within left: Duration) async throws -> (OriginAnswer, Readings) {
        let (retrieval, body) = try await probe.original(of: domain, timeout: left)
        var contents: [ContentHash: Data] = [:]
        if let hash = retrieval.answer?.body.hash { contents[hash] = body }
        let readings = Readings(
            Observation(
                domain: domain, checkedAt: begin, origin: retrieval, cdn: .notAsked(.originHasNoFile),
                contents: contents))
        return (OriginAnswer(retrieval, readings), readings)
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

extension OriginAnswer {
    fileprivate init(_ retrieval: Retrieval, _ readings: Readings) {
        if let file = readings.originFile, file.namesService, let meaning = file.meaning {
            self = .file(WatchGoal(meaning: meaning, content: file.hash, bytes: file.byteCount))
            return
        }
        switch retrieval.outcome {
        case .failed(let failure): self = .broken(failure.detail.displayable.shortened(to: 160))
        case .answered(let answer):
            self = .broken(answer.status == 200 ? "its answer is no file" : "status \(answer.status)")
        }
    }
}
