// LINE's Messaging API: https://developers.line.biz/en/reference/messaging-api/#send-push-message

import Evidence
import Facts
import Foundation
import Monitoring

struct LineFormat: ChannelFormat {
    /// In UTF-16 units. Messages of type `text` have no markup and no mentions.
    static let textLimit = 5000

    private struct Body: Encodable {
        let messages: [Message]

        struct Message: Encodable {
            var type = "text"
            let text: String
        }
    }

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let layout = TextLayout(form: PlainMarkup(unit: .utf16), limit: plain ? 2000 : Self.textLimit)
        return try JSONText.encoded(Body(messages: [.init(text: layout.text(RenderedAlert(alert, isBrief: plain)))]))
    }

    func wire(_ body: Data, channel: Channel) throws -> Data {
        try JSONText.adding(["to": channel.destination ?? ""], to: body)
    }

    func address(messageKey: String, channel: Channel) -> String { channel.url("/v2/bot/message/push") }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [
            HeaderField(name: "content-type", value: "application/json; charset=utf-8"),
            HeaderField(name: "x-line-retry-key", value: MessageIdentity.uuid(messageKey)),
        ] + channel.bearer
    }

    func isTaken(_ answer: TransportAnswer) -> Bool {
        struct Reply: Decodable {
            struct Sent: Decodable { let id: String }
            let sentMessages: [Sent]
        }
        return JSONText.decoded(Reply.self, answer)?.sentMessages.isEmpty == false
    }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        let words = (JSONText.text("message", answer) ?? "").lowercased()
        switch answer.status {
        // LINE already accepted a request with this retry key, so it has this message.
        case 409: return .delivered
        // The monthly quota is used up, so an early retry is useless.
        case 429 where words.contains("monthly limit"): return .permanentChannel(gone: true)
        case 400 where words.contains("'to'") || words.contains("failed to send"): return .permanentChannel(gone: false)
        default: return classified(answer, now: now)
        }
    }
}
