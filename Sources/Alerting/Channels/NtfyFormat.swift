// ntfy: https://docs.ntfy.sh/publish/#publish-as-json

import Evidence
import Foundation
import Monitoring

struct NtfyFormat: ChannelFormat {
    /// In bytes. A longer message would become an attachment.
    static let messageLimit = 4096
    static let titleLimit = 1000

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let layout = TextLayout(form: PlainMarkup(unit: .bytes), limit: Self.messageLimit)
        let priority = alert.isTest ? 3 : alert.tone(over: 3, error: 4, warning: 3, note: 2)
        let tag = alert.tone(over: "white_check_mark", error: "rotating_light", warning: "warning", note: "warning")
        let buttons = plain ? [] : rendered.buttons
        return try JSONText.encoded(
            Message(
                title: plain ? nil : rendered.headline.cut(toBytes: Self.titleLimit),
                message: layout.text(rendered, withHeadline: plain, buttons: buttons.count), priority: priority,
                tags: plain ? nil : [tag], click: buttons.last?.url,
                actions: buttons.isEmpty ? nil : buttons.map { Message.Action(label: $0.title, url: $0.url) },
                sequence_id: MessageIdentity.key(ofIncident: alert.threadID)))
    }

    private struct Message: Encodable {
        let title: String?
        let message: String
        let priority: Int
        let tags: [String]?
        let click: String?
        let actions: [Action]?
        /// A message replaces an earlier one with the same id, since version 2.16.
        let sequence_id: String

        struct Action: Encodable {
            var action = "view"
            let label: String
            let url: String
        }
    }

    func wire(_ body: Data, channel: Channel) throws -> Data {
        try JSONText.adding(["topic": channel.destination ?? ""], to: body)
    }

    func isTaken(_ answer: TransportAnswer) -> Bool { JSONText.text("id", answer) != nil }
}
