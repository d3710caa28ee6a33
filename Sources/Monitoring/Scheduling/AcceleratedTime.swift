// The clock of demonstrations: a day passes while the user watches.

import Foundation
import Synchronization

/// Time that runs faster by a factor and stops while work is running. So every event gets the time at which it was due,
/// even on a busy machine. The wall clock equals the steady clock.
package final class AcceleratedTime: MonitorClock {
    private struct Sleeper {
        let end: Date
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Date
        var sleepers: [UInt64: Sleeper] = [:]
        var begun: UInt64 = 0
    }

    private let factor: Double
    private let externalDue: @Sendable () -> Date
    private let state: Mutex<State>

    /// The pause between two checks whether running work has ended.
    private static let pollInterval: Duration = .milliseconds(1)
    /// The pause between two steps while no work is running.
    private static let step: Duration = .milliseconds(5)
    /// Time lost while work was running is caught up, at most this much of the machine's time.
    private static let arrears: Duration = .milliseconds(500)

    /// - Parameters:
    ///   - factor: the maximum seconds of this clock in one second of the machine; at least 0.001.
    ///   - anchor: the initial time.
    ///   - externalDue: like `due` of `pass`, for work outside the daemon.
    package init(
        factor: Double, anchor: Date = Date(), externalDue: @escaping @Sendable () -> Date = { .distantFuture }
    ) {
        self.factor = max(0.001, factor)
        self.externalDue = externalDue
        state = Mutex(State(now: anchor))
    }

    /// 30 seconds of a real monitor become two hours.
    package var intervalFactor: Double { 240 }

    package func now() -> Date { state.withLock(\.now) }

    package func sleep(for duration: Duration) async throws {
        try await sleep(until: now() + duration / .seconds(1))
    }

    package func sleep(until end: Date) async throws {
        let id = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // If the task was cancelled before, the handler found no sleeper to wake.
                    if end <= state.now || Task.isCancelled { return true }
                    state.sleepers[id] = Sleeper(end: end, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    /// Advances time until the task is cancelled: from each wakeup or due time to the next one, at most as fast as
    /// `factor`.
    /// - Parameter due: the time of the next work. If it is not after `now()`, work is running.
    package func pass(due: @Sendable () async -> Date) async {
        var origin = (machine: ContinuousClock.now, time: now())
        while !Task.isCancelled {
            // In this order: the daemon sends first, then `externalDue` asks what waits for it.
            let next = min(await due(), externalDue())
            let (now, machine) = (now(), ContinuousClock.now)
            guard next > now else {
                try? await Task.sleep(for: Self.pollInterval)
                continue
            }
            var shown = origin.time + origin.machine.duration(to: machine) / .seconds(1) * factor
            let furthest = now + Self.arrears / .seconds(1) * factor
            if shown > furthest {
                shown = furthest
                origin = (machine, furthest)
            }
            if shown > now { advance(to: min(next, shown)) }
            if shown < next { try? await Task.sleep(for: Self.step) }
        }
    }

    /// Advances to a time, or to the first sleeper before it.
    private func advance(to instant: Date) {
        let woken = state.withLock { state in
            state.now = min(instant, state.sleepers.values.map(\.end).min() ?? instant)
            let over = state.sleepers.filter { $0.value.end <= state.now }
            for id in over.keys { state.sleepers[id] = nil }
            return over.values
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
