/// A broken rule. The first one ends a run.
package struct Violation: Error, Equatable, Sendable, CustomStringConvertible {
    package let rule: Rule
    package let detail: String

    package enum Rule: String, Sendable, CaseIterable {
        case committed = "no message about what is not committed"
        case keys = "keys are stable, and each stands for one content"
        case sameBytes = "the same key carries the same bytes, unless they were refused"
        case repeats = "a repeat only where the former answer was unclear, refused, throttled or unread"
        case order = "for each channel and incident the versions never go back"
        case endOnlyToNotified = "an end goes only to channels that may know of the beginning"
        case endIsDelivered = "whoever knows of an incident receives its end"
        case delivered = "what fires, changes and ends is delivered in time"
        case routing = "a message goes only to channels that the incident concerns"
        case silence = "nothing is sent about what is silenced"
        case inhibition = "nothing is sent about what an incident explains that the channel knows"
        case destination = "what a channel knows belongs to its destination"
        case effect = "a worse effect on phones is told as worse"
        case grouping = "one story is few messages"
        case evidence = "nothing is sent about what was not seen lately"
        case acknowledgement = "an acknowledgement ends reminders and escalation, and pagers receive it once"
        case reminders = "reminders keep to their schedule"
        case present = "a message states what is true"
        case nothingLost = "what was committed is there after a crash"
        case ages = "ages are right to the second"
        case nonNegative = "nothing is negative"
        case evaluation = "the state is what was seen"
        case comesToRest = "a quiet world leaves nothing open"
    }

    package var description: String { "\(rule.rawValue): \(detail)" }
}
