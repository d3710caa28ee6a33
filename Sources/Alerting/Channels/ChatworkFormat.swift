// Chatwork: https://developer.chatwork.com/reference/post-rooms-room_id-messages

import Evidence
import Facts
import Foundation
import Monitoring

struct ChatworkFormat: ChannelFormat {
    /// In bytes, well below 65,535, which seems to be the service's limit.
    static let textLimit = 20_000

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        if plain { return Self.form(TextLayout(form: ChatworkMarkup(), limit: 4000).text(rendered)) }
        let head = "[info][title]\(rendered.headline)[/title]"
        let layout = TextLayout(form: ChatworkMarkup(), limit: Self.textLimit - head.utf8.count - 7)
        return Self.form(head + layout.text(rendered, withHeadline: false) + "[/info]")
    }

    // `self_unread`: the message is unread for the token's owner too.
    private static func form(_ text: String) -> Data {
        Data("body=\(text.percentEncoded)&self_unread=1".utf8)
    }

    func address(messageKey: String, channel: Channel) -> String {
        channel.url("/rooms/\(channel.destination ?? "")/messages")
    }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [
            HeaderField(name: "content-type", value: "application/x-www-form-urlencoded"),
            HeaderField(name: "x-chatworktoken", value: channel.token ?? ""),
        ]
    }

    func isTaken(_ answer: TransportAnswer) -> Bool { JSONText.text("message_id", answer) != nil }

    var resetHeader: String? { "x-ratelimit-reset" }
}
