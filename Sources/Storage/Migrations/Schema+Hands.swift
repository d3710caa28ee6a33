// Migration 8: messages that go to more people because nobody has the incident in hand, and receivers that want to know
// when somebody has.

extension Schema {
    /// What earlier versions told goes without both: such a receiver is not told who has those incidents in hand.
    static let hands = """
        -- Whether the message is a step of the escalation: owed only as long as nobody has the incident in hand.
        ALTER TABLE outbox ADD COLUMN is_escalation INTEGER NOT NULL DEFAULT 0;
        -- Whether the receiver is to be told when somebody takes the incident in hand, as a pager is.
        ALTER TABLE outbox ADD COLUMN hears_of_hand INTEGER NOT NULL DEFAULT 0;
        """
}
