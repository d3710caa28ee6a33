// The tables, one migration a step. A migration that was released is never edited; a new one is added.

import GRDB

enum Schema {
    /// `aasa` in ASCII: tells our files from those of other programs.
    /// https://www.sqlite.org/pragma.html#pragma_application_id
    static let applicationID = 0x6161_7361

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1-first") { database in
            try database.execute(sql: first)
        }
        migrator.registerMigration("2-full-looks") { database in
            try database.execute(sql: fullLooks)
        }
        migrator.registerMigration("3-provider-ref") { database in
            try database.execute(sql: providerReference)
        }
        migrator.registerMigration("4-small-writes") { database in
            try database.execute(sql: smallWrites)
        }
        migrator.registerMigration("5-silences") { database in
            try database.execute(sql: silences)
        }
        migrator.registerMigration("6-outbox") { database in
            try database.execute(sql: outbox)
        }
        migrator.registerMigration("7-fleet") { database in
            try database.execute(sql: fleet)
        }
        migrator.registerMigration("8-hands") { database in
            try database.execute(sql: hands)
        }
        migrator.registerMigration("9-past-messages") { database in
            try database.execute(sql: pastMessages)
        }
        return migrator
    }

    /// What the receiver calls a delivered message: needed to edit it and to answer it.
    private static let providerReference = "ALTER TABLE outbox ADD COLUMN provider_ref TEXT"

    /// Instants are whole milliseconds since 1970 in UTC.
    private static let first = """
        CREATE TABLE meta (
            name TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE domain (
            name TEXT NOT NULL PRIMARY KEY,
            state BLOB NOT NULL,
            last_checked_at INTEGER
        ) STRICT;

        -- Bodies by the SHA-256 of their bytes: each version is kept once.
        CREATE TABLE body (
            sha256 TEXT NOT NULL PRIMARY KEY,
            bytes BLOB NOT NULL,
            size INTEGER NOT NULL,
            first_seen INTEGER NOT NULL
        ) STRICT;

        -- A run of checks that saw the same: facts are those of its first check.
        CREATE TABLE observation (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            domain TEXT NOT NULL,
            vantage TEXT NOT NULL,
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            count INTEGER NOT NULL DEFAULT 1,
            facts BLOB NOT NULL
        ) STRICT;
        CREATE INDEX observation_of_domain ON observation (domain, vantage, id);
        CREATE INDEX observation_by_time ON observation (domain, last_at, id);
        CREATE INDEX observation_by_age ON observation (last_at);

        CREATE TABLE observation_body (
            observation_id INTEGER NOT NULL REFERENCES observation (id) ON DELETE CASCADE,
            sha256 TEXT NOT NULL REFERENCES body (sha256),
            PRIMARY KEY (observation_id, sha256)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX observation_body_of_body ON observation_body (sha256);

        CREATE TABLE incident (
            id TEXT NOT NULL PRIMARY KEY,
            domain TEXT NOT NULL,
            kind TEXT NOT NULL,
            severity TEXT NOT NULL,
            state TEXT NOT NULL,
            since INTEGER NOT NULL,
            opened_at INTEGER NOT NULL,
            fired_at INTEGER,
            resolved_at INTEGER,
            reason TEXT,
            sequence INTEGER NOT NULL,
            next_reminder_at INTEGER
        ) STRICT;
        CREATE INDEX incident_of_domain ON incident (domain, opened_at);
        CREATE INDEX incident_by_age ON incident (opened_at);

        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            message_key TEXT NOT NULL UNIQUE,
            incident_id TEXT NOT NULL,
            channel TEXT NOT NULL,
            type TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            severity INTEGER NOT NULL,
            facts BLOB NOT NULL,
            frozen BLOB,
            created_at INTEGER NOT NULL,
            not_before INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            state TEXT NOT NULL DEFAULT 'queued',
            lease_owner TEXT,
            lease_until INTEGER,
            attempts INTEGER NOT NULL DEFAULT 0,
            last_class TEXT,
            last_status INTEGER,
            last_error TEXT,
            settled_at INTEGER
        ) STRICT;
        CREATE INDEX outbox_open ON outbox (channel, incident_id, sequence) WHERE state IN ('queued', 'leased');
        CREATE INDEX outbox_settled ON outbox (settled_at) WHERE settled_at IS NOT NULL;
        CREATE INDEX outbox_of_incident ON outbox (incident_id, sequence);

        -- What is known of a channel as a whole.
        CREATE TABLE channel (
            name TEXT NOT NULL PRIMARY KEY,
            held_until INTEGER NOT NULL,
            reason TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
