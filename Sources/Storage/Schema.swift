// The tables of a new store, and the steps that bring an older store to the same tables.

import GRDB

enum Schema {
    /// `aasa` in ASCII: identifies a SQLite file as ours.
    /// https://www.sqlite.org/pragma.html#pragma_application_id
    static let applicationID = 0x6161_7361

    /// The format of the tables. Stored in `user_version`, in the file's header. It can be read before anything writes to
    /// the file, so a newer store stays unchanged. GRDB's migrator keeps a table of names instead.
    /// A step in `migrations` raises it.
    static let version = 1 + migrations.count

    /// The steps from each format to the next, the first from 1 to 2. To change the tables after a release, change them
    /// in this file and add a step. Never edit a released step.
    static let migrations: [Migration] = []

    static func version(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    /// A part of a new store that this one lacks; nil: none. Development versions made other tables under the same format.
    static func gap(_ database: Database) throws -> String? {
        let wanted = try DatabaseQueue().writeWithoutTransaction { model in
            try create(model)
            return try parts(model)
        }
        return wanted.subtracting(try parts(database)).min()
    }

    /// The tables with their columns, and the indexes.
    private static func parts(_ database: Database) throws -> Set<String> {
        try String.fetchSet(
            database,
            sql: """
                SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
                UNION ALL SELECT name FROM sqlite_master WHERE type = 'index'
                """)
    }

    /// Creates the tables and sets `user_version`, in one transaction.
    static func create(_ database: Database) throws {
        try database.inTransaction(.immediate) {
            try database.execute(sql: checks + propagation + incidents + notifications + rest)
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// The domains, and what checks saw. Instants are whole milliseconds since 1970 in UTC, in all tables.
    ///
    /// No index contains a column that changes at each check. Those columns come before the documents, in the first few
    /// hundred bytes of a row, and keep their length from the second unchanged check on. So SQLite writes one page for
    /// an unchanged check, regardless of the size of the documents.
    private static let checks = """
        CREATE TABLE domain (
            name TEXT NOT NULL PRIMARY KEY,
            -- Whether it is in the running configuration.
            watched INTEGER NOT NULL DEFAULT 0,
            -- `DomainStatus`, worst first.
            rank INTEGER NOT NULL, reason TEXT NOT NULL DEFAULT '',
            -- `Comparison.State`; NULL: never checked.
            comparison TEXT,
            -- Since when it has this status; the start of the trouble if that is known to be earlier.
            since INTEGER,
            -- The version of the origin's current file, and its start.
            version INTEGER, version_at INTEGER,
            -- The last check. If it changed only instants, also its exact time, in seconds since 2001.
            last_checked_at INTEGER, unchanged_at REAL,
            -- `DomainSummary`; NULL: never checked.
            summary BLOB,
            -- `DomainState`, and `DomainState.formatVersion` of the program that wrote it. NULL: never checked.
            format INTEGER, state BLOB
        ) STRICT;
        CREATE INDEX domain_by_rank ON domain (watched, rank, name);
        CREATE INDEX domain_by_since ON domain (watched, rank, since, name);
        CREATE INDEX domain_by_name ON domain (watched, name, rank);
        CREATE INDEX domain_by_comparison ON domain (watched, comparison, name);
        CREATE INDEX domain_by_reason ON domain (watched, rank, reason, since, name);

        -- The name and each parent domain, and the labels of the configuration as `=key=value`.
        CREATE TABLE domain_key (
            key TEXT NOT NULL, name TEXT NOT NULL REFERENCES domain (name) ON DELETE CASCADE,
            PRIMARY KEY (key, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX domain_key_of_name ON domain_key (name);

        -- Bodies by the SHA-256 of their bytes: each version is kept once.
        CREATE TABLE body (
            sha256 TEXT NOT NULL PRIMARY KEY,
            -- Where it was first seen; when it was last seen anywhere, to the day.
            domain TEXT NOT NULL, seen_at INTEGER NOT NULL, bytes BLOB NOT NULL
        ) STRICT;
        CREATE INDEX body_of_domain ON body (domain, seen_at);

        -- What the newest full check of each domain saw.
        CREATE TABLE last_full_check (
            domain TEXT NOT NULL PRIMARY KEY, facts BLOB NOT NULL
        ) STRICT;

        """

    /// The incidents: what is true, independent of channels.
    private static let incidents = """
        -- Written by checks and global evaluations, except the acknowledgement, which only `ack` and `unack` write.
        CREATE TABLE incident (
            id TEXT NOT NULL PRIMARY KEY,
            -- Empty for a global incident.
            domain TEXT NOT NULL,
            -- The name of the cause of a global incident.
            cause TEXT, kind TEXT NOT NULL, severity TEXT NOT NULL, state TEXT NOT NULL,
            since INTEGER NOT NULL, opened_at INTEGER NOT NULL, fired_at INTEGER,
            resolved_at INTEGER, reason TEXT, version INTEGER NOT NULL, worse_version INTEGER,
            worse_at INTEGER, again_version INTEGER, again_at INTEGER, flapping_version INTEGER,
            flapping_at INTEGER, is_flapping INTEGER NOT NULL, inhibited_by TEXT, ack_by TEXT, ack_reason TEXT,
            ack_at INTEGER, ack_version INTEGER,
            -- The number of its last change; 0 while it never fired.
            change INTEGER NOT NULL,
            -- `IncidentFacts` at the last change while it was open, and those of its end; NULL: it is open.
            facts BLOB, ending BLOB
        ) STRICT;
        CREATE INDEX incident_by_change ON incident (change);
        CREATE INDEX incident_of_domain ON incident (domain, opened_at);
        CREATE INDEX incident_of_kind ON incident (kind, opened_at);
        CREATE INDEX incident_by_age ON incident (opened_at);
        -- These two contain all that a count needs. Reading the rows of two weeks takes fifty times as long.
        CREATE INDEX incident_ended ON incident (resolved_at, version, kind, domain) WHERE resolved_at IS NOT NULL;
        CREATE INDEX incident_ended_of_kind ON incident (kind, resolved_at, version, domain) WHERE resolved_at IS NOT NULL;
        CREATE INDEX incident_of_cause ON incident (cause, resolved_at) WHERE cause IS NOT NULL;
        CREATE INDEX incident_acknowledged ON incident (ack_at) WHERE ack_at IS NOT NULL;
        CREATE INDEX incident_unresolved ON incident (id) WHERE version > 0 AND state <> 'resolved';
        CREATE INDEX incident_unresolved_of_kind ON incident (kind) WHERE version > 0 AND state <> 'resolved';
        CREATE INDEX incident_pending_of_kind ON incident (kind) WHERE state = 'pending';

        """

    /// What each channel knows, and its messages under way. Only the channel's own loop writes these tables, except for
    /// `deliveries retry`.
    ///
    /// A loop's turn uses indexes of what is open, due or pending. It reads no rows of the past, which stay for years.
    private static let notifications = """
        CREATE TABLE channel (
            name TEXT NOT NULL PRIMARY KEY, type TEXT NOT NULL,
            -- A hash of the destination: only that destination has received what the channel knows.
            destination TEXT NOT NULL,
            -- The last incident change that the loop has processed.
            cursor INTEGER NOT NULL,
            -- As JSON; NULL: none.
            hold TEXT, trouble TEXT,
            failures INTEGER NOT NULL, refusals INTEGER NOT NULL, refused_messages INTEGER NOT NULL,
            throttled_since INTEGER, refusals_lifted_at INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE notification (
            channel TEXT NOT NULL,
            incident_id TEXT NOT NULL REFERENCES incident (id) ON DELETE CASCADE,
            -- What the receiver knows.
            state TEXT NOT NULL, version INTEGER NOT NULL, notified_at INTEGER,
            maybe_delivered INTEGER NOT NULL, acknowledged_at INTEGER,
            -- The version that it refused, and when, as JSON.
            refused TEXT,
            count INTEGER NOT NULL, reference TEXT,
            -- What is pending.
            reason TEXT, pending_since INTEGER, due_at INTEGER, message_id INTEGER,
            -- Whether it was suppressed at the last decision, and when suppression last ended.
            is_held INTEGER NOT NULL, released_at INTEGER,
            -- For groups: the incident's kind, and its severity (2: error, 1: warning, 0: note).
            kind TEXT NOT NULL, rank INTEGER NOT NULL,
            PRIMARY KEY (channel, incident_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX notification_of_incident ON notification (incident_id);
        CREATE INDEX notification_due ON notification (channel, due_at) WHERE due_at IS NOT NULL AND message_id IS NULL;
        -- Includes the message, so that counting groups reads only the index.
        CREATE INDEX notification_pending
            ON notification (channel, kind, reason, rank DESC, pending_since, incident_id, message_id)
            WHERE pending_since IS NOT NULL AND message_id IS NULL;
        CREATE INDEX notification_open ON notification (channel, incident_id)
            WHERE pending_since IS NOT NULL OR due_at IS NOT NULL OR message_id IS NOT NULL;

        CREATE TABLE message (
            id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, key TEXT NOT NULL,
            reason TEXT NOT NULL, kind TEXT NOT NULL, created_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL, retry_at INTEGER NOT NULL, is_unclear INTEGER NOT NULL,
            -- Attempts that were sent and got no answer; the only recipient of a mail, if it is for one of several.
            unanswered INTEGER NOT NULL, recipient TEXT,
            is_plain INTEGER NOT NULL, is_repeat INTEGER NOT NULL, body BLOB NOT NULL,
            -- What the bytes state about each incident, as JSON.
            members TEXT NOT NULL DEFAULT '[]'
        ) STRICT;
        CREATE INDEX message_of_channel ON message (channel, retry_at);

        -- When a message of a group was last frozen.
        CREATE TABLE notification_group (
            channel TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL,
            last_at INTEGER,
            PRIMARY KEY (channel, kind, reason)
        ) STRICT, WITHOUT ROWID;

        -- The log of what was sent, a row for each incident of a message. No decision reads it.
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, incident_id TEXT NOT NULL,
            type TEXT NOT NULL, reason TEXT NOT NULL, version INTEGER NOT NULL, key TEXT NOT NULL,
            at INTEGER NOT NULL, attempts INTEGER NOT NULL, outcome TEXT NOT NULL, status INTEGER,
            error TEXT
        ) STRICT;
        CREATE INDEX delivery_of_channel ON delivery (channel, at);
        CREATE INDEX delivery_of_incident ON delivery (incident_id);
        CREATE INDEX delivery_of_key ON delivery (key);
        CREATE INDEX delivery_by_age ON delivery (at);

        -- For each message, by its key: the time of its last event, the attempts to send it as JSON, and its text.
        -- No decision reads it.
        CREATE TABLE message_log (
            key TEXT NOT NULL PRIMARY KEY, channel TEXT NOT NULL, at INTEGER NOT NULL,
            attempts TEXT NOT NULL DEFAULT '[]', text TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX message_log_by_age ON message_log (at);

        """

    private static let rest = """
        CREATE TABLE silence (
            id INTEGER PRIMARY KEY AUTOINCREMENT, scope BLOB NOT NULL, starts_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL, author TEXT NOT NULL, reason TEXT NOT NULL
        ) STRICT;
        CREATE INDEX silence_by_end ON silence (ends_at);

        -- Used links of messages. They stay for a day after their end.
        CREATE TABLE used_link (
            link TEXT NOT NULL PRIMARY KEY, ends_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Single values. `change`: the number of the last incident change. `global`, `global_format`: the state of the
        -- global evaluation, and `DomainState.formatVersion` of the program that wrote it. `link_key`: a secret that signs
        -- the links of messages.
        CREATE TABLE meta (
            name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}

// MARK: - The propagation chart
// These tables store changes, not samples: a check that sees no change writes no row.

extension Schema {
    private static let propagation = """
        -- The contents of each domain, by meaning. Numbered in the order in which the origin first served them; NULL: only
        -- edges served it.
        CREATE TABLE version (
            id INTEGER PRIMARY KEY AUTOINCREMENT, domain TEXT NOT NULL, meaning TEXT NOT NULL, content TEXT NOT NULL,
            number INTEGER, first_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX version_of_domain ON version (domain, meaning);

        -- What a place served from an instant on, until its next row. Empty place: the origin; else the address of an edge.
        CREATE TABLE version_interval (
            domain TEXT NOT NULL, place TEXT NOT NULL,
            -- When it was first seen, and when the previous content was last seen.
            at INTEGER NOT NULL, after INTEGER,
            -- The version; 0: no file, -1: no answer, -2: the domain was not watched.
            version INTEGER NOT NULL,
            PRIMARY KEY (domain, place, at)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX version_interval_by_age ON version_interval (at);

        -- When no monitor ran.
        CREATE TABLE pause (
            began INTEGER NOT NULL PRIMARY KEY, ended INTEGER NOT NULL
        ) STRICT;

        """
}

// MARK: - Older stores

/// Changes the tables and rows of one format to those of the next.
typealias Migration = @Sendable (Database) throws -> Void

extension Schema {
    /// Runs the missing steps in one transaction. If one fails or the process dies, the store stays as it was.
    /// - Throws: the error of a step; `StoreError` if a foreign key is violated afterwards.
    static func migrate(_ database: Database, _ path: String, through steps: [Migration]) throws {
        let version = try version(database)
        let target = steps.count + 1
        guard (1..<target).contains(version) else { return }
        // Otherwise SQLite does not allow replacing a table that foreign keys refer to. A step cannot do this itself: it has
        // no effect within a transaction. https://www.sqlite.org/lang_altertable.html#otheralter
        try database.execute(sql: "PRAGMA foreign_keys = OFF")
        defer { try? database.execute(sql: "PRAGMA foreign_keys = ON") }
        try database.inTransaction(.immediate) {
            for step in steps.dropFirst(version - 1) { try step(database) }
            guard try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") == nil else {
                throw StoreError.unsoundMigration(path, from: version, to: target)
            }
            try database.execute(sql: "PRAGMA user_version = \(target)")
            return .commit
        }
    }
}
