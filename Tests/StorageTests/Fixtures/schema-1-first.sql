-- A store as the first version left it: its tables, and a row of each kind. Never edited; a new version gets a new file.

PRAGMA journal_mode = WAL;
PRAGMA application_id = 1633776481;

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

CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES ('1-first');

INSERT INTO meta VALUES ('note', 'kept');
INSERT INTO domain VALUES ('example.com', CAST('{"domain":"example.com","lastCheckedAt":816937200,"open":{"cdn.stale":{"confirmations":2,"incident":{"domain":"example.com","firedAt":816937200,"id":"a1","kind":"cdn.stale","openedAt":816937200,"sequence":1,"severity":"error","since":816937200,"state":"firing"},"recoveries":0}},"originPeriods":[{"content":"hash-of-{}","firstSeen":816937200,"lastSeen":816937260,"meaning":"m"}],"originValidSince":816937200}' AS BLOB), 1795244400000);
INSERT INTO body VALUES ('hash-of-{}', CAST('{}' AS BLOB), 2, 1795244400000);
INSERT INTO observation VALUES (7, 'example.com', 'local', 1795244400000, 1795244460000, 2, CAST('{"cdn":{"asked":{"_0":{"outcome":{"answered":{"_0":{"body":{"decodedBytes":2,"end":{"complete":{}},"hash":"hash-of-{}","wireBytes":2},"headers":[{"name":"content-type","value":"application/json"},{"name":"age","value":"1"},{"name":"x-request-id","value":"r2"}],"status":200}}},"redirects":[],"url":"https://cdn.test/example.com"}}},"checked_at":816937200,"domain":"example.com","mode":"production","origin":{"connection":{"address":"192.0.2.1","httpVersion":"2","port":443,"timings":{"total":1.1},"viaProxy":false},"outcome":{"answered":{"_0":{"body":{"decodedBytes":2,"end":{"complete":{}},"hash":"hash-of-{}","wireBytes":2},"headers":[{"name":"content-type","value":"application/json"},{"name":"age","value":"1"},{"name":"x-request-id","value":"r1"}],"status":200}}},"redirects":[],"url":"https://example.com/.well-known/apple-app-site-association"},"vantage":"local"}' AS BLOB));
INSERT INTO observation_body VALUES (7, 'hash-of-{}');
INSERT INTO incident VALUES ('a1', 'example.com', 'cdn.stale', 'error', 'firing', 1795244400000, 1795244400000, 1795244400000, NULL, NULL, 1, NULL);
INSERT INTO outbox (id, message_key, incident_id, channel, type, sequence, severity, facts, frozen, created_at, not_before,
    expires_at, state, attempts, last_class, last_status, last_error, settled_at)
VALUES (3, 'k1', 'a1', 'ops', 'incident.firing', 1, 2, CAST('{}' AS BLOB), CAST('frozen' AS BLOB), 1795244400000, 1795244400000, 1795330800000, 'queued', 1,
        'transient', 500, 'busy', NULL),
    (4, 'k2', 'a1', 'chat', 'incident.firing', 1, 2, CAST('{}' AS BLOB), NULL, 1795244400000, 1795244400000, 1795330800000, 'delivered', 1,
        'delivered', 200, NULL, 1795244401000);
INSERT INTO channel VALUES ('ops', 1795244405000, 'throttled');
