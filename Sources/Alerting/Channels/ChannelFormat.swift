// What a kind of channel must be able to do: say an alert in its own form, and understand the answer.

import Evidence
import Foundation

protocol ChannelFormat: Sendable {
    /// The body, within the service's limits. The same facts give the same bytes.
    /// `minimal`: the plainest form that the service can take, after it refused the full one.
    func body(_ facts: AlertFacts, minimal: Bool) throws -> Data

    /// Headers of one attempt.
    /// `timestamp`: the wall clock of this attempt.
    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField]

    /// What the answer means for the message and for the channel.
    func judge(_ answer: TransportAnswer, now: Date) -> Outcome
}

extension Channel {
    var format: any ChannelFormat {
        switch kind {
        case .webhook: WebhookFormat()
        case .slack: SlackFormat()
        }
    }
}

/// The class of an answer.
package enum Outcome: Equatable, Sendable {
    case delivered
    /// Worth trying again.
    case transient
    /// The receiver wants us to wait; nil where it does not say how long.
    case throttled(after: Duration?)
    /// It refuses this message and would refuse it again.
    case permanentMessage
    /// It refuses us altogether.
    /// `gone`: it says so in a way that leaves no doubt.
    case permanentChannel(gone: Bool)

    /// A fixed word for rows and metrics.
    package var label: String {
        switch self {
        case .delivered: "delivered"
        case .transient: "transient"
        case .throttled: "throttled"
        case .permanentMessage: "message_refused"
        case .permanentChannel: "channel_refused"
        }
    }
}
