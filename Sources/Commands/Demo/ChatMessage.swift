// A message as the chat of the demo shows it: read from the very bytes that Slack would have got.

import Foundation

struct ChatMessage: Sendable {
    let headline: String
    let lines: [String]

    init?(slackBody: Data) {
        guard let payload = try? JSONDecoder().decode(Payload.self, from: slackBody) else { return nil }
        let blocks = payload.blocks ?? []
        headline = Self.plain(blocks.first { $0.type == "header" }?.text?.text ?? payload.text)
        var lines: [String] = []
        for block in blocks where block.type != "header" {
            if let text = block.text?.text { lines += Self.plain(text).split(separator: "\n").map(String.init) }
            if let elements = block.elements {
                lines.append(elements.map { Self.plain($0.text) }.joined(separator: "  "))
            }
        }
        self.lines = lines
    }

    private struct Payload: Decodable {
        let text: String
        let blocks: [Block]?

        struct Block: Decodable {
            let type: String
            let text: Text?
            let elements: [Text]?
        }

        struct Text: Decodable { let text: String }
    }

    /// Slack's markup as a reader sees it: a link shows its label.
    private static func plain(_ text: String) -> String {
        text.replacing(/<[^|>]*\|([^>]*)>/) { String($0.1) }
            .replacing(/(^|\n)\*([^*\n]+)\*/) { String($0.1) + String($0.2) }.replacing("`", with: "")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
    }
}
