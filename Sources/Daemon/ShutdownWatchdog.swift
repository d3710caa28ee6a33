// SIGTERM ends the process within five seconds, whatever it is doing: what was committed is safe, and all else is done again
// by the next process.

import Dispatch
import Foundation
import Glibc
import Logging
import Synchronization

/// Ends the process some time after the signal where it has not ended by itself. It runs on a thread of its own, which waits
/// for no task.
final class ShutdownWatchdog: Sendable {
    private let queue = DispatchQueue(label: "aasa-monitor.shutdown")
    private let limit: DispatchTimeInterval
    private let logger: Logger
    private let exit: @Sendable () -> Void
    private let isOver = Mutex(false)

    /// `exit`: what ends the process.
    init(
        limit: DispatchTimeInterval = .milliseconds(4300), logger: Logger,
        exit: @escaping @Sendable () -> Void = {
            LogSink.shared.flush(atMost: .milliseconds(200))
            _exit(0)
        }
    ) {
        self.limit = limit
        self.logger = logger
        self.exit = exit
    }

    /// Watches for these signals as long as the sources live. Somebody else must have trapped them, so that they do not end
    /// the process at once.
    func watch(_ signals: [Int32]) -> [any DispatchSourceSignal] {
        signals.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { self.start() }
            source.resume()
            return source
        }
    }

    /// As a signal does.
    func start() {
        queue.asyncAfter(deadline: .now() + limit) { [self] in
            guard !isOver.withLock(\.self) else { return }
            logger.warning("shutdown took too long: the process ends now")
            exit()
        }
    }

    /// The daemon has come to its end in time.
    func stop() { isOver.withLock { $0 = true } }
}
