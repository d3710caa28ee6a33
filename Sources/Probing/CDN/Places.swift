// How many may be in one room at once.

import Synchronization

/// A bounded number of places; who comes late waits in line.
final class Places: Sendable {
    private struct State {
        var free: Int
        var line: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>

    /// - Parameter count: at least 1.
    init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

    /// Runs `body` in a place of its own.
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
                    if state.cancelled.remove(id) != nil { return false }
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
        // A cancel that came too late to matter must not be remembered for ever.
        state.withLock { _ = $0.cancelled.remove(id) }
        guard entered else { throw CancellationError() }
    }

    /// A cancel that overtakes its entry is remembered.
    private func cancel(_ id: UInt64) {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if let index = state.line.firstIndex(where: { $0.id == id }) {
                return state.line.remove(at: index).continuation
            }
            state.cancelled.insert(id)
            return nil
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
