// The chat of the demo: shows each message as it comes, and knows which ones the story needs.

import Evidence
import Foundation
import Lab
import Monitoring

struct DemoChat {
    private let receiver: LabReceiver
    private let teller: DemoTeller
    private let timeout: Duration
    /// The root of the status page.
    private let page: String
    private var shown = 0

    init(_ receiver: LabReceiver, _ teller: DemoTeller, page: String, timeout: Duration) {
        self.receiver = receiver
        self.teller = teller
        self.page = page
        self.timeout = timeout
    }

    /// Shows messages until each of the wanted ones has come.
    /// - Parameter wanted: `STATE DOMAIN KIND` each.
    /// - Returns: false where one did not come in time, or another came in its place.
    mutating func expect(_ wanted: Set<String>) async -> Bool {
        var missing = wanted
        while !missing.isEmpty {
            do {
                for delivery in try await receiver.deliveries(count: shown + 1, within: timeout).dropFirst(shown) {
                    shown += 1
                    guard let message = ChatMessage(slackBody: delivery.body) else {
                        Console.remark("a message arrived that the chat cannot read")
                        return false
                    }
                    teller.show(message)
                    if let id = message.incident { teller.note("on the page: \(page)incidents/\(id)") }
                    guard let match = missing.first(where: { Self.fits(message.headline, $0) }) else {
                        Console.remark("this message was not expected")
                        return false
                    }
                    missing.remove(match)
                }
            } catch {
                Console.remark("these messages did not arrive: \(missing.sorted().joined(separator: "; "))")
                return false
            }
        }
        return true
    }

    private static func fits(_ headline: String, _ wanted: String) -> Bool {
        let parts = headline.components(separatedBy: " · ")
        return wanted.split(separator: " ").allSatisfy { parts.contains(String($0)) }
    }
}

/// What the demo says, dated by its clock as the alerts in it are.
struct DemoTeller: Sendable {
    let style: TextStyle
    let time: AcceleratedTime

    private static let labelWidth = 13
    /// Before each text: the instant and the label.
    private static let indentation = 20 + labelWidth

    func title(_ text: String) { Console.print("\n" + style.bold(text)) }

    func note(_ text: String) { Console.print("  " + style.dim(text)) }

    func say(_ scene: String, _ text: String) {
        let lines = TextStyle(isColoured: false, width: max(40, style.width - Self.indentation))
            .wrapped(text, indentation: 0)
        let label = scene + String(repeating: " ", count: max(1, Self.labelWidth - scene.count))
        for (index, line) in lines.enumerated() {
            let start =
                index == 0 ? "  \(clock)  \(style.bold(label))" : String(repeating: " ", count: Self.indentation)
            Console.print(start + line)
        }
    }

    func show(_ message: ChatMessage) {
        Console.print("")
        Console.print("  \(clock)  ┌ #mobile-alerts")
        let blank = String(repeating: " ", count: 20)
        for (index, line) in ([message.headline] + message.lines).enumerated() {
            for part in TextStyle(isColoured: false, width: 92).wrapped(line.displayable, indentation: 0) {
                Console.print("\(blank)│ \(index == 0 ? style.bold(part) : part)")
            }
        }
        Console.print("\(blank)└")
    }

    /// As alerts write instants, without the zone: `2026-11-21 07:00`.
    private var clock: String { String(time.now().formatted(.iso8601).prefix(16)).replacing("T", with: " ") }
}

/// A message as the chat of the demo shows it: read from the very bytes that Slack would have got.
struct ChatMessage: Sendable {
    let headline: String
    let lines: [String]

    /// The id of the incident that it is about.
    var incident: String? {
        lines.lazy.compactMap { $0.firstMatch(of: /\bincident ([0-9a-f]{32})\b/) }.first.map { String($0.1) }
    }

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
