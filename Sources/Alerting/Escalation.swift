// Who is told of an incident when nobody takes it in hand.

import Evidence
import Foundation
import Monitoring
import Storage

/// The steps of the escalation, ascending by their times.
package struct Escalation: Equatable, Sendable {
    package struct Step: Equatable, Sendable {
        /// From the firing of an incident.
        package let after: Duration
        package let channels: [String]

        package init(after: Duration, channels: [String]) {
            self.after = after
            self.channels = channels
        }
    }

    package let steps: [Step]
    /// All channels that a step names. They are no part of "all channels": who is called later is not told at once.
    package let names: Set<String>

    package init(_ steps: [Step] = []) {
        self.steps = steps
        names = Set(steps.flatMap(\.channels))
    }

    /// The channels of the steps that an event is about.
    func channels(of span: EscalationSpan) -> Set<String> {
        Set(steps.filter { span.contains($0.after) }.flatMap(\.channels))
    }
}

extension Routes {
    /// Whether a channel is told at once of what is routed to `names`; nil stands for all channels, those that are called
    /// later apart.
    package func isRouted(_ channel: String, to names: [String]?) -> Bool {
        names?.contains(channel) ?? !escalation.names.contains(channel)
    }

    /// Who gets a message about an event, and where only the store can tell whether it is owed, on which condition.
    func recipients(of event: Event, routed names: [String]?) -> [(channel: Channel, condition: OutboxDraft.Condition)]
    {
        channels.filter { !$0.kind.isStateFeed }.compactMap { channel in
            if event.type == .resolved { return (channel, .isToldOfTrouble) }
            if let span = event.escalation {
                return escalation.channels(of: span).contains(channel.name) ? (channel, .isEscalation) : nil
            }
            if isRouted(channel.name, to: names) { return (channel, .always) }
            // Whoever was called hears how it goes on, and nothing of what was never told there.
            guard event.type != .firing, escalation.names.contains(channel.name) else { return nil }
            return (channel, .isToldOfTrouble)
        }
    }
}
