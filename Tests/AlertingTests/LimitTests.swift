import Evidence
import Foundation
import Monitoring
import TestSupport
import TestTraits
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Limits", .computing)
    struct LimitTests {
        private static let markups: [any Markup] = [
            PlainMarkup(unit: .utf16), PlainMarkup(unit: .bytes), PlainMarkup(unit: .jsonBytes),
            MarkdownMarkup(unit: .utf16), MarkdownMarkup(unit: .scalars), HTMLMarkup(unit: .visible),
            HTMLMarkup(unit: .utf16), ChatworkMarkup(), SlackMarkup(), OpsgenieMarkup(),
        ]

        private static let units = ["a", "é", "e\u{301}", "漢", "👩🏽", "🇯🇵", "&", "<", "*", "[", "\"", "@", "\\"]

        @Test("a text of exactly the limit stays whole; a longer one is cut between characters", arguments: units)
        func cut(unit: String) {
            for markup in Self.markups {
                let piece = markup.cut(unit, to: 100)
                let size = markup.size(piece)
                let text = String(repeating: unit, count: 50)
                let whole = String(repeating: piece, count: 50)
                #expect(markup.cut(text, to: 50 * size) == whole, "\(markup)")
                #expect(markup.cut(text, to: 50 * size + 1) == whole, "\(markup)")
                let cut = markup.cut(text, to: 50 * size - 1)
                #expect(markup.size(cut) <= 50 * size - 1, "\(markup)")
                #expect(cut.hasSuffix("…"), "\(markup)")
                let kept = String(cut.dropLast())
                #expect(kept.replacingOccurrences(of: piece, with: "", options: .literal).isEmpty, "\(markup) \(unit)")
                #expect(markup.cut(text, to: 0).isEmpty)
            }
        }

        @Test(
            "a layout stays within its limit, keeps the first line and the links, and cuts the diff first",
            arguments: units, Rounds.of([1000, 1001, 2000], soak: [1000, 1001, 1002, 2000, 4096]))
        func layout(unit: String, limit: Int) throws {
            func check(_ markup: some Markup) throws {
                for count in [0, limit / 12, limit / 4, limit, limit + 1] {
                    let long = String(repeating: unit, count: count)
                    let change = AssociationChange(kind: .added, summary: long, pointer: "/")
                    let rendered = RenderedAlert(
                        try alert(
                            changes: Array(repeating: change, count: 20), findings: [finding(fix: long)],
                            diagnosis: "summary"))
                    let text = TextLayout(form: markup, limit: limit).text(rendered)
                    #expect(markup.size(text) <= limit, "\(markup) \(count)")
                    #expect(text.hasPrefix(markup.strong("example.com: Apple's CDN still serves the old file")))
                    #expect(text.contains("apple-app-site-association"))
                    #expect(text.contains("incident a1 · monitor "))
                    #expect(text.contains("Phones are not affected"))
                    if count == limit { #expect(text.contains("…")) }
                }
            }
            for markup in Self.markups { try check(markup) }
        }

        @Test("the diff is cut before the action")
        func worth() throws {
            let change = AssociationChange(kind: .added, summary: String(repeating: "x", count: 250), pointer: "/")
            let alert = try alert(
                changes: Array(repeating: change, count: 40), findings: [finding()])
            let text = TextLayout(form: PlainMarkup(unit: .utf16), limit: 1200).text(RenderedAlert(alert))
            #expect(text.contains("Check this machine's trust store"))
            #expect(text.contains("… and 3"))
            let tight = TextLayout(form: PlainMarkup(unit: .utf16), limit: 560).text(RenderedAlert(alert))
            #expect(tight.contains("Check this machine's trust store") && !tight.contains("xxx"))
        }

        @Test(
            "no message exceeds its service's limit", arguments: Service.allCases,
            ["漢", "👩🏽", "e\u{301}", "<", "*", "\""])
        func services(service: Service, unit: String) throws {
            let long = String(repeating: unit, count: 20_000)
            let change = AssociationChange(kind: .added, summary: long, pointer: long)
            for plain in [false, true] {
                var alert = try alert(
                    changes: Array(repeating: change, count: 60), findings: [finding(long, fix: long)],
                    diagnosis: long)
                let channel = try service.channel()
                alert.labels = ["note": long]
                let body = try channel.format.wire(channel.format.body(alert, plain: plain), channel: channel)
                try check(service, body)
                let all = try service.texts(body).joined(separator: "\n")
                #expect(all.contains("…"))
                if service != .alertmanager {
                    #expect(all.contains("example.com: Apple's CDN still serves the old file"))
                }
            }
        }

        private func check(_ service: Service, _ body: Data) throws {
            let root = service == .chatwork || service == .alertmanager ? [:] : try object(body)
            switch service {
            case .slack, .slackBot:
                #expect((root["text"] as? String ?? "").utf16.count <= 3000)
                let attachments = root["attachments"] as? [[String: Any]] ?? []
                let blocks = attachments.flatMap { $0["blocks"] as? [[String: Any]] ?? [] }
                #expect(blocks.count <= 50)
                for text in blocks.compactMap({ $0["text"] as? [String: Any] }) {
                    let size = (text["text"] as? String ?? "").utf16.count
                    #expect((1...(text["type"] as? String == "plain_text" ? 150 : 3000)).contains(size))
                }
            case .discord:
                #expect((root["content"] as? String ?? "").utf16.count <= 2000)
                for embed in root["embeds"] as? [[String: Any]] ?? [] {
                    #expect((embed["description"] as? String ?? "").utf16.count <= 4096)
                }
            case .teams: #expect(body.count <= TeamsFormat.maximumBytes)
            case .googleChat:
                #expect(body.count <= GoogleChatFormat.maximumBytes)
                #expect(try service.texts(body).allSatisfy { $0.utf16.count <= 4096 })
            case .mattermost: #expect((root["text"] as? String ?? "").unicodeScalars.count <= 16_383)
            case .telegram:
                let visible = (root["text"] as? String ?? "").replacing(/<[^>]*>/, with: "").replacing(
                    /&[a-z]+;/, with: "&")
                #expect(visible.utf16.count <= 4096)
            case .line:
                let messages = try #require(root["messages"] as? [[String: Any]])
                try #require(messages.count == 1)
                #expect((messages[0]["text"] as? String ?? "").utf16.count <= 5000)
            case .chatwork: #expect(try #require(service.texts(body).first).utf8.count <= 20_000)
            case .pagerduty:
                #expect(body.count <= 512_000)
                let payload = try #require(root["payload"] as? [String: Any])
                #expect((payload["summary"] as? String ?? "").utf16.count <= 1024)
            case .alertmanager: #expect(body.count < 20_000)
            case .ntfy:
                #expect((root["message"] as? String ?? "").utf8.count <= 4096)
                #expect((root["title"] as? String ?? "").utf8.count <= 1000)
            case .gotify: #expect((root["message"] as? String ?? "").utf8.count <= 4096)
            case .pushover:
                #expect((root["message"] as? String ?? "").unicodeScalars.count <= 1024)
                #expect((root["title"] as? String ?? "").unicodeScalars.count <= 250)
                #expect((root["url"] as? String ?? "").utf8.count <= 512)
            case .matrix: #expect(body.count < 60_000)
            case .opsgenie:
                #expect((root["message"] as? String ?? "").utf16.count <= 130)
                #expect((root["description"] as? String ?? "").utf16.count <= 15_000)
                #expect((root["details"] as? [String: String] ?? [:]).values.joined().utf16.count <= 8000)
            }
        }
    }
}
