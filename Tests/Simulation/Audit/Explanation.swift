/// What became of an incident, or of its end, at one channel that it concerns.
enum Explanation: String, CaseIterable {
    case delivered
    /// It was over before the channel received it: a chat received one message that says both.
    case combined
    /// It was over before anything could be delivered.
    case brief
    /// A silence or a maintenance window stopped it until it was over.
    case silenced
    /// A global incident that this channel received speaks for it.
    case inhibited
    /// The receiver refused this very message.
    case refused
    /// A pager keeps a newer one of the same domain and kind open under its key.
    case takenOver
    /// The receiver could not be reached for as long as the message was worth sending.
    case expired
    /// It was over, or acknowledged, before its step of the escalation was reached.
    case notEscalated = "not_escalated"
}
