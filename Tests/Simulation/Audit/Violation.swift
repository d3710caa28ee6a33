/// A broken rule. The first one ends a run.
package struct Violation: Error, Equatable, Sendable, CustomStringConvertible {
    package let rule: Rule
    package let detail: String

    package enum Rule: String, Sendable, CaseIterable {
        case committed = "a message contains only committed incidents"
        case keys = "a key is stable and has one content"
        case sameBytes = "the same key carries the same bytes, unless they were refused"
        case repeats = "a message is repeated only if the last answer was unclear, refused, throttled or unread"
        case order = "versions never go back for a channel and an incident"
        case endOnlyToNotified = "an end goes only to channels that may know of the beginning"
        case endIsDelivered = "a channel that knows of an incident gets its end"
        case delivered = "firing incidents, changes and ends are delivered in time"
        case routing = "a message goes only to channels that the incident concerns"
        case silence = "nothing is sent about silenced incidents"
        case inhibition = "nothing is sent about incidents inhibited by one that the channel knows"
        case destination = "a new destination of a channel knows nothing"
        case effect = "a worse effect on phones is sent as worse"
        case grouping = "related incidents are grouped into few messages"
        case evidence = "nothing is sent without a recent check"
        case acknowledgement = "an acknowledgement ends reminders and escalation, and pagers get it once"
        case reminders = "reminders follow their schedule"
        case present = "a message states what is true"
        case nothingLost = "committed data survives a crash"
        case ages = "ages are right to the second"
        case nonNegative = "nothing is negative"
        case evaluation = "the state matches the probe results"
        case comesToRest = "nothing is open after a long quiet time"
    }

    package var description: String { "\(rule.rawValue): \(detail)" }
}
