// The clock of demonstrations: a day of staleness passes while somebody watches.

import Foundation
import Synchronization

/// Time that runs faster by a factor, and stands still while something is under way. So all that happens has its instant from
/// what was due, and none from how long a busy machine took for it. Its wall clock is the steady one.
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
    private let dueBesides: @Sendable () -> Date
    private let state: Mutex<State>

    /// Between two questions whether what is under way has ended.
    private static let look: Duration = .milliseconds(1)
    /// Between two steps where nothing is under way.
    private static let step: Duration = .milliseconds(5)
    /// What was lost while something was under way is made up for, up to this much of the machine's time.
    private static let arrears: Duration = .milliseconds(500)

    /// - Parameters:
    ///   - factor: seconds of this clock to one second of the machine, at most; at least 0.001.
    ///   - anchor: where it begins.
    ///   - dueBesides: as `due` of `pass`, for what happens outside of the daemon.
    package init(
        factor: Double, anchor: Date = Date(), dueBesides: @escaping @Sendable () -> Date = { .distantFuture }
    ) {
        self.factor = max(0.001, factor)
        self.dueBesides = dueBesides
        state = Mutex(State(now: anchor))
    }

    /// At 30 seconds of a monitor in service, two hours.
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
                    // The cancellation may have come before: its handler then found nobody to wake.
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

    /// Lets time pass until the task is cancelled: from one instant at which somebody wakes or something is due to the next, no
    /// faster than by the factor.
    /// - Parameter due: when there is next something to do; an instant that is not after `now()`: it is under way.
    package func pass(due: @Sendable () async -> Date) async {
        var origin = (machine: ContinuousClock.now, time: now())
        while !Task.isCancelled {
            // In this order: what the daemon sent is there before what waits for it is asked.
            let next = min(await due(), dueBesides())
            let (now, machine) = (now(), ContinuousClock.now)
            guard next > now else {
                try? await Task.sleep(for: Self.look)
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

    /// Goes on to an instant, but past nobody who wakes before it.
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
