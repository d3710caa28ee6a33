// A driver that several parts share, and that can be replaced while they use it.

import Alerting
import Curl
import Synchronization

/// Lends the current driver. A replaced one is shut down when its last user is done.
final class SharedDriver: Sendable {
    private struct State {
        var driver: CurlDriver
        var revision = 0
        /// The number of users by the revision of their driver.
        var users: [Int: Int] = [:]
    }

    private let state: Mutex<State>
    private let returns = Wakeup()

    init(_ driver: CurlDriver) { state = Mutex(State(driver: driver)) }

    /// Only for users that end before it is replaced.
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

    /// Lends another driver from now on. Returns when the old one is unused and shut down. Running requests continue: a
    /// message whose response is lost is sent twice.
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

    /// Cancels running requests and shuts down the current driver.
    func shutdown() async { await present.shutdown() }
}

extension ReceiverTransport {
    /// Sends messages with the current driver.
    init(shared: SharedDriver) { self.init { try await shared.use($0) } }
}
