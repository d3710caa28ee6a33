// Google Chat's webhooks: https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create
// Untrusted text is in the paragraphs of a card, which support some HTML but no mentions.

import Evidence
import Foundation
import Monitoring

struct GoogleChatFormat: ChannelFormat {
    static let maximumBytes = 32_000
    static let textLimit = 4096

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let text = TextLayout(form: HTMLMarkup(unit: .utf16), limit: Self.textLimit - 100)
            .text(rendered, withHeadline: false, buttons: 2)
        // A card has no colour of its own, but its text does.
        let tone = alert.tone(
            over: ("#237b4b", "resolved"), error: ("#c4314b", "error"), warning: ("#9a6700", "warning"),
            note: ("#616061", "note"))
        let mark = "<font color=\"\(tone.0)\"><b>● \(tone.1)</b></font>\n"
        let buttons = rendered.buttons.map {
            Message.ButtonList.Button(text: $0.title, onClick: .init(openLink: .init(url: $0.url)))
        }
        let widget = buttons.isEmpty ? nil : Message.Widget(buttonList: .init(buttons: buttons))
        let card = Message.Card(
            header: .init(title: rendered.headline),
            sections: [
                .init(widgets: [Message.Widget(textParagraph: .init(text: mark + text)), widget].compactMap(\.self))
            ])
        return try JSONText.encoded(
            Message(
                cardsV2: [.init(cardId: "alert", card: card)], fallbackText: rendered.headline,
                thread: .init(threadKey: MessageIdentity.key(ofIncident: alert.threadID))))
    }

    /// The request id prevents duplicates.
    func address(messageKey: String, channel: Channel) -> String {
        channel.url(
            query: "messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD&requestId=\(messageKey)")
    }

    func isTaken(_ answer: TransportAnswer) -> Bool { JSONText.text("name", answer) != nil }

    private struct Message: Encodable {
        let cardsV2: [CardWithID]
        let fallbackText: String
        let thread: Thread

        struct Thread: Encodable { let threadKey: String }

        struct CardWithID: Encodable {
            let cardId: String
            let card: Card
        }

        struct Card: Encodable {
            let header: Header
            let sections: [Section]
        }

        struct Header: Encodable { let title: String }

        struct Section: Encodable { let widgets: [Widget] }

        struct Widget: Encodable {
            var textParagraph: Paragraph?
            var buttonList: ButtonList?
        }

        /// https://developers.google.com/workspace/chat/api/reference/rest/v1/cards#buttonlist
        struct ButtonList: Encodable {
            let buttons: [Button]

            struct Button: Encodable {
                let text: String
                let onClick: Click
            }

            struct Click: Encodable { let openLink: Link }

            struct Link: Encodable { let url: String }
        }

        struct Paragraph: Encodable { let text: String }
    }
}
