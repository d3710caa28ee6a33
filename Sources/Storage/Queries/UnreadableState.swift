// A stored state that cannot be decoded is set aside and begun anew; all others go on.

import Foundation
import GRDB
import Monitoring
import Synchronization

/// A stored state that could not be decoded.
package struct UnreadableState: Equatable, Sendable {
    /// The domain; empty for the state of the fleet.
    package let name: String
    /// What is wrong, in a sentence for the log.
    package let error: String

    static let fleet = ""
}

/// Where unreadable states are reported, each domain once.
struct UnreadableReports {
    var handler: (@Sendable (UnreadableState) -> Void)?
    private var reported: Set<String> = []

    mutating func isNews(_ state: UnreadableState) -> Bool { reported.insert(state.name).inserted }
}

extension Store {
    /// Names who logs states that cannot be read. It is called once for each domain.
    package func onUnreadableState(_ handler: @escaping @Sendable (UnreadableState) -> Void) {
        unreadable.withLock { $0.handler = handler }
    }

    /// Reports the states. The monitor also moves them to a table of their own, with the domain's unconfirmed incidents
    /// gone; other processes leave them where they are.
    func setAside(_ states: [UnreadableState]) async {
        for state in states {
            // Where the store takes no writes, the next check's state replaces the row.
            let now = now()
            if isMonitor { _ = try? await write { try Self.move(state, at: now, $0) } }
            let handler = unreadable.withLock { $0.isNews(state) ? $0.handler : nil }
            handler?(state)
        }
    }

    private static func move(_ state: UnreadableState, at now: Date, _ database: Database) throws {
        if state.name == UnreadableState.fleet {
            try database.execute(
                cached: """
                    INSERT INTO set_aside_state (name, at, error, state) SELECT '', ?, ?, state FROM fleet
                    """, arguments: [now.milliseconds, state.error])
            try database.execute(cached: "DELETE FROM fleet")
        } else {
            // A check may have written a sound one since it was read.
            guard let row = try Row.fetchOne(database, cached: stateOfDomain, arguments: [state.name]),
                case .unreadable = try decode(row)
            else { return }
            try database.execute(
                cached: """
                    INSERT INTO set_aside_state (name, at, error, state)
                    SELECT name, ?, ?, state FROM domain WHERE name = ?
                    """, arguments: [now.milliseconds, state.error, state.name])
            try database.execute(cached: "DELETE FROM domain WHERE name = ?", arguments: [state.name])
        }
        // Nobody remembers these any more, so nobody would drop them.
        try database.execute(
            cached: "DELETE FROM incident WHERE domain = ? AND version = 0 AND state = 'pending'",
            arguments: [state.name])
    }
}
