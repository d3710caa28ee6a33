import Foundation
import Logging
import Storage

/// Gets the scheduler's own word, from its loop, on whether checks end. A timer of its own would go on while the scheduler is
/// stuck.
struct SchedulerWatchdog: Sendable {
    /// Between two reports, in time of the machine.
    let every: Duration
    let report: @Sendable (_ isProgressing: Bool) -> Void

    init(every: Duration, report: @escaping @Sendable (Bool) -> Void) {
        self.every = every
        self.report = report
    }

    /// Tells the service manager three times within its limit; nil where it does not watch.
    init?(_ notifier: ServiceNotifier?, logger: Logger) {
        guard let notifier, let limit = notifier.watchdogLimit else { return nil }
        let trouble = LogDeduplicator()
        self.init(every: limit / 3) { isProgressing in
            if isProgressing {
                notifier.watchdog()
                if trouble.isOver() { logger.notice("every check ends again") }
            } else if trouble.isNews("stuck") {
                logger.critical(
                    "a check does not end: the service manager will restart this process",
                    metadata: ["limit": "\(limit)"])
            }
        }
    }
}
