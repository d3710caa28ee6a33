// Limits of concurrency: a semaphore, a rate limiter, and work on many items.

import Synchronization

/// A semaphore; waiting tasks enter in order of arrival.
final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var line: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>

    /// - Parameter count: at least 1.
    init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

    /// Runs `body` in a slot.
    /// - Throws: `CancellationError`, or what `body` throws.
    func with<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let entered = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    // A cancellation that came earlier found nothing to remove from the line.
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.line.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            cancel(id)
        }
        guard entered else { throw CancellationError() }
    }

    private func cancel(_ id: UInt64) {
        let waiting = state.withLock { state in
            state.line.firstIndex { $0.id == id }.map { state.line.remove(at: $0).continuation }
        }
        waiting?.resume(returning: false)
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.line.isEmpty else {
                state.free += 1
                return nil
            }
            return state.line.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}

/// A rate limiter: at most so many turns in any second. A burst after a pause runs at once, so eight edges probed
/// together do not wait.
actor RateLimiter {
    private let window: Duration
    private let capacity: Int
    /// The times of the last `capacity` turns, past or future; the oldest is at `next`.
    private var turns: [ContinuousClock.Instant] = []
    private var next = 0

    /// - Parameter perSecond: turns per second, above 0; below 1 means one turn in 1 / `perSecond` seconds.
    init(perSecond: Double) {
        let rate = max(0.001, perSecond)
        capacity = min(100_000, max(1, Int(rate)))
        window = .seconds(Double(capacity) / rate)
    }

    /// Waits for the caller's turn, in the order of the calls.
    /// - Throws: `CancellationError`.
    func turn() async throws {
        let now = ContinuousClock.now
        var mine = now
        if turns.count < capacity {
            turns.append(mine)
        } else {
            mine = max(now, turns[next] + window)
            turns[next] = mine
            next = (next + 1) % capacity
        }
        if mine > now { try await Task.sleep(until: mine, clock: .continuous) }
    }
}

/// Works on all items concurrently and returns the results in the items' order. `limit`: how many at once, nil for all.
/// If `work` throws, that error is thrown and the rest is cancelled.
func together<Item: Sendable, Result: Sendable>(
    _ items: [Item], limit: Int? = nil, _ work: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var results: [Result?] = Array(repeating: nil, count: items.count)
        var waiting = items.enumerated().makeIterator()
        func startNext() {
            guard let (index, item) = waiting.next() else { return }
            group.addTask { (index, try await work(item)) }
        }
        for _ in 0..<min(items.count, limit ?? items.count) { startNext() }
        for try await (index, result) in group {
            results[index] = result
            startNext()
        }
        return results.compactMap(\.self)
    }
}
