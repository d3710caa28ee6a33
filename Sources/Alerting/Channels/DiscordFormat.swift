// Discord's webhooks: https://docs.discord.com/developers/resources/webhook#execute-webhook

import Evidence
import Foundation
import Monitoring

struct DiscordFormat: ChannelFormat {
    static let contentLimit = 2000
    static let descriptionLimit = 4096

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let markup = MarkdownMarkup(unit: .utf16)
        guard !plain else {
            return try JSONText.encoded(
                Message(content: TextLayout(form: markup, limit: Self.contentLimit).text(rendered), embeds: []))
        }
        let text = TextLayout(form: markup, limit: Self.descriptionLimit).text(
            rendered, withHeadline: false, buttons: 1)
        // Webhooks have no buttons: the title of an embed is its link.
        let embed = Message.Embed(
            title: rendered.buttons.first?.title, url: rendered.buttons.first?.url,
            description: text,
            color: alert.tone(over: 0x2E_A043, error: 0xD1_242F, warning: 0xD2_9922, note: 0x57_606A),
            timestamp: alert.at.formatted(.iso8601))
        // Push notifications show the content but not the embed.
        return try JSONText.encoded(Message(content: markup.strong(rendered.headline), embeds: [embed]))
    }

    private struct Message: Encodable {
        let content: String
        let embeds: [Embed]
        var allowed_mentions = Mentions()

        struct Embed: Encodable {
            let title: String?
            let url: String?
            let description: String
            let color: Int
            let timestamp: String
        }

        /// Empty, so that no text mentions anybody.
        struct Mentions: Encodable { var parse: [String] = [] }
    }

    /// With `wait`, Discord answers after it stored the message. Without it, Discord does not report a failure to store.
    func address(messageKey: String, channel: Channel) -> String {
        channel.url(query: "wait=true" + (channel.thread.map { "&thread_id=\($0)" } ?? ""))
    }

    private struct Refusal: Decodable { let code: Int? }

    func isTaken(_ answer: TransportAnswer) -> Bool { JSONText.text("id", answer) != nil }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        let refusal = JSONText.decoded(Refusal.self, answer)
        if let status = answer.status, (400...499).contains(status), status != 429 {
            switch refusal?.code {
            // The webhook was deleted: unknown id, or wrong token.
            case 10015, 50027: return .permanentChannel(gone: true)
            // An unknown channel or thread, a forum without a thread, a closed thread, no permission.
            case 10003, 50001, 50013, 50083, 160005, 220001, 220002, 220003: return .permanentChannel(gone: false)
            default: break
            }
        }
        return classified(answer, now: now)
    }

    var resetHeader: String? { "x-ratelimit-reset-after" }
}
