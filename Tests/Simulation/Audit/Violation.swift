/// A rule that does not hold. The first one ends a run.
package struct Violation: Error, Equatable, Sendable, CustomStringConvertible {
    package let rule: Rule
    package let detail: String

    package enum Rule: String, Sendable, CaseIterable {
        /// A message is sent only from a committed row about a committed transition.
        case storedBeforeSent = "no message without a stored transition"
        case transitionExplained = "no transition without a message or a reason"
        case endIsTold = "every firing that was told is followed by a told end"
        case endOnlyToTold = "an end goes only to channels that were told"
        case order = "order is kept for each channel and incident"
        case keys = "keys are unique and stable"
        case sameBytes = "the same key always carries the same bytes"
        case repeats = "a repeat only where the answer was not written down"
        case deliveredWasReceived = "what is marked delivered was received"
        case nothingLost = "what was committed is there after a crash"
        case ages = "ages are right to the second"
        case nonNegative = "nothing is negative"
        case judgement = "the state is what was seen"
        case silence = "messages stop in a silence, and what changed is told at its end"
        case reminders = "no reminder is skipped"
        case comesToRest = "a quiet world leaves nothing open"
    }

    package var description: String { "\(rule.rawValue): \(detail)" }
}
