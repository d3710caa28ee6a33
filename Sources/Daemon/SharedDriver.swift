// A driver of which several parts make use, and in whose place another one can come while they do.

import Alerting
import Curl
import Synchronization

/// Lends the present driver. One that was replaced ends once nobody uses it any more.
final class SharedDriver: Sendable {
    private struct State {
        var driver: CurlDriver
        var generation = 0
        /// Users by the generation of their driver.
        var users: [Int: Int] = [:]
    }

    private let state: Mutex<State>
    private let returns = Wakeup()

    init(_ driver: CurlDriver) { state = Mutex(State(driver: driver)) }

    /// For those who end before it is replaced.
    var present: CurlDriver { state.withLock(\.driver) }

    func use<Result>(_ body: (CurlDriver) async throws -> Result) async rethrows -> Result {
        let (driver, generation) = state.withLock { state in
            state.users[state.generation, default: 0] += 1
            return (state.driver, state.generation)
        }
        defer {
            state.withLock { state in
                let left = (state.users[generation] ?? 1) - 1
                state.users[generation] = left > 0 ? left : nil
            }
            returns.signal()
        }
        return try await body(driver)
    }

    /// Lends another driver from now on; returns once the former one is unused and has ended. What is under way is not
    /// cut off: a message whose answer is lost goes out twice.
    func replace(with driver: CurlDriver) async {
        let (former, used) = state.withLock { state in
            defer {
                state.driver = driver
                state.generation += 1
            }
            return (state.driver, state.generation)
        }
        while !Task.isCancelled {
            let generation = returns.generation
            if state.withLock({ $0.users[used] == nil }) { break }
            await returns.wait(past: generation)
        }
        await former.shutdown()
    }

    /// Cuts off what is under way and ends the present driver.
    func shutdown() async { await present.shutdown() }
}

extension ReceiverTransport {
    /// Messages over whatever driver is the present one.
    init(shared: SharedDriver) { self.init { try await shared.use($0) } }
}
