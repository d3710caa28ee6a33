import Synchronization

/// Edges that take longer than the others are made to wait: each is asked by itself, once at a time, and what came of it is
/// fetched when the watch gets round to it.
final class SlowEdges: Sendable {
    private struct State {
        var asked: Set<String> = []
        var sights: [EdgeSight] = []
    }

    private let state = Mutex(State())

    /// Whether to ask that edge now: it is not being asked.
    func begin(_ address: String) -> Bool { state.withLock { $0.asked.insert(address).inserted } }

    /// `sight`: nil where there was no time for an answer.
    func end(_ address: String, _ sight: EdgeSight?) {
        state.withLock { state in
            state.asked.remove(address)
            if let sight { state.sights.append(sight) }
        }
    }

    /// What came since the last call.
    func fetch() -> [EdgeSight] {
        state.withLock { state in
            defer { state.sights = [] }
            return state.sights
        }
    }
}
