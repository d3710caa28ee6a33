import Evidence
import Facts
import Foundation
import Monitoring
import StatusServer
import Storage
import TestSupport
import Testing

extension StatusServerSuite {
    @Suite("Silences and forms")
    struct SilencesPageTests {
        private let scratch: ScratchStore

        init() throws { scratch = try ScratchStore() }

        private func serving(
            channels: Int = 1, maintenance: [MaintenanceWindow] = [], actions: MonitorActions = MonitorActions(),
            _ body: @escaping @Sendable (Int) async throws -> Void
        ) async throws {
            try await scratch.serving(
                watched: [try info("a.test", labels: ["team": "growth"]), try info("b.test")], actions: actions,
                health: MonitorHealth(channels: channels), maintenance: maintenance, body)
        }

        @Test("a window is shown in its own time zone, with its days and its end")
        func zone() async throws {
            let night = MaintenanceWindow(
                name: "night", scope: SilenceScope(domains: [.all]), days: [.sun, .sat],
                start: try #require(TimeOfDay("23:00")), extent: .until(try #require(TimeOfDay("04:00"))),
                zone: try #require(TimeZone(identifier: "Europe/Berlin")), reason: "backups")
            // It is Saturday, 07:00 UTC.
            try await serving(maintenance: [night]) { port in
                let page = try await ask(port, "/silences").body
                #expect(
                    page.contains("Sat, Sun 23:00 to 04:00 on the next day; next 23:00 (<time")
                        && page.contains(#"<time datetime="2026-11-21T22:00:00Z">22:00"#)
                        && page.contains(">Europe/Berlin<"))
                #expect(
                    try await ask(port, "/api/v1/silences").body.contains(
                        #""schedule":"Sat, Sun 23:00 to 04:00 on the next day""#))
            }
        }

        @Test("the silences page creates one for a label or pattern, lists its matches, and ends it")
        func page() async throws {
            let night = MaintenanceWindow(
                name: "night", scope: SilenceScope(domains: [.all]), days: [.sat],
                start: try #require(TimeOfDay("02:00")), extent: .lasting(.seconds(3600)),
                zone: try #require(TimeZone(identifier: "UTC")), reason: "backups")
            try await serving(maintenance: [night]) { port in
                let none = try await ask(port, "/silences").body
                #expect(none.contains("Nothing is silenced") && none.contains("night") && none.contains(">UTC<"))
                for (target, matches) in [
                    ("team=growth", "1 domain"), ("b.test, *.else.test", "1 domain"),
                    ("a.test b.test", "2 domains"),
                ] {
                    let made = try await post(
                        port, "/silences", "target=\(target)&for=2h&by=eva&reason=x&kind=cdn.stale")
                    #expect(made.status == 303 && made.headers["location"] == "/silences")
                    let row = try #require(
                        try await ask(port, "/silences").body.split(separator: "\n").first {
                            $0.contains("<tr") && $0.contains(target.prefix(6))
                        })
                    #expect(row.contains("<td role=\"cell\">\(matches)</td>") && row.contains("eva"), "\(row)")
                }
                #expect(try await ask(port, "/domains/a.test").body.contains("team=growth (cdn.stale)"))
                #expect(try await ask(port, "/").body.contains("Nobody is notified") == false)
                _ = try await post(port, "/silences", "target=all&for=2h&by=eva&reason=x")
                for path in ["/", "/silences"] {
                    #expect(try await ask(port, path).body.contains("Nobody is notified until 09:00"), "\(path)")
                }
                for id in 1...4 { #expect(try await post(port, "/silences/\(id)/end", "back=/silences").status == 303) }
                let ended = try await ask(port, "/silences").body
                #expect(ended.contains("Nothing is silenced"))
            }
        }

        static let refusals: [(path: String, form: String, words: String)] = [
            ("/silences", "target=&for=8h&by=eva&reason=PLANTED", "A silence needs a domain or a label"),
            ("/silences", "target=no..domain&for=8h&by=eva&reason=PLANTED", "is not a domain"),
            ("/silences", "target=a.test&for=8h&by=eva&reason=PLANTED&kind=none", "is not a kind of incident"),
            ("/silences", "target=a.test&for=&by=eva&reason=PLANTED", "Choose a duration"),
            (
                "/silences", "target=a.tset&for=8h&by=eva&reason=PLANTED",
                "No watched domain matches a.tset; did you mean &#39;a.test&#39;?"
            ),
            (
                "/silences", "target=taem=growth&for=8h&by=eva&reason=PLANTED",
                "No watched domain matches taem=growth; did you mean &#39;team=growth&#39;?"
            ),
            ("/silences", "target=*.else.test&for=8h&by=eva&reason=PLANTED", "No watched domain matches *.else.test"),
            ("/domains/a.test/silence", "for=8h&by=&reason=PLANTED", "A silence needs an author"),
            ("/domains/a.test/silence", "for=8h&by=eva&reason=PLANTED\(long)", "longer than 500 characters"),
            ("/domains/a.test/silence", "for=8h&by=&reason=PLANTED&back=/incidents/0123456789ab", "needs an author"),
            ("/incidents/0123456789ab/ack", "by=&reason=PLANTED", "An acknowledgement needs a name"),
            ("/incidents/ack", "by=eva&reason=PLANTED", "Select at least one incident"),
            ("/incidents/ack", "incident=0123456789abcdef&by=&reason=PLANTED", "An acknowledgement needs a name"),
        ]
        private static let long = String(repeating: "x", count: 600)

        @Test("a refused form is shown again with the error and the input", arguments: refusals)
        func refused(path: String, form: String, words: String) async throws {
            try await fill()
            try await serving { port in
                let answer = try await post(port, path, form)
                #expect(answer.status == 400 && answer.body.hasPrefix("<!DOCTYPE html>"))
                let notice = answer.body.split(separator: "\n").first { $0.contains("role=\"alert\"") } ?? ""
                #expect(notice.contains(words), "\(notice)")
                #expect(answer.body.contains("value=\"PLANTED"))
                // It does not refresh itself: that would lose what was typed.
                #expect(answer.body.contains("paused"))
                if form.contains("for=8h") { #expect(answer.body.contains("<option value=\"8h\" selected>")) }
                if form.contains("incident=") { #expect(answer.body.contains(" checked>")) }
            }
        }

        private func fill() async throws {
            try await scratch.fire()
            try await scratch.fire("1123456789abcdef", "b.test")
        }

        @Test("several incidents are acknowledged at once, even if one of them has ended")
        func several() async throws {
            try await fill()
            try await serving { port in
                let list = try await ask(port, "/incidents").body
                #expect(list.matches(of: /<input type="checkbox" form="several" name="incident"/).count == 2)
                let form = "incident=0123456789abcdef&incident=9999999999&incident=1123456789abcdef&by=eva&reason=on+it"
                #expect(try await post(port, "/incidents/ack", form).status == 303)
                let acknowledged = try await scratch.store.acknowledgements()
                #expect(acknowledged.keys.sorted() == ["0123456789abcdef", "1123456789abcdef"])
                #expect(Set(acknowledged.values.map(\.by)) == ["eva"])
                #expect(try await ask(port, "/incidents").body.contains("type=\"checkbox\"") == false)
            }
        }

        @Test("a second immediate check is answered on the page, with the time to wait")
        func tooOften() async throws {
            try await serving(actions: MonitorActions(checkNow: { _, _ in .tooOften(retryAfter: 7) })) { port in
                let answer = try await post(port, "/domains/a.test/check", "back=/domains/a.test")
                #expect(answer.status == 429 && answer.headers["retry-after"] == "7")
                #expect(answer.body.contains("Try again in 7 s.") && answer.body.contains("<h1><bdi>a.test</bdi></h1>"))
            }
        }

        @Test("without a channel the page shows no tick for alerts", arguments: [(0, true), (1, false)])
        func channels(count: Int, warns: Bool) async throws {
            try await serving(channels: count) { port in
                let page = try await ask(port, "/").body
                #expect(page.contains("no channel: nobody is notified") == warns)
            }
        }
    }
}
