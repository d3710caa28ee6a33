// Looks again and again until every edge serves the goal, or time is up. What it looks with, and the clock, are given.

import Evidence
import Foundation
import Monitoring
import Synchronization

struct WatchLoop: Sendable {
    let time: any MonitorClock
    /// Between two looks.
    let every: Duration
    /// For the whole watch, from `begin` on.
    let limit: Duration
    /// Looks at the origin within the time given; nil where that was not enough. Throws `CancellationError` only, as does
    /// `edges`.
    let origin: @Sendable (Duration) async throws -> OriginAnswer?
    /// Looks at every edge but some within the time given and tells each answer as it comes; false where that was not
    /// enough.
    let edges: @Sendable (Duration, Set<String>, @escaping @Sendable (EdgeResults) -> Void) async throws -> Bool
    /// Looks at one edge within the time given, while others are looked at; nil where that was not enough.
    var edge: @Sendable (Duration, String) async throws -> EdgeAnswer? = { _, _ in nil }
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
        let slow = SlowEdges()
        return try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            return try await wait(&watch, slow) { left, address in
                group.addTask { slow.end(address, try? await edge(left, address) ?? nil) }
            }
        }
    }

    /// `ask`: asks one edge beside all else.
    private func wait(
        _ watch: inout PropagationWatch, _ slow: SlowEdges, ask: (Duration, String) -> Void
    ) async throws -> WatchEvent.Kind {
        while true {
            guard try await round(&watch, slow) else { return .timeLimit }
            for address in watch.slow.sorted() where slow.begin(address) { ask(left(watch), address) }
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

    /// One look at every edge, and what came of the slow ones since the last. What came before time was up has been told.
    private func round(_ watch: inout PropagationWatch, _ slow: SlowEdges) async throws -> Bool {
        for fetched in slow.fetch() { tell(watch.on(fetched, at: time.now()), watch) }
        let left = left(watch)
        let others = watch.slow
        let (news, feed) = AsyncStream.makeStream(of: EdgeResults.self)
        async let isWhole = {
            defer { feed.finish() }
            return try await edges(left, others) { feed.yield($0) }
        }()
        for await piece in news {
            switch piece {
            case .asking(let addresses): watch.onResult(at: addresses)
            case .seen(let fetched): tell(watch.on(fetched, at: time.now()), watch)
            case .slow(let address): watch.onSlow(address)
            }
        }
        for fetched in slow.fetch() { tell(watch.on(fetched, at: time.now()), watch) }
        guard try await isWhole else { return false }
        tell(watch.onRoundEnd(at: time.now()), watch)
        return true
    }

    private func left(_ watch: PropagationWatch) -> Duration {
        limit - .milliseconds(Int64(time.now().timeIntervalSince(watch.begin) * 1000))
    }
}

/// Edges that take longer than the others are made to wait: each is asked by itself, once at a time, and what came of it is
/// fetched when the watch gets round to it.
final class SlowEdges: Sendable {
    private struct State {
        var asked: Set<String> = []
        var fetches: [EdgeAnswer] = []
    }

    private let state = Mutex(State())

    /// Whether to ask that edge now: it is not being asked.
    func begin(_ address: String) -> Bool { state.withLock { $0.asked.insert(address).inserted } }

    /// `fetched`: nil where there was no time for an answer.
    func end(_ address: String, _ fetched: EdgeAnswer?) {
        state.withLock { state in
            state.asked.remove(address)
            if let fetched { state.fetches.append(fetched) }
        }
    }

    /// What came since the last call.
    func fetch() -> [EdgeAnswer] {
        state.withLock { state in
            defer { state.fetches = [] }
            return state.fetches
        }
    }
}
