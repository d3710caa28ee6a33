/// Why a channel that an incident concerns did not receive it, or its end, as a message of its own.
enum Explanation: String, CaseIterable {
    case delivered
    /// It ended before the channel received it: a chat received one message with beginning and end.
    case combined
    /// It ended before anything could be delivered.
    case brief
    /// A silence or a maintenance window suppressed it until its end.
    case silenced
    /// A global incident that this channel received inhibits it.
    case inhibited
    /// The receiver refused this message.
    case refused
    /// A pager keeps a newer incident of the same domain and kind open under the same key.
    case takenOver
    /// The receiver was unreachable for as long as the message was worth sending.
    case expired
    /// It ended or was acknowledged before its escalation step.
    case notEscalated = "not_escalated"
}
