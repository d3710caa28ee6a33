// What the monitor has got done, read from what it committed: a loop that turns and stores nothing has done nothing.

import Foundation

/// A mark to compare with a later one.
package struct WorkProgress: Equatable, Sendable {
    /// By domain, the instant of its last committed check.
    var checks: [String: Date] = [:]
    /// By channel, of those that have messages.
    var channels: [String: ChannelProgress] = [:]

    struct ChannelProgress: Equatable, Sendable {
        /// When a message last came to its end here: delivered, given up, or out of time.
        var lastSettled: Date?
        /// Failed attempts of the messages that still wait.
        var attempts = 0
        /// Since when a message could have been sent; nil where none is due, or the channel is held.
        var dueSince: Date?

        func hasMoved(since last: ChannelProgress?) -> Bool {
            guard let last else { return false }
            return lastSettled != last.lastSettled || attempts != last.attempts
        }
    }

    /// How long a due message may lie there before the outbox counts as stuck: as long as the lease of a sender, which is
    /// longer than any attempt may take.
    static let patience: TimeInterval = 120

    /// What stands still.
    package enum Standstill: Equatable, Sendable {
        /// No check was committed.
        case checks
        /// Messages of these channels are overdue, and none of the channel was attempted.
        case outbox(channels: [String])
    }

    /// What stands still since `last`; nil where checks and outbox both progressed.
    ///
    /// A receiver that fails or refuses is no standstill: its messages wait by their schedule.
    package func standstill(since last: WorkProgress, now: Date) -> Standstill? {
        guard checks.contains(where: { last.checks[$0.key] != $0.value }) else { return .checks }
        let stuck = channels.filter { name, channel in
            guard let due = channel.dueSince, now.timeIntervalSince(due) > Self.patience else { return false }
            return !channel.hasMoved(since: last.channels[name])
        }
        return stuck.isEmpty ? nil : .outbox(channels: stuck.keys.sorted())
    }
}
