// The wall clock may move while the process lives: NTP corrects it, a virtual machine is paused. Silences, windows and what
// other programs read follow it.

import Foundation
import Logging
import Monitoring

package struct ClockWatcher: Sendable {
    private let time: any MonitorClock
    private let logger: Logger
    private let onStep: @Sendable (TimeInterval) async -> Void
    /// The wall clock minus the steady clock, in seconds, at the last look.
    private var offset: TimeInterval

    private static let interval: Duration = .seconds(30)
    /// A smaller difference is drift or a slow look.
    private static let tolerance: TimeInterval = 1

    /// `onStep`: called at the start and after each move of the wall clock, with the seconds that it is ahead of the steady one.
    package init(
        time: any MonitorClock, logger: Logger, onStep: @escaping @Sendable (TimeInterval) async -> Void
    ) {
        self.time = time
        self.logger = logger
        self.onStep = onStep
        offset = Self.offset(time)
    }

    /// Looks every 30 seconds until the task is cancelled.
    func run() async {
        var watcher = self
        await onStep(offset)
        while (try? await time.sleep(for: Self.interval * time.intervalFactor)) != nil { await watcher.look() }
    }

    /// One look.
    package mutating func look() async {
        let present = Self.offset(time)
        let step = present - offset
        guard abs(step) > Self.tolerance else { return }
        offset = present
        logger.notice(
            "wall clock moved: silences, maintenance windows and timestamps follow it",
            metadata: ["seconds": .stringConvertible(Int(step.rounded()))])
        await onStep(present)
    }

    private static func offset(_ time: any MonitorClock) -> TimeInterval {
        time.systemTime().timeIntervalSince(time.now())
    }
}
