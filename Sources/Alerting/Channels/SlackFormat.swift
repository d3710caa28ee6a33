// Slack, with an incoming webhook or with an app's token.

import Evidence
import Foundation
import Monitoring

/// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and
/// https://docs.slack.dev/reference/methods/chat.postMessage
///
/// For an app, the first message of an incident starts a thread, and later ones go into it. A webhook returns no id,
/// so its messages form no thread.
struct SlackFormat: ChannelFormat {
    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        // The plain form is outside of the thread, because a deleted thread may be the reason for the refusal.
        guard !plain, let reference else { return try Self.message(alert, blocks: !plain) }
        // Trouble is also shown in the channel. An end stays in the thread.
        return try JSONText.adding(
            Thread(thread_ts: reference, reply_broadcast: !alert.isOver),
            to: Self.message(alert, blocks: true))
    }

    private struct Thread: Encodable {
        let thread_ts: String
        let reply_broadcast: Bool
    }

    private static func message(_ alert: Alert, blocks: Bool) throws -> Data {
        let rendered = RenderedAlert(alert)
        guard blocks else {
            return try JSONText.encoded(
                Message(text: TextLayout(form: SlackMarkup(), limit: 3000).text(rendered), attachments: nil))
        }
        // The text is the first line, and notifications show it. Only attachments have a colour.
        let color = alert.tone(over: "#237b4b", error: "#c4314b", warning: "#d29922", note: "#616061")
        var attachments = [Message.Attachment(color: color, fallback: rendered.headline, blocks: Self.blocks(rendered))]
        if let first = rendered.buttons.first {
            // A button in a block needs an app that answers the click. A link of an attachment does not.
            attachments.append(
                Message.Attachment(
                    color: color, fallback: "\(first.title): \(first.url)",
                    actions: rendered.buttons.map {
                        .init(text: $0.title, url: $0.url, style: $0.url == alert.links.acknowledge ? "primary" : nil)
                    }))
        }
        return try JSONText.encoded(
            Message(text: SlackMarkup().strong(rendered.headline), attachments: attachments))
    }

    func wire(_ body: Data, channel: Channel) throws -> Data {
        try channel.isBot ? JSONText.adding(["channel": channel.destination ?? ""], to: body) : body
    }

    func address(messageKey: String, channel: Channel) -> String {
        channel.isBot ? channel.url("/chat.postMessage") : channel.baseURL
    }

    func reference(in answer: TransportAnswer) -> String? { JSONText.text("ts", answer) }

    private struct Reply: Decodable {
        let ok: Bool?
        let error: String?
    }

    func isTaken(_ answer: TransportAnswer) -> Bool {
        answer.text == "ok" || JSONText.decoded(Reply.self, answer)?.ok == true
    }

    /// Slack states the error as text. The status varies.
    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        guard let status = answer.status else { return classified(answer, now: now) }
        let reply = JSONText.decoded(Reply.self, answer)
        let word = reply?.error ?? answer.text
        if Self.aboutMessage.contains(word) { return .permanentMessage }
        if Self.aboutChannel.contains(word) { return .permanentChannel(gone: answer.status == 410) }
        if Self.aboutPace.contains(word) { return .throttled(after: RetryAfter.read(answer, now: now)) }
        // An error at Slack.
        if (200...299).contains(status), reply?.ok == false { return .transient }
        return classified(answer, now: now)
    }

    private static let aboutMessage: Set<String> = [
        "invalid_payload", "no_text", "too_many_attachments", "invalid_blocks", "invalid_blocks_format",
        "invalid_attachments", "msg_too_long", "msg_blocks_too_long", "invalid_thread_ts", "thread_not_found",
        "cannot_reply_to_message", "message_not_found", "invalid_arguments",
    ]
    private static let aboutChannel: Set<String> = [
        "invalid_token", "no_service", "no_service_id", "no_team", "team_disabled", "no_active_hooks",
        "channel_not_found", "channel_is_archived", "user_not_found", "action_prohibited",
        "posting_to_general_channel_denied",
        // Errors of the Web API.
        "not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired", "no_permission",
        "missing_scope", "not_allowed_token_type", "ekm_access_denied", "access_denied", "not_in_channel",
        "is_archived", "restricted_action", "restricted_action_read_only_channel",
        "restricted_action_thread_only_channel", "team_access_not_granted", "two_factor_setup_required",
        "org_login_required", "messages_tab_disabled", "team_not_found",
    ]
    private static let aboutPace: Set<String> = ["rate_limited", "ratelimited", "rollup_error"]

    // MARK: - Blocks

    private static func blocks(_ rendered: RenderedAlert) -> [Block] {
        // The limit of a section is 3,000. The rest is for the heading.
        let layout = TextLayout(form: SlackMarkup(), limit: 20_000, longestParagraph: 2800)
        let parts = layout.paragraphs(rendered).map { Block.section(layout.text($0)) }
        return parts + [.context(layout.footer(rendered, buttons: 2))]
    }

    private struct Message: Encodable {
        let text: String
        let attachments: [Attachment]?

        /// https://docs.slack.dev/messaging/formatting-message-text#attachments
        struct Attachment: Encodable {
            let color: String
            let fallback: String
            var blocks: [Block]?
            var actions: [Action]?
        }

        struct Action: Encodable {
            var type = "button"
            let text: String
            let url: String
            let style: String?
        }
    }

    private struct Block: Encodable {
        var type: String
        var text: Text?
        var elements: [Text]?

        struct Text: Encodable {
            let type: String
            let text: String
        }

        static func section(_ text: String) -> Block { Block(type: "section", text: Text(type: "mrkdwn", text: text)) }

        static func context(_ texts: [String]) -> Block {
            Block(type: "context", elements: texts.map { Text(type: "mrkdwn", text: $0) })
        }
    }
}
