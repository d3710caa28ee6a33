// A driver of which several parts make use, and in whose place another one can come while they do.

import Alerting
import Curl
import Synchronization

/// Lends the present driver. One that was replaced ends once nobody uses it any more.
final class SharedDriver: Sendable {
    private struct State {
        var driver: CurlDriver
        var revision = 0
        /// Users by the revision of their driver.
        var users: [Int: Int] = [:]
    }

    private let state: Mutex<State>
    private let returns = Wakeup()

    init(_ driver: CurlDriver) { state = Mutex(State(driver: driver)) }

    /// For those who end before it is replaced.
    var present: CurlDriver { state.withLock(\.driver) }

    func use<Result>(_ body: (CurlDriver) async throws -> Result) async rethrows -> Result {
        let (driver, revision) = state.withLock { state in
            state.users[state.revision, default: 0] += 1
            return (state.driver, state.revision)
        }
        defer {
            state.withLock { state in
                let left = (state.users[revision] ?? 1) - 1
                state.users[revision] = left > 0 ? left : nil
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
                state.revision += 1
            }
            return (state.driver, state.revision)
        }
        while !Task.isCancelled {
            let revision = returns.revision
            if state.withLock({ $0.users[used] == nil }) { break }
            await returns.wait(past: revision)
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
