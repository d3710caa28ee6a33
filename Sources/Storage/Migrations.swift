// How a store of an older format becomes one of this format. GRDB's own migrator keeps a table of the steps that were taken;
// `user_version` says the same in the file's header, which is read before anything may write to the file.

import Foundation
import GRDB

struct Migration: Sendable {
    /// The format that it leaves; it begins at the one before.
    let version: Int
    let run: @Sendable (Database) throws -> Void

    /// In order, without a gap. What was released is never edited.
    static let all = [
        Migration(version: 23) { try $0.execute(sql: singleValues + messages + counts + names) },
        Migration(version: 24) { try $0.execute(sql: domains + bodies + indexes + global) },
    ]

    /// Formats that can be migrated. Stores of earlier development versions are refused.
    static let versions = 22..<Schema.version

    /// Takes all steps in one transaction: a process that dies in the middle leaves the store as it was.
    ///
    /// - Throws: what a step throws; `StoreError` where rows then name others that are not there.
    static func migrate(_ database: Database, _ path: String, through steps: [Migration] = all) throws {
        // A table that others name cannot be replaced otherwise.
        // https://www.sqlite.org/lang_altertable.html#otheralter
        try database.execute(sql: "PRAGMA foreign_keys = OFF")
        defer { try? database.execute(sql: "PRAGMA foreign_keys = ON") }
        try database.inTransaction(.immediate) {
            let version = try Schema.version(database)
            for step in steps where step.version > version {
                try step.run(database)
                try database.execute(sql: "PRAGMA user_version = \(step.version)")
            }
            guard try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") == nil else {
                throw StoreError(
                    code: .other,
                    message: "\(path) cannot be brought from store format \(version) to \(Schema.version): rows name "
                        + "others that are not there. It is as it was: use the version that wrote it, and report this")
            }
            return .commit
        }
    }

    // MARK: - 22 to 23

    /// The counter of changes and the state of the fleet are single values.
    private static let singleValues = """
        INSERT INTO meta SELECT 'change', CAST(value AS TEXT) FROM counter;
        DROP TABLE counter;
        INSERT INTO meta SELECT 'fleet_format', CAST(format AS TEXT) FROM fleet;
        INSERT INTO meta SELECT 'fleet', CAST(state AS TEXT) FROM fleet;
        DROP TABLE fleet;

        """

    /// What a message states is part of it; what it says and its attempts are one row.
    private static let messages = """
        ALTER TABLE message ADD COLUMN members TEXT NOT NULL DEFAULT '[]';
        UPDATE message SET members = (
            SELECT json_group_array(json_object('incident', incident_id, 'version', version, 'state', state,
                'acknowledged_at', acknowledged_at))
            FROM (SELECT * FROM message_member WHERE message_id = message.id ORDER BY position));
        DROP TABLE message_member;
        CREATE TABLE message_log (
            key TEXT NOT NULL PRIMARY KEY, channel TEXT NOT NULL, at INTEGER NOT NULL,
            attempts TEXT NOT NULL DEFAULT '[]', text TEXT
        ) STRICT, WITHOUT ROWID;
        INSERT INTO message_log (key, channel, at, attempts, text)
        SELECT key, channel, max(at, coalesce((SELECT max(at) FROM delivery_attempt a WHERE a.key = t.key), at)), (
                SELECT json_group_array(json_object('at', at, 'outcome', outcome, 'status', status, 'error', error))
                FROM (SELECT * FROM delivery_attempt a WHERE a.key = t.key ORDER BY id)),
            text
        FROM message_text t;
        CREATE INDEX message_log_by_age ON message_log (at);
        DROP TABLE message_text;
        DROP TABLE delivery_attempt;

        """

    /// Who wants to know how many domains have a status counts them.
    private static let counts = """
        DROP TRIGGER brief_added;
        DROP TRIGGER brief_removed;
        DROP TRIGGER brief_changed;
        DROP TABLE brief_count;

        """

    /// Tables and columns are called what they hold.
    private static let names = """
        ALTER TABLE full_look RENAME TO last_full_check;
        ALTER TABLE channel RENAME COLUMN seen TO cursor;
        ALTER TABLE notification RENAME COLUMN may_know TO maybe_delivered;
        ALTER TABLE brief RENAME TO domain_summary;
        DROP INDEX brief_by_rank;
        DROP INDEX brief_by_since;
        DROP INDEX brief_by_name;
        DROP INDEX brief_by_comparison;
        DROP INDEX brief_by_reason;
        CREATE INDEX domain_summary_by_rank ON domain_summary (watched, rank, name);
        CREATE INDEX domain_summary_by_since ON domain_summary (watched, rank, since, name);
        CREATE INDEX domain_summary_by_name ON domain_summary (watched, name, rank);
        CREATE INDEX domain_summary_by_comparison ON domain_summary (watched, comparison, name);
        CREATE INDEX domain_summary_by_reason ON domain_summary (watched, rank, reason, since, name);
        ALTER TABLE brief_key RENAME TO domain_key;
        DROP INDEX brief_key_of_name;
        CREATE INDEX domain_key_of_name ON domain_key (name);
        ALTER TABLE brief_count_at RENAME TO status_count;
        ALTER TABLE stretch RENAME TO version_interval;
        DROP INDEX stretch_by_age;
        CREATE INDEX version_interval_by_age ON version_interval (at);
        """

    // MARK: - 23 to 24

    /// A domain is one row.
    private static let domains = """
        ALTER TABLE domain RENAME TO former_domain;
        CREATE TABLE domain (
            name TEXT NOT NULL PRIMARY KEY, watched INTEGER NOT NULL DEFAULT 0,
            rank INTEGER NOT NULL, reason TEXT NOT NULL DEFAULT '', comparison TEXT, since INTEGER,
            version INTEGER, version_at INTEGER, last_checked_at INTEGER, unchanged_at REAL,
            times BLOB NOT NULL DEFAULT x'', summary BLOB, format INTEGER, state BLOB
        ) STRICT;
        INSERT INTO domain
        SELECT name, coalesce(watched, 0), coalesce(rank, 9), coalesce(reason, ''), comparison, since, version, version_at,
            coalesce(r.last_checked_at, d.last_checked_at), r.at,
            coalesce((SELECT times FROM observation o WHERE o.domain = name ORDER BY last_at DESC, id DESC LIMIT 1), x''),
            facts, format, state
        FROM (SELECT name FROM former_domain UNION SELECT name FROM domain_summary)
        LEFT JOIN former_domain d USING (name) LEFT JOIN domain_recent r USING (name)
        LEFT JOIN domain_summary s USING (name);
        DROP TABLE domain_recent;
        DROP TABLE domain_summary;
        DROP TABLE former_domain;
        CREATE INDEX domain_by_rank ON domain (watched, rank, name);
        CREATE INDEX domain_by_since ON domain (watched, rank, since, name);
        CREATE INDEX domain_by_name ON domain (watched, name, rank);
        CREATE INDEX domain_by_comparison ON domain (watched, comparison, name);
        CREATE INDEX domain_by_reason ON domain (watched, rank, reason, since, name);
        ALTER TABLE domain_key RENAME TO former_key;
        CREATE TABLE domain_key (
            key TEXT NOT NULL, name TEXT NOT NULL REFERENCES domain (name) ON DELETE CASCADE,
            PRIMARY KEY (key, name)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO domain_key SELECT key, name FROM former_key;
        DROP TABLE former_key;
        CREATE INDEX domain_key_of_name ON domain_key (name);

        """

    /// Runs of equal checks were read by nobody. A body says itself when it was last seen.
    private static let bodies = """
        ALTER TABLE body RENAME TO former_body;
        CREATE TABLE body (
            sha256 TEXT NOT NULL PRIMARY KEY, domain TEXT NOT NULL, seen_at INTEGER NOT NULL, bytes BLOB NOT NULL
        ) STRICT;
        INSERT INTO body
        SELECT sha256, coalesce(domain, ''), coalesce(at, 0), bytes FROM former_body LEFT JOIN (
            SELECT sha256, domain, max(last_at) AS at
            FROM observation_body JOIN observation ON id = observation_id GROUP BY sha256) USING (sha256);
        CREATE INDEX body_of_domain ON body (domain, seen_at);
        DROP TABLE observation_body;
        DROP TABLE observation;
        DROP TABLE former_body;

        """

    /// Few messages are under way.
    private static let indexes = "DROP INDEX message_of_key;"

    private static let global = """
        UPDATE meta SET name = 'global_format' WHERE name = 'fleet_format';
        UPDATE meta SET name = 'global', value = replace(value, '"subject":{"fleet":', '"subject":{"global":')
        WHERE name = 'fleet';
        """
}

/// The store as it was before a migration, beside it until the new version has stored a check.
enum FormerStore {
    static func path(_ path: String) -> String { path + ".before-upgrade" }

    /// - Throws: `StoreError`, such as `full`; then nothing is migrated.
    static func keep(_ database: Database, _ path: String) throws {
        let copy = Self.path(path)
        let draft = copy + ".partial"
        // Where it got its name there is none of these any more.
        defer { for suffix in Store.suffixes { unlink(draft + suffix) } }
        do {
            try Store.copy(database, to: draft, of: path)
        } catch {
            throw StoreError(error, path: copy)
        }
        guard rename(draft, copy) == 0 else {
            throw StoreError.unwritable(copy, detail: String(cString: strerror(errno)))
        }
    }

    static func isKept(_ path: String) -> Bool { access(Self.path(path), F_OK) == 0 }

    static func remove(_ path: String) { unlink(Self.path(path)) }
}
