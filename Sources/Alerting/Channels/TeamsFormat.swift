// Microsoft Teams by a workflow's URL, as an adaptive card:
// https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
// All text is in text runs, which do not support Markdown, so no value needs escaping.

import Evidence
import Foundation
import Monitoring

struct TeamsFormat: ChannelFormat {
    /// Teams refuses a message of about 28 KB, measured in sent bytes.
    static let maximumBytes = 25_000

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        // `lineCost`: the JSON around the text of a block.
        let layout = TextLayout(form: PlainMarkup(unit: .jsonBytes), limit: 18_000, lineCost: 120)
        let color = alert.tone(over: "Good", error: "Attention", warning: "Warning", note: "Default")
        var blocks = [
            Card.Block(inlines: [.init(text: rendered.headline, weight: "Bolder", size: "Medium", color: color)])
        ]
        for paragraph in layout.paragraphs(rendered) {
            let title = paragraph.title.map { Card.Run(text: paragraph.isList ? $0 : $0 + " ", weight: "Bolder") }
            if paragraph.isList {
                if let title { blocks.append(Card.Block(inlines: [title], spacing: "Medium")) }
                blocks += paragraph.lines.map { Card.Block(inlines: [Card.Run(text: $0)], spacing: "None") }
            } else {
                blocks.append(
                    Card.Block(
                        inlines: [title].compactMap(\.self) + paragraph.lines.map { Card.Run(text: $0) },
                        spacing: "Medium"))
            }
        }
        for line in layout.footer(rendered, buttons: 2) {
            blocks.append(Card.Block(inlines: [.init(text: line, isSubtle: true)], spacing: "None"))
        }
        let actions = rendered.buttons.map { Card.Action(title: $0.title, url: $0.url) }
        return try JSONText.encoded(
            Message(
                summary: rendered.headline,
                attachments: [.init(content: Card(body: blocks, actions: actions, fallbackText: rendered.headline))]))
    }

    /// A workflow may answer slowly.
    var timeout: Duration { .seconds(30) }

    /// A workflow accepts a message with 202, with any body.
    func isTaken(_ answer: TransportAnswer) -> Bool { answer.status == 202 && !answer.isPage }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        struct Refusal: Decodable {
            struct Reason: Decodable { let code: String? }
            let error: Reason
        }
        if let status = answer.status, (400...499).contains(status),
            let code = JSONText.decoded(Refusal.self, answer)?.error.code, code.hasPrefix("Workflow")
        {
            // The workflow is disabled or deleted, or its owner is gone.
            return .permanentChannel(gone: false)
        }
        return classified(answer, now: now)
    }

    private struct Message: Encodable {
        var type = "message"
        let summary: String
        let attachments: [Attachment]

        struct Attachment: Encodable {
            var contentType = "application/vnd.microsoft.card.adaptive"
            let content: Card
        }
    }

    private struct Card: Encodable {
        var schema = "http://adaptivecards.io/schemas/adaptive-card.json"
        var type = "AdaptiveCard"
        var version = "1.4"
        let body: [Block]
        let actions: [Action]
        let fallbackText: String
        var msteams = ["width": "Full"]

        enum CodingKeys: String, CodingKey {
            case schema = "$schema"
            case type, version, body, actions, fallbackText, msteams
        }

        struct Block: Encodable {
            var type = "RichTextBlock"
            let inlines: [Run]
            var spacing: String?
        }

        struct Run: Encodable {
            var type = "TextRun"
            let text: String
            var weight: String?
            var size: String?
            var color: String?
            var isSubtle: Bool?
        }

        struct Action: Encodable {
            var type = "Action.OpenUrl"
            let title: String
            let url: String
        }
    }
}
