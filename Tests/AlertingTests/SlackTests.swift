import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Slack")
    struct SlackTests {
        private func message(_ alert: Alert, plain: Bool = false) throws -> (
            text: String, blocks: [[String: Any]]
        ) {
            let root = try object(try SlackFormat().body(alert, plain: plain))
            return (try #require(root["text"] as? String), root["blocks"] as? [[String: Any]] ?? [])
        }

        private func texts(_ blocks: [[String: Any]]) -> [(type: String, text: String)] {
            blocks.flatMap { block -> [(String, String)] in
                let type = block["type"] as? String ?? ""
                if let text = (block["text"] as? [String: Any])?["text"] as? String { return [(type, text)] }
                return ((block["elements"] as? [[String: Any]]) ?? []).compactMap {
                    ($0["text"] as? String).map { (type, $0) }
                }
            }
        }

        @Test("the first line says state, severity, domain, kind and age; then what, why, what to do, and the id")
        func firing() throws {
            let change = AssociationChange(kind: .added, summary: "applinks: A.b", pointer: "/a")
            let (text, blocks) = try message(alert(changes: [change], findings: [finding(fix: "purge it")]))
            #expect(
                text.hasPrefix(
                    "FIRING · error · example.com · cdn.stale · for 25 h\nPhones are not affected. The request could not be made "
                        + "from here (the CDN lags). Check "))
            let parts = texts(blocks).map(\.text)
            #expect(parts.first == "FIRING · error · example.com · cdn.stale · for 25 h")
            let all = parts.joined(separator: "\n")
            #expect(all.contains("• `added: applinks: A.b`"))
            #expect(all.contains("*Why:* The request could not be made from here (the CDN lags)."))
            #expect(all.contains("*What to do:* Check this machine"))
            #expect(all.contains("since 2026-11-20 06:00 UTC"))
            #expect(all.contains("<https://cdn.test/a/v1/example.com|Apple's copy>"))
            #expect(all.contains("incident a1"))
        }

        @Test("a resolve names its reason and how long it took")
        func resolved() throws {
            let (text, blocks) = try message(alert(.resolved))
            #expect(text.hasPrefix("RESOLVED · example.com · cdn.stale · after 25 h\n"))
            #expect(text.contains("Apple's CDN serves the origin's file now, after 25 h"))
            #expect(texts(blocks).map(\.text).joined().contains("until 2026-11-21 07:00 UTC"))
        }

        @Test(
            "what comes from outside stays inert",
            arguments: [
                "<!channel>", "<!here|x>", "<@U123>", "<https://evil.test|click>", "@channel", "@here", "@Everyone",
                "a\u{202E}b\u{7}",
            ])
        func inert(text: String) throws {
            let change = AssociationChange(kind: .added, summary: text, pointer: "/a")
            let alert = try alert(changes: [change], findings: [finding(fix: text)], diagnosis: text)
            let raw = String(decoding: try SlackFormat().body(alert, plain: false), as: UTF8.self)
            #expect(!raw.contains(text))
            for needle in ["<!", "<@", "<https://evil", "@channel", "@here", "@Everyone", "\u{202E}", "\\u0007"] {
                #expect(!raw.contains(needle), "\(needle)")
            }
        }

        @Test(
            "no text is over Slack's limits, and none is cut within a character",
            arguments: ["&", "é", "e\u{301}", "👩‍👩‍👧‍👦", "漢", "<"], [149, 2799, 2800, 3001, 20_000])
        func limits(unit: String, count: Int) throws {
            let long = String(repeating: unit, count: count)
            let changes = Array(repeating: AssociationChange(kind: .added, summary: long, pointer: "/a"), count: 100)
            let (text, blocks) = try message(
                alert(changes: changes, findings: [finding(fix: long)], diagnosis: long))
            #expect(text.utf16.count <= 3000)
            #expect(blocks.count <= 50)
            for part in texts(blocks) {
                #expect(part.text.utf16.count <= (part.type == "header" ? 150 : 3000))
                #expect(!part.text.isEmpty)
            }
        }

        @Test("the plainest form is text alone")
        func plain() throws {
            #expect(try message(alert(), plain: true).blocks.isEmpty)
        }

        @Test(
            "a span is never negative and has at most two units",
            arguments: [
                (-5.0, "0 s"), (59, "59 s"), (60, "1 min"), (3660, "1 h 1 min"), (90_000, "25 h"), (273_600, "3 d 4 h"),
            ])
        func spans(seconds: Double, text: String) {
            #expect(Span.words(seconds) == text)
        }
    }
}
