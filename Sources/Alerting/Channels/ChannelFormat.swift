// What a kind of channel must be able to do: write an alert in its own form, and understand the answer.

import Evidence
import Foundation
import Monitoring

protocol ChannelFormat: Sendable {
    /// The body, within the service's limits. The same alert gives the same bytes. No secret is in it: it is stored.
    /// `plain`: the plainest form that the service can take, after it refused the full one.
    /// `reference`: what the receiver calls the incident's first message, where it gave a name; for threads and replies.
    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data

    /// The body as it goes out: with what the channel's settings add to it, such as a room or a key.
    func wire(_ body: Data, channel: Channel) throws -> Data

    func address(messageKey: String, channel: Channel) -> String

    /// Headers of one attempt.
    /// `timestamp`: the wall clock of this attempt.
    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField]

    /// One attempt as it goes out, made of the parts above where it goes over HTTP.
    /// `body`: as `body(_:plain:reference:)` made it.
    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest

    /// What the answer means for the message and for the channel.
    func judge(_ answer: TransportAnswer, now: Date) -> Outcome

    /// What the receiver calls the message that it just took.
    func reference(in answer: TransportAnswer) -> String?

    /// Where the channel has moved to, when the refusal says so: its new `destination`.
    func newDestination(in answer: TransportAnswer) -> String?

    /// Whether a request to wait holds for all channels of this kind.
    func isServiceWide(_ answer: TransportAnswer) -> Bool

    /// A call after a delivered message that may fail without harm, such as the edit of the incident's first message.
    func followUp(_ alert: Alert, reference: String?, channel: Channel) throws -> FollowUp?

    /// For all of an attempt.
    var timeout: Duration { get }
}

/// A call that follows a message.
struct FollowUp {
    var method: MessageRequest.Method = .post
    let url: String
    let body: Data
}

extension ChannelFormat {
    func body(_ alert: Alert, plain: Bool) throws -> Data { try body(alert, plain: plain, reference: nil) }
    func wire(_ body: Data, channel: Channel) throws -> Data { body }
    func address(messageKey: String, channel: Channel) -> String { channel.url }
    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [HeaderField(name: "content-type", value: "application/json; charset=utf-8")]
    }
    func reference(in answer: TransportAnswer) -> String? { nil }
    func newDestination(in answer: TransportAnswer) -> String? { nil }
    func isServiceWide(_ answer: TransportAnswer) -> Bool { false }
    func followUp(_ alert: Alert, reference: String?, channel: Channel) throws -> FollowUp? { nil }
    var timeout: Duration { .seconds(15) }
}

extension Channel {
    var format: any ChannelFormat {
        switch kind {
        case .webhook: WebhookFormat()
        case .slack: isBot ? SlackBotFormat() : SlackFormat()
        case .discord: DiscordFormat()
        case .teams: TeamsFormat()
        case .googleChat: GoogleChatFormat()
        case .mattermost: MattermostFormat()
        case .telegram: TelegramFormat()
        case .line: LineFormat()
        case .chatwork: ChatworkFormat()
        case .pagerduty: PagerDutyFormat()
        case .alertmanager: AlertmanagerFormat()
        case .ntfy: NtfyFormat()
        case .email: EmailFormat()
        case .command: CommandFormat()
        }
    }
}

/// The class of an answer.
package enum Outcome: Equatable, Sendable {
    case delivered
    /// Worth trying again.
    case transient
    /// The receiver asks to wait; nil where it does not say how long.
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
