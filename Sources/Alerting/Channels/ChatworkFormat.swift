// Chatwork: https://developer.chatwork.com/reference/post-rooms-room_id-messages

import Evidence
import Facts
import Foundation
import Monitoring

struct ChatworkFormat: ChannelFormat {
    /// In bytes, well under the 65,535 that seem to be the service's limit.
    static let textLimit = 20_000

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        Self.form(Self.text(alert, isBrief: plain || (alert.isOver && reference != nil), plain))
    }

    private static func text(_ alert: Alert, isBrief: Bool, _ plain: Bool = false) -> String {
        let rendered = RenderedAlert(alert, isBrief: isBrief)
        if plain { return TextLayout(form: ChatworkMarkup(), limit: 4000).text(rendered) }
        let head = "[info][title]\(rendered.headline)[/title]"
        let layout = TextLayout(form: ChatworkMarkup(), limit: textLimit - head.utf8.count - 7)
        return head + layout.text(rendered, withHeadline: false) + "[/info]"
    }

    /// The token's owner shall see it as unread too.
    private static func form(_ text: String) -> Data {
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return Data("body=\(text.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")&self_unread=1".utf8)
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

    func isTaken(_ answer: TransportAnswer) -> Bool { reference(in: answer) != nil }

    var resetHeader: String? { "x-ratelimit-reset" }

    func reference(in answer: TransportAnswer) -> String? {
        struct Stored: Decodable { let message_id: String }
        return JSONText.decoded(Stored.self, answer)?.message_id
    }

    func followUp(_ alert: Alert, reference: String?, channel: Channel) throws -> HTTPCall? {
        guard alert.isOver, let reference, reference.isOfDigits else { return nil }
        return HTTPCall(
            method: .put, url: address(messageKey: "", channel: channel) + "/" + reference,
            body: Self.form(Self.text(alert, isBrief: false)))
    }
}
