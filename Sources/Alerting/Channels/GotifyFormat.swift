// Gotify: https://gotify.net/docs/pushmsg

import Evidence
import Facts
import Foundation
import Monitoring

struct GotifyFormat: ChannelFormat {
    /// In bytes. The server has no limit of its own; a notification on a phone shows less.
    static let messageLimit = 4096

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let layout = TextLayout(form: PlainMarkup(unit: .bytes), limit: Self.messageLimit)
        // From 8 on the app makes a sound by default, from 4 on it shows a notification.
        let priority = alert.isTest ? 5 : alert.tone(over: 5, error: 8, warning: 5, note: 3)
        let button = plain ? nil : rendered.buttons.first
        return try JSONText.encoded(
            Message(
                title: rendered.headline,
                message: layout.text(rendered, withHeadline: false, buttons: button == nil ? 0 : 2), priority: priority,
                extras: button.map { ["client::notification": ["click": ["url": $0.url]]] }))
    }

    private struct Message: Encodable {
        let title: String
        let message: String
        let priority: Int
        /// https://gotify.net/docs/msgextras#clientnotification
        let extras: [String: [String: [String: String]]]?
    }

    func address(messageKey: String, channel: Channel) -> String { channel.url("/message") }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [
            HeaderField(name: "content-type", value: "application/json"),
            HeaderField(name: "x-gotify-key", value: channel.token ?? ""),
        ]
    }

    private struct Stored: Decodable { let id: Int }

    func isTaken(_ answer: TransportAnswer) -> Bool { JSONText.decoded(Stored.self, answer) != nil }
}
