// What the server may ask the monitor to do. It gets closures, and does not know how a check works.

import Evidence
import Foundation
import MonitorMetrics

package struct MonitorActions: Sendable {
    /// The result of a request for a check now.
    package enum CheckAnswer: Equatable, Sendable {
        /// It is finished and stored.
        case done
        /// It is still running; the store will get its result.
        case underWay
        /// The domain was checked a moment ago, or too many checks were requested. Retry after so many seconds.
        case tooOften(retryAfter: Int)
        case notWatched
    }

    /// The result of a probe.
    package enum ProbeAnswer: Equatable, Sendable {
        case metrics(Exposition)
        /// Why there is no result, for the client.
        case refused(String)
        /// Too many probes are running.
        case busy
    }

    /// Checks a watched domain now, and waits at most `wait` for the result.
    package var checkNow: @Sendable (Domain, _ wait: Duration) async -> CheckAnswer
    /// Whether a check of a domain is running.
    package var isChecking: @Sendable (Domain) -> Bool
    /// Whether the running configuration has a channel of this name. The store also remembers removed ones.
    package var hasChannel: @Sendable (String) -> Bool
    /// One check for `/probe`; `target` as the client gave it.
    package var probe: @Sendable (_ target: String, _ isFull: Bool) async -> ProbeAnswer

    package init(
        checkNow: @escaping @Sendable (Domain, _ wait: Duration) async -> CheckAnswer = { _, _ in .notWatched },
        isChecking: @escaping @Sendable (Domain) -> Bool = { _ in false },
        hasChannel: @escaping @Sendable (String) -> Bool = { _ in true },
        probe: @escaping @Sendable (String, Bool) async -> ProbeAnswer = { _, _ in
            .refused("this server cannot probe")
        }
    ) {
        self.checkNow = checkNow
        self.isChecking = isChecking
        self.hasChannel = hasChannel
        self.probe = probe
    }
}
