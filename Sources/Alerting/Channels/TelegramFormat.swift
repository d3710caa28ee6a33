// Telegram's Bot API: https://core.telegram.org/bots/api#sendmessage

import Evidence
import Foundation
import Monitoring

struct TelegramFormat: ChannelFormat {
    /// In visible characters, after the markup is parsed.
    static let textLimit = 4096

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain || (alert.isOver && reference != nil))
        guard !plain else {
            let text = TextLayout(form: PlainMarkup(unit: .utf16), limit: Self.textLimit).text(rendered)
            return try JSONText.encoded(Message(text: text, parse_mode: nil))
        }
        let text = TextLayout(form: HTMLMarkup(unit: .visible), limit: Self.textLimit).text(rendered)
        let reply = reference.flatMap(Int.init).map { Message.Reply(message_id: $0) }
        return try JSONText.encoded(Message(text: text, parse_mode: "HTML", reply_parameters: reply))
    }

    private struct Message: Encodable {
        let text: String
        let parse_mode: String?
        var reply_parameters: Reply?
        var link_preview_options = ["is_disabled": true]

        struct Reply: Encodable {
            let message_id: Int
            /// A deleted message must not prevent the reply.
            var allow_sending_without_reply = true
        }
    }

    private struct Place: Encodable {
        let chat_id: String
        let message_thread_id: Int?
    }

    func wire(_ body: Data, channel: Channel) throws -> Data {
        let place = Place(chat_id: channel.destination ?? "", message_thread_id: channel.thread.flatMap { Int($0) })
        return try JSONText.adding(place, to: body)
    }

    func address(messageKey: String, channel: Channel) -> String {
        channel.url("/bot\(channel.token ?? "")/sendMessage")
    }

    private struct Reply: Decodable {
        let ok: Bool
        let description: String?
        let result: Stored?
        let parameters: Parameters?

        struct Stored: Decodable { let message_id: Int? }

        struct Parameters: Decodable {
            let retry_after: Double?
            let migrate_to_chat_id: Int64?
        }
    }

    func isTaken(_ answer: TransportAnswer) -> Bool { JSONText.decoded(Reply.self, answer)?.ok == true }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        guard let status = answer.status else { return classified(answer, now: now) }
        let reply = JSONText.decoded(Reply.self, answer)
        if status == 429 || reply?.parameters?.retry_after != nil {
            let asked = reply?.parameters?.retry_after.map(RetryAfter.wait)
            return .throttled(after: [asked, RetryAfter.read(answer, now: now)].compactMap(\.self).max())
        }
        let words = (reply?.description ?? "").lowercased()
        if status == 400, Self.aboutChannel.contains(where: words.contains) { return .permanentChannel(gone: false) }
        return classified(answer, now: now)
    }

    private static let aboutChannel = [
        "chat not found", "thread not found", "topic_closed", "topic_deleted", "not enough rights",
        "have no rights", "chat_write_forbidden", "need administrator rights", "group chat was upgraded",
        "bot is not a member", "peer_id_invalid",
    ]

    func reference(in answer: TransportAnswer) -> String? {
        JSONText.decoded(Reply.self, answer)?.result?.message_id.map(String.init)
    }

    func newDestination(in answer: TransportAnswer) -> String? {
        guard let reply = JSONText.decoded(Reply.self, answer), !reply.ok else { return nil }
        return reply.parameters?.migrate_to_chat_id.map(String.init)
    }
}
