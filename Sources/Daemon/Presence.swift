// The store knows when the monitor ran: checks may lie hours apart, and their instants do not tell a restart of seconds from a
// night without it.

import Evidence
import Foundation
import Monitoring
import Storage

struct Presence: Sendable {
    let store: Store
    let time: any MonitorClock

    /// Between two notes.
    private static let every: Duration = .seconds(30)

    /// Once, before the first check.
    func begin() async { await note(since: nil) }

    /// Until the task is cancelled; the last note is of the end. A machine that was suspended ran no monitor either.
    func run() async {
        var last = time.now()
        while !Task.isCancelled {
            try? await time.sleep(for: Self.every * time.intervalFactor)
            await note(since: last)
            last = time.now()
        }
    }

    private func note(since last: Date?) async {
        // Where the store takes no writes, others say so.
        try? await store.notePresence(
            at: time.now(), since: last, shortest: 2 * Self.every.inSeconds * time.intervalFactor)
    }
}
