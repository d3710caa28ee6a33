// Migration 6: digests, what a receiver may have had, channels in trouble, channels that were told of the present.

extension Schema {
    static let outbox = """
        -- The kind of the incident, where it is about a domain: messages of one kind may share one message. NULL: never
        -- grouped.
        ALTER TABLE outbox ADD COLUMN kind TEXT;
        -- The key of the message that several rows share; its bytes are frozen in the row with the least id.
        ALTER TABLE outbox ADD COLUMN digest TEXT;
        -- Whether the receiver has had it: 0 no, 1 an attempt is under way, 2 an attempt ended without a clear answer.
        ALTER TABLE outbox ADD COLUMN receipt INTEGER NOT NULL DEFAULT 0;
        UPDATE outbox SET receipt = 2 WHERE frozen IS NOT NULL AND state IN ('queued', 'leased')
            OR state IN ('expired', 'dead', 'dropped') AND last_class = 'transient';
        UPDATE outbox SET kind = (SELECT kind FROM incident i WHERE i.id = incident_id)
            WHERE state IN ('queued', 'leased');
        CREATE INDEX outbox_of_digest ON outbox (digest) WHERE digest IS NOT NULL;
        CREATE INDEX incident_going_on ON incident (kind) WHERE resolved_at IS NULL;

        -- Channels that do not take messages as they should. A row goes with the first message that is taken.
        CREATE TABLE channel_trouble (
            name TEXT NOT NULL PRIMARY KEY,
            state TEXT NOT NULL,
            since INTEGER NOT NULL,
            error TEXT
        ) STRICT, WITHOUT ROWID;

        -- Channels that know of what was firing when they came. One that is repaired is forgotten, and so told anew.
        CREATE TABLE channel_known (
            name TEXT NOT NULL PRIMARY KEY,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO channel_known (name, since) SELECT channel, max(created_at) FROM outbox GROUP BY channel;
        """
}
