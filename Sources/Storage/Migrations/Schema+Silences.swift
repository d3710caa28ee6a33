extension Schema {
    static let silences = """
        CREATE TABLE silence (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            scope BLOB NOT NULL,
            starts_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL,
            author TEXT NOT NULL,
            reason TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX silence_by_end ON silence (ends_at);

        -- Incidents about which something was not said. What each channel was told last is in the outbox; once nothing
        -- keeps messages about the incident back any more, the two are compared and the row goes.
        CREATE TABLE withheld (
            incident_id TEXT NOT NULL PRIMARY KEY,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
