// Migration 4: an unchanged check writes little.

extension Schema {
    /// What changes at each check lies in small rows of its own, apart from the state's kilobytes. And no index names a
    /// column that moves at each check: the first check of a run orders runs as well as the last one does.
    static let smallWrites = """
        CREATE TABLE domain_recent (
            name TEXT NOT NULL PRIMARY KEY REFERENCES domain (name) ON DELETE CASCADE,
            -- Makes the present state of the one in `domain`.
            delta BLOB NOT NULL,
            last_checked_at INTEGER
        ) STRICT, WITHOUT ROWID;

        DROP INDEX observation_by_time;
        CREATE INDEX observation_by_time ON observation (domain, first_at, id);
        DROP INDEX observation_by_age;
        CREATE INDEX observation_by_age ON observation (first_at);
        DROP INDEX cdn_header_by_age;
        CREATE INDEX cdn_header_by_age ON cdn_header (first_at);

        -- The trail of one domain.
        CREATE INDEX outbox_by_age ON outbox (created_at);
        CREATE INDEX incident_ended ON incident (resolved_at) WHERE resolved_at IS NOT NULL;
        """
}
