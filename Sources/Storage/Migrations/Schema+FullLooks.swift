// What full looks bring: runs by depth, the newest full look, and the CDN's headers by edge.

extension Schema {
    /// Runs that earlier versions wrote were all of light looks.
    static let fullLooks = """
        ALTER TABLE observation ADD COLUMN depth TEXT NOT NULL DEFAULT 'light';
        DROP INDEX observation_of_domain;
        CREATE INDEX observation_of_domain ON observation (domain, vantage, depth, id);

        -- The newest full look of each domain: a run's facts are those of its first check, and addresses come and go.
        CREATE TABLE full_look (
            domain TEXT NOT NULL PRIMARY KEY,
            seen_at INTEGER NOT NULL,
            facts BLOB NOT NULL
        ) STRICT;

        -- A run of polls of one edge whose headers were the same but for the volatile ones, which are those of its first.
        CREATE TABLE cdn_header (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            domain TEXT NOT NULL,
            edge TEXT NOT NULL,
            status INTEGER NOT NULL,
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            count INTEGER NOT NULL DEFAULT 1,
            headers BLOB NOT NULL
        ) STRICT;
        CREATE INDEX cdn_header_of_edge ON cdn_header (domain, edge, id);
        CREATE INDEX cdn_header_by_age ON cdn_header (last_at);
        """
}
