// Channels in trouble. It outlives a restart: an incident about it goes on, and no burst of attempts finds it out anew.

import Evidence
import Foundation
import GRDB

extension Store {
    /// All channels in trouble, by name.
    package func channelTroubles() async throws -> [ChannelTrouble] {
        try await read { database in
            try Row.fetchAll(database, cached: "SELECT * FROM channel_trouble ORDER BY name").map { row in
                ChannelTrouble(
                    name: row["name"], state: ChannelTrouble.State(rawValue: row["state"]) ?? .degraded,
                    since: Date(milliseconds: row["since"]), error: row["error"])
            }
        }
    }

    /// Writes the trouble of a channel down, in the place of what was known of it.
    package func note(_ trouble: ChannelTrouble) async throws {
        try await write { database in
            try database.execute(
                cached: """
                    INSERT INTO channel_trouble (name, state, since, error) VALUES (?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET state = excluded.state, since = excluded.since,
                        error = excluded.error
                    """,
                arguments: [trouble.name, trouble.state.rawValue, trouble.since.milliseconds, trouble.error])
        }
    }

    /// The channel takes messages again. It may have let messages expire: it is forgotten, so that it is told of the present
    /// as a new one is, as far as it was not told.
    package func endTrouble(channel: String) async throws {
        try await write { database in
            try database.execute(cached: "DELETE FROM channel_known WHERE name = ?", arguments: [channel])
            try database.execute(cached: "DELETE FROM channel_trouble WHERE name = ?", arguments: [channel])
        }
    }
}
