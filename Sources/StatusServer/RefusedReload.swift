import Evidence
import Synchronization

/// Why the configuration file is not the one that is in force.
final class RefusedReload: Sendable {
    private let reason = Mutex<String?>(nil)

    /// For people; nil where the file is in force.
    var current: String? { reason.withLock { $0 } }

    func note(_ reason: String?) { self.reason.withLock { $0 = reason?.displayable.shortened(to: 300) } }
}
