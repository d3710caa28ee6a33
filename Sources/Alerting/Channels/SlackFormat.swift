// Slack's incoming webhooks: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks

import Evidence
import Foundation
import Monitoring

struct SlackFormat: ChannelFormat {
    func body(_ facts: AlertFacts, minimal: Bool) throws -> Data {
        let wording = Wording(facts: facts)
        let message = Message(
            text: SlackText.escaped(
                ([wording.headline, wording.resolution ?? wording.diagnosis]).joined(separator: "\n"), limit: 3000),
            blocks: minimal ? nil : Self.blocks(wording))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(message)
    }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [HeaderField(name: "content-type", value: "application/json; charset=utf-8")]
    }

    /// Slack answers in words; the status beside them varies.
    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        struct Reply: Decodable {
            let ok: Bool?
            let error: String?
        }
        guard answer.status != nil else { return .transient }
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
        "invalid_attachments", "msg_too_long", "msg_blocks_too_long",
    ]
    private static let aboutChannel: Set<String> = [
        "invalid_token", "no_service", "no_service_id", "no_team", "team_disabled", "no_active_hooks",
        "channel_not_found", "channel_is_archived", "user_not_found", "action_prohibited",
        "posting_to_general_channel_denied",
    ]
    private static let aboutPace: Set<String> = ["rate_limited", "ratelimited", "rollup_error"]

    // MARK: - Blocks

    private static func blocks(_ wording: Wording) -> [Block] {
        let facts = wording.facts
        // Only names of our own and a domain's ASCII: nothing in the headline needs escaping.
        var blocks = [Block.header(wording.headline.cut(toUnits: 150))]
        let gist = SlackText.escaped(wording.resolution ?? wording.diagnosis, limit: SlackText.section)
        // Slack refuses a whole message for one empty text.
        if !gist.isEmpty { blocks.append(.section(gist)) }
        if !wording.changes.isEmpty {
            blocks.append(
                .section(SlackText.list("*What the CDN does not have yet:*", wording.changes, limit: SlackText.section))
            )
        }
        if !wording.behaviour.isEmpty {
            blocks.append(
                .section(
                    SlackText.list(
                        "*What phones will do differently then:*", wording.behaviour, limit: SlackText.section)))
        }
        if let consequence = wording.consequence {
            blocks.append(.section("*Meanwhile:* " + SlackText.escaped(consequence, limit: 1000)))
        }
        if let fix = wording.fix, !fix.isEmpty {
            blocks.append(.section("*What to do:* " + SlackText.escaped(fix, limit: 2000)))
        }
        var links = [
            SlackText.link(facts.links.origin, "file at the origin"), SlackText.link(facts.links.cdn, "Apple's copy"),
        ]
        if let page = facts.links.statusPage { links.append(SlackText.link(page, "status page")) }
        blocks.append(
            .context([
                wording.since, links.joined(separator: " · "),
                "incident " + SlackText.escaped(facts.incident.id, limit: 100),
            ]))
        return blocks
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
