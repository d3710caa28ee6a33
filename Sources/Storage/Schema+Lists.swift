// The tables of what lists of domains and the propagation picture show. They hold changes, not samples: a check that sees what
// the one before saw writes none of their rows.

extension Schema {
    /// A small row for each domain, and what it is found by.
    static let lists = """
        CREATE TABLE brief (
            name TEXT NOT NULL PRIMARY KEY,
            -- Whether it is in the running configuration.
            watched INTEGER NOT NULL DEFAULT 0,
            -- `DomainStatus`, worst first.
            rank INTEGER NOT NULL, reason TEXT NOT NULL DEFAULT '',
            -- `Comparison.State`; NULL: never checked.
            comparison TEXT,
            -- Since when it has this status, or since when the trouble lasts where that is known to be earlier.
            since INTEGER,
            -- Of the origin's present file, and since when it is there.
            version INTEGER, version_at INTEGER,
            -- NULL: never checked.
            facts BLOB
        ) STRICT;
        CREATE INDEX brief_by_rank ON brief (watched, rank, name);
        CREATE INDEX brief_by_since ON brief (watched, rank, since, name);
        CREATE INDEX brief_by_name ON brief (watched, name, rank);
        CREATE INDEX brief_by_comparison ON brief (watched, comparison, name);
        CREATE INDEX brief_by_reason ON brief (watched, rank, reason, since, name);

        -- The name from each of its labels on, and the labels of the configuration as `=key=value`.
        CREATE TABLE brief_key (
            key TEXT NOT NULL, name TEXT NOT NULL REFERENCES brief (name) ON DELETE CASCADE,
            PRIMARY KEY (key, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX brief_key_of_name ON brief_key (name);

        -- How many watched domains have each status: kept, so that nobody has to count.
        CREATE TABLE brief_count (
            rank INTEGER NOT NULL PRIMARY KEY, count INTEGER NOT NULL
        ) STRICT;
        CREATE TRIGGER brief_added AFTER INSERT ON brief WHEN new.watched BEGIN
            INSERT INTO brief_count VALUES (new.rank, 1) ON CONFLICT (rank) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER brief_removed AFTER DELETE ON brief WHEN old.watched BEGIN
            UPDATE brief_count SET count = count - 1 WHERE rank = old.rank;
        END;
        CREATE TRIGGER brief_changed AFTER UPDATE OF watched, rank ON brief
        WHEN old.watched <> new.watched OR old.rank <> new.rank BEGIN
            UPDATE brief_count SET count = count - 1 WHERE old.watched AND rank = old.rank;
            INSERT INTO brief_count SELECT new.rank, 1 WHERE new.watched
                ON CONFLICT (rank) DO UPDATE SET count = count + 1;
        END;

        -- The same counts after each minute in which one changed, as a JSON object of status and count.
        CREATE TABLE brief_count_at (
            minute INTEGER NOT NULL PRIMARY KEY, counts TEXT NOT NULL
        ) STRICT;

        """

    static let propagation = """
        -- The contents of each domain by meaning. The number is that of its first sight at the origin; NULL: only edges served it.
        CREATE TABLE version (
            id INTEGER PRIMARY KEY AUTOINCREMENT, domain TEXT NOT NULL, meaning TEXT NOT NULL, content TEXT NOT NULL,
            number INTEGER, first_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX version_of_domain ON version (domain, meaning);

        -- What a place served from an instant on, until its next row. Empty place: the origin; else the address of an edge.
        CREATE TABLE stretch (
            domain TEXT NOT NULL, place TEXT NOT NULL,
            -- The first sight of this, and the last of what was there before.
            at INTEGER NOT NULL, after INTEGER,
            -- The version; 0: no file, -1: no answer.
            version INTEGER NOT NULL,
            PRIMARY KEY (domain, place, at)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX stretch_by_age ON stretch (at);

        -- When no monitor ran.
        CREATE TABLE pause (
            began INTEGER NOT NULL PRIMARY KEY, ended INTEGER NOT NULL
        ) STRICT;

        """
}
