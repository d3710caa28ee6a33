// Why a channel has no delivered message of its own about a transition that was to be told. A new way of not telling
// something gets a case here and a line in `Ledger.explain` (no row at all) or in `init(row:)` (a row in another state), and
// nothing else.

enum Explanation: String {
    case delivered
    /// The row waits for its time, its channel, or the end of an earlier one.
    case waiting
    /// A later message of the same story made it pointless.
    case superseded
    /// The receiver knows it already, or knows better: pagers and reminders.
    case pointless
    /// It was over before the channel heard of it: a chat has one message that says both.
    case combined
    /// The same for a pager, which has none.
    case unsaid
    /// Its time ran out while the channel could not be reached.
    case expired
    /// The receiver refused this very message, twice.
    case refused
    /// A silence or a maintenance window kept it back.
    case silenced
    /// An incident of the fleet speaks for it, or spoke when it was taken back unsent.
    case parent
    /// A reminder of what somebody has in hand.
    case inHand = "in_hand"
    /// The end of what this channel was never told of.
    case notConcerned = "not_concerned"

    /// Whether no message was owed.
    var isNoDebt: Bool { [.silenced, .parent, .inHand, .notConcerned].contains(self) }

    /// What the state of a row says; nil: the state is unknown here.
    /// `end`: the state of the story's end behind it, where there is one.
    init?(_ row: AuditedRow, hasLater: Bool, end: String?) {
        switch row.state {
        case "queued", "leased": self = .waiting
        case "delivered": self = .delivered
        case "superseded" where row.isEnd: self = .unsaid
        case "superseded" where row.type == "incident.firing":
            self = end == "superseded" ? .unsaid : .combined
        case "superseded": self = hasLater ? .superseded : .pointless
        case "expired": self = .expired
        case "dead": self = .refused
        default: return nil
        }
    }
}
