// What the server may ask of the monitor. It is handed closures, and knows nothing of how to check.

import Evidence
import Foundation
import MonitorMetrics

package struct MonitorActions: Sendable {
    /// What came of asking for a check now.
    package enum CheckAnswer: Equatable, Sendable {
        /// It ended, and was stored.
        case done
        /// It is still under way; the store will have it.
        case underWay
        /// The domain was checked a moment ago, or too many checks were asked for; again after so many seconds.
        case tooOften(retryAfter: Int)
        case notWatched
    }

    /// What came of a probe.
    package enum ProbeAnswer: Equatable, Sendable {
        case metrics(Exposition)
        /// Why there is none, for the person who asked.
        case refused(String)
        /// Too many are under way.
        case busy
    }

    /// Checks a watched domain now, and waits at most so long for the end.
    package var checkNow: @Sendable (Domain, _ wait: Duration) async -> CheckAnswer
    /// Whether a check of a domain is under way.
    package var isChecking: @Sendable (Domain) -> Bool
    /// Whether the running configuration has a channel of this name. The store also remembers removed ones.
    package var hasChannel: @Sendable (String) -> Bool
    /// One check for `/probe`; `target` as it was asked for.
    package var probe: @Sendable (_ target: String, _ isFull: Bool) async -> ProbeAnswer

    package init(
        checkNow: @escaping @Sendable (Domain, _ wait: Duration) async -> CheckAnswer = { _, _ in .notWatched },
        isChecking: @escaping @Sendable (Domain) -> Bool = { _ in false },
        hasChannel: @escaping @Sendable (String) -> Bool = { _ in true },
        probe: @escaping @Sendable (String, Bool) async -> ProbeAnswer = { _, _ in
            .refused("this server probes nothing")
        }
    ) {
        self.checkNow = checkNow
        self.isChecking = isChecking
        self.hasChannel = hasChannel
        self.probe = probe
    }
}
