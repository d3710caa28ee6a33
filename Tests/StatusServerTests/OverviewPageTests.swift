import Evidence
import Foundation
import StatusServer
import Testing

extension StatusServerSuite {
    @Suite("Overview page")
    struct OverviewPageTests {
        private func page(_ diagnosis: String) async throws -> String {
            try await OverviewPage().render(overview([info("a.test")], [state("a.test", .failing, diagnosis)]))
        }

        /// The rows after the style, which holds the words too.
        private func body(_ html: String) throws -> String {
            String(html[try #require(html.range(of: "<body>")).lowerBound...])
        }

        @Test("the page holds a row for each domain, with all that is known of it")
        func rows() async throws {
            let (watched, states) = try sample()
            let html = try await OverviewPage().render(overview(watched, states, pending: 2))
            if let path = ProcessInfo.processInfo.environment["STATUS_SAMPLE"] {
                try html.write(toFile: path, atomically: true, encoding: .utf8)
            }
            let body = try body(html)
            #expect(body.components(separatedBy: "<tr role=\"row\" class=").count - 1 == watched.count)
            for domain in watched { #expect(body.contains(">\(domain.domain.name)</span>")) }
            for text in [
                "<h1>3 of 6 domains need attention</h1>", "1 domain is overdue for a check",
                "2 notifications are pending for ops, the oldest from 5 min ago", "</span> failing</span>",
                "</span> warning</span>", "</span> OK</span>", "</span> not checked yet</span>",
                "stale, 26 h behind", "<strong>cdn.stale</strong> <span class=\"small\">firing, since",
                "<strong>certificate.expiring</strong> <span class=\"small\">pending, since",
                "<strong>cdn.missing</strong> <span class=\"small\">recovering, since",
                #"<time datetime="2026-11-21T06:59:00Z">60 s ago"#,
                "2026-11-21 06:59:00 UTC", "<bdi>team: growth</bdi>", "aasa-monitor 1.2.3",
                #"href="https://cdn.test/a/v1/links.example.com""#, "Apple&#39;s CDN serves the file",
            ] {
                #expect(body.contains(text), "\(text)")
            }
            #expect(html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
            #expect(html.contains(#"<meta http-equiv="refresh" content="30">"#))
            #expect(!html.contains("{{") && !html.contains("}}"))
        }

        @Test("nothing of the page is fetched from elsewhere, and no script is in it")
        func selfContained() async throws {
            let (watched, states) = try sample()
            let html = try await OverviewPage().render(overview(watched, states))
            for text in ["<script", "<link", "<img", "<iframe", "@import", "url(", "src=", " style=", "onclick"] {
                #expect(!html.contains(text), "\(text)")
            }
        }

        static let hostile = [
            "<script>alert(1)</script>",
            "\"'><img src=x onerror=alert(1)>",
            "&lt;b&gt;",
            // One character each in Swift: a `<` behind a letter of the class Prepend, and one below an accent.
            "\u{0D4E}<script>alert(1)</script>",
            "\u{111C2}<img src=x>",
            "<\u{0301}b>\u{0301}&\u{0301}\"\u{0301}'\u{0301}",
            "{{name}} {{{name}}} {{>x}}",
        ]

        @Test("a stranger's text stays text", arguments: hostile)
        func escaping(text: String) async throws {
            let html = try await page("said \(text) end")
            let start = try #require(html.range(of: "(said ")).upperBound
            let shown = html[start...].prefix { _ in true }
            let end = try #require(shown.range(of: " end)")).lowerBound
            let scalars = shown[..<end].unicodeScalars
            #expect(!scalars.contains { "<>\"'".unicodeScalars.contains($0) })
            // Undone, it is what was said.
            var plain = String(String.UnicodeScalarView(scalars))
            for (entity, scalar) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
                plain = plain.replacingOccurrences(of: entity, with: scalar, options: .literal)
            }
            #expect(Array(plain.unicodeScalars) == Array(text.unicodeScalars))
        }

        @Test("bidirectional and control characters do not reach the page")
        func steering() async throws {
            let html = try await page("a\u{202E}b\u{2066}c\u{200F}d\u{0}e\u{1B}[0m")
            #expect(html.contains("a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}[0m"))
        }

        @Test("two thousand domains are rendered")
        func many() async throws {
            let watched = try (0..<2000).map { try info("d\($0).test") }
            let overview = Overview(
                watched: watched, summaries: [], pending: [], surroundings: surroundings, time: PageTime(now: noon))
            let html = try OverviewPage().render(overview)
            #expect(html.components(separatedBy: "not checked yet</span>").count == 2001)
        }
    }
}
