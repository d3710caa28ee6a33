// Migration 9: what the heartbeat and the status page ask about all messages of the past is read from an index.

extension Schema {
    static let pastMessages = """
        -- Holds all that is asked, so that the rows with their bytes are not read. An open message is not in it: it would
        -- move there at each step of its way.
        CREATE INDEX outbox_past ON outbox (channel, state, settled_at, created_at) WHERE settled_at IS NOT NULL;
        -- Which channels want to hear of hands, asked whenever another process has written.
        CREATE INDEX outbox_hears ON outbox (channel) WHERE hears_of_hand = 1;
        """
}
