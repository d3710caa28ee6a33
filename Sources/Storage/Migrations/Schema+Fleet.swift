extension Schema {
    static let fleet = """
        -- One row: what the monitor remembers of all domains together.
        CREATE TABLE fleet (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            state BLOB NOT NULL
        ) STRICT;

        -- Incidents that somebody has taken in hand. The row goes when the trouble grows or comes again.
        CREATE TABLE acknowledgement (
            incident_id TEXT NOT NULL PRIMARY KEY,
            at INTEGER NOT NULL,
            author TEXT NOT NULL,
            reason TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
