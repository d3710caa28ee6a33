// Slack's incoming webhooks: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks

import Evidence
import Foundation
import Monitoring

struct SlackFormat: ChannelFormat {
    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        try Self.message(alert, blocks: !plain)
    }

    static func message(_ alert: Alert, blocks: Bool) throws -> Data {
        let rendered = RenderedAlert(alert)
        return try JSONText.encoded(
            Message(
                text: SlackMarkup().cut([rendered.headline, rendered.oneLine].joined(separator: "\n"), to: 3000),
                blocks: blocks ? Self.blocks(rendered) : nil))
    }

    /// Slack answers in words; the status beside them varies.
    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        struct Reply: Decodable {
            let ok: Bool?
            let error: String?
        }
        guard answer.status != nil else { return Classification.outcome(of: answer, now: now) }
        let reply = try? JSONDecoder().decode(Reply.self, from: answer.body)
        let word = reply?.error ?? answer.text
        if Self.aboutMessage.contains(word) { return .permanentMessage }
        if Self.aboutChannel.contains(word) { return .permanentChannel(gone: answer.status == 410) }
        if Self.aboutPace.contains(word) { return .throttled(after: RetryAfter.read(answer, now: now)) }
        let outcome = Classification.outcome(of: answer, now: now)
        return outcome == .delivered && reply?.ok == false ? .transient : outcome
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
        // Of the methods for apps.
        "not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired", "no_permission",
        "missing_scope", "not_allowed_token_type", "ekm_access_denied", "access_denied", "not_in_channel",
        "is_archived", "restricted_action", "restricted_action_read_only_channel",
        "restricted_action_thread_only_channel", "team_access_not_granted", "two_factor_setup_required",
        "org_login_required", "messages_tab_disabled", "team_not_found",
    ]
    private static let aboutPace: Set<String> = ["rate_limited", "ratelimited", "rollup_error"]

    // MARK: - Blocks

    private static func blocks(_ rendered: RenderedAlert) -> [Block] {
        // A section takes 3,000; some room is left for headings.
        let layout = TextLayout(form: SlackMarkup(), limit: 20_000, longestParagraph: 2800)
        // Only words of the monitor and a domain's ASCII: nothing in the headline needs escaping.
        let head = Block.header(PlainMarkup(unit: .utf16).cut(rendered.headline, to: 150))
        let parts = layout.paragraphs(rendered, room: layout.limit).map { Block.section(layout.text($0)) }
        return [head] + parts + [.context(layout.footer(rendered))]
    }

    private struct Message: Encodable {
        let text: String
        let blocks: [Block]?
    }

    private struct Block: Encodable {
        var type: String
        var text: Text?
        var elements: [Text]?

        struct Text: Encodable {
            let type: String
            let text: String
        }

        static func header(_ text: String) -> Block {
            Block(type: "header", text: Text(type: "plain_text", text: text))
        }

        static func section(_ text: String) -> Block { Block(type: "section", text: Text(type: "mrkdwn", text: text)) }

        static func context(_ texts: [String]) -> Block {
            Block(type: "context", elements: texts.map { Text(type: "mrkdwn", text: $0) })
        }
    }
}
