import Evidence
import Foundation
import Report
import Storage
import TestSupport
import Testing

@testable import Monitoring
@testable import StatusServer

extension StatusServerSuite {
    @Suite("Overview")
    struct FrontPageTests {
        private static let file = Reply.file(SampleFile.version(1))
        private static let next = Reply.file(SampleFile.version(2))

        /// A domain after its checks, the last one a minute ago. `changedAt`: when the origin began to serve `next`.
        private func play(
            _ name: String, into store: Store, changedAt: Date? = nil, to new: Reply = Self.next, edges: [Reply],
            agents: Reply? = nil, expect: Expectations = Expectations()
        ) async throws {
            var state = DomainState(domain: try Domain(name))
            for now in [noon - 93600, noon - 90000, noon - 7200, noon - 3600, noon - 120, noon - 60] {
                let isNew = changedAt.map { $0 <= now } ?? false
                let origin = isNew ? new : Self.file
                let copies =
                    now < noon - 5000 && changedAt == nil || now == noon - 93600 ? edges.map { _ in Self.file } : edges
                var scene = Scene.calm(origin).edges(copies)
                if let agents { scene = scene.refusing(agents) }
                let seen = try Observation.of(name, at: now, origin: origin, cdn: copies[0], scene: scene)
                let next = evaluate(
                    state, seen, Policy(CheckSettings(), expectations: expect), now: now, wall: now)
                try await store.commit(next, of: seen, after: state)
                state = next.state
            }
        }

        private func page(
            _ scratch: ScratchStore, _ watched: [WatchedDomain], _ query: [String: String] = [:], role: Role = .writer
        ) async throws -> ShownOverview {
            let list = WatchList(watched)
            let context = PageContext(
                store: scratch.store,
                api: API(
                    scratch.store, clock: FixedTime(), watched: list, windows: Shared([]), actions: MonitorActions(),
                    onWrite: {}),
                timekeeper: FixedTime(), logger: LineLog().logger, watched: list,
                refusedReload: Shared<String?>(nil),
                key: AccessKey(
                    AccessPolicy(), host: "127.0.0.1", timekeeper: FixedTime(), logger: LineLog().logger),
                version: "1.2.3", cdnBaseURL: "https://cdn.test/a/v1/", health: { MonitorHealth() })
            try await list.show(in: scratch.store)
            return ShownOverview(
                try await Pages(context: context, gate: WriteGate(key: context.key), role: role)
                    .overview(FrontQuery(query), ReportTime(now: noon)))
        }

        private func staged() async throws -> (ScratchStore, [WatchedDomain]) {
            let scratch = try ScratchStore()
            try await play("fine.test", into: scratch.store, edges: [Self.file, Self.file])
            try await play(
                "moving.test", into: scratch.store, changedAt: noon - 7200, edges: [Self.next, Self.file])
            try await play("stale.test", into: scratch.store, changedAt: noon - 90000, edges: [Self.file, Self.file])
            let refusal = Reply.crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden")
            try await play("gone.test", into: scratch.store, edges: [refusal, refusal])
            return (
                scratch,
                [
                    try info("fine.test", labels: ["team": "a"]), try info("moving.test", labels: ["team": "b"]),
                    try info("stale.test", labels: ["team": "b", "tier": "1"]), try info("gone.test"),
                    try info("new.test"),
                ]
            )
        }

        @Test(
            "instructions of several sentences become a list",
            arguments: [
                ("Wait.", ["Wait."]), ("Wait a day. Then report it.", ["Wait a day.", "Then report it."]),
                ("Serve 1.2 of it at a.test. `nginx -t` tells.", ["Serve 1.2 of it at a.test.", "`nginx -t` tells."]),
                ("Say e.g. this, i.e. that.", ["Say e.g. this, i.e. that."]),
            ])
        func sentences(_ text: String, _ parts: [String]) { #expect(text.sentences == parts) }

        @Test("the legend counts domains by what phones do, adds up to all domains, and filters")
        func legend() async throws {
            let (scratch, watched) = try await staged()
            let page = try await page(scratch, watched)
            #expect(
                page.contains(
                    "<h1><em>1 domain opens the website</em> instead of the app, 2 use an old file, 1 not known</h1>"
                ))
            #expect(
                page.legend.map { "\($0.count) \($0.text)" } == [
                    "1 opens the website", "2 use an old file", "1 not known", "1 is up to date",
                ])
            #expect(page.contains("<li><a href=\"/?state=old-file\">"))
            #expect(page.html.matches(of: /<rect class="(website|old-file|not-known|current)" x=/).count == 4)
            #expect(page.contains("href=\"/assets/icon-fail.svg\""))
        }

        @Test("each domain is in the section of its decision, with effect, reason, action and times")
        func sections() async throws {
            let (scratch, watched) = try await staged()
            let page = try await page(scratch, watched)
            #expect(
                page.sections == [
                    "act": [["gone.test"], ["stale.test"]], "calm": [["moving.test"], ["new.test"]],
                    "list": [["fine.test"]],
                ])
            let texts: [(String, [String])] = [
                (
                    "gone.test",
                    ["Links open the website, not the app.", "<b>1 h</b>", "<span aria-hidden=\"true\">→</span>"]
                ),
                (
                    "stale.test",
                    [
                        "<b>25 h</b>", "since <time datetime=\"2026-11-20T06:00:00Z\">20 Nov 06:00</time>",
                        "<summary class=\"button go\">Acknowledge</summary>", "name=\"incident\" value=",
                        "<a class=\"pill\" href=\"/?label=team%3Db\"><bdi>team b</bdi></a>", "nobody was notified",
                    ]
                ),
                (
                    "moving.test",
                    [
                        "v2 is on 1 of 2 edges", "deployed <time", "2 h ago",
                        "alert after <time datetime=\"2026-11-22T05:00:00Z\">22 Nov 05:00</time>",
                    ]
                ), ("new.test", ["The first check has not ended yet"]), ("fine.test", ["v1", "class=\"month\""]),
            ]
            for (name, texts) in texts {
                let row = try #require(page.row(name))
                for text in texts { #expect(row.contains(text), "\(name): \(text)") }
            }
        }

        enum Taking: CaseIterable {
            case acknowledged, silenced, other, nobody
        }

        @Test(
            "acknowledged and silenced domains are being handled: by whom, why and until when",
            arguments: Taking.allCases)
        func handled(taking: Taking) async throws {
            let (scratch, watched) = try await staged()
            let stale = try Domain("stale.test")
            let incident = try #require(try await scratch.store.incidents(IncidentQuery(domain: stale, limit: 1)).first)
            let note: String
            switch taking {
            case .acknowledged:
                _ = try await scratch.store.acknowledge(
                    named: incident.incident.id, Acknowledgement(by: "eva", reason: "Waiting", at: noon - 600))
                note = "acknowledged <time datetime=\"2026-11-21T06:50:00Z\">06:50</time>"
            case .silenced, .other:
                _ = try await scratch.store.add(
                    Silence(
                        scope: SilenceScope(
                            domains: [.exactly(stale)], kinds: taking == .other ? [.originBroken] : nil),
                        startsAt: noon - 60, endsAt: noon + 7200, author: "eva", reason: "Waiting"))
                note = "silenced until <time datetime=\"2026-11-21T09:00:00Z\">09:00</time>"
            case .nobody: note = ""
            }
            let isTaken = taking == .acknowledged || taking == .silenced
            let page = try await page(scratch, watched)
            #expect(page.sections["handled"] == (isTaken ? [["stale.test"]] : nil))
            #expect(page.sections["act"] == (isTaken ? [["gone.test"]] : [["gone.test"], ["stale.test"]]))
            let row = try #require(page.row("stale.test"))
            #expect(row.contains("<bdi>eva: “Waiting”</bdi>") == isTaken)
            #expect(!isTaken || row.contains(note))
            #expect(row.contains("Acknowledge</summary>") != isTaken)
            let visitor = try await self.page(scratch, watched, role: .visitor)
            #expect(!visitor.contains("eva: ") && !visitor.contains("“Waiting”") && !visitor.contains("/incidents/"))
            #expect(visitor.sections["act"] == [["gone.test"], ["stale.test"]])
            #expect(visitor.contains("<h2>Needs action</h2>") && !visitor.contains("otified "))
            let reader = try await self.page(scratch, watched, role: .reader)
            #expect(!reader.contains("<form class=\"write\"") && reader.contains("eva: ") == isTaken)
        }

        @Test("a state does not contradict its row, and a broken origin does not make the copies wrong")
        func contradictions() async throws {
            let scratch = try ScratchStore()
            let webPage = Reply.file("<html>")
            try await play("large.test", into: scratch.store, edges: [webPage, webPage])
            try await play(
                "down.test", into: scratch.store, changedAt: noon - 7200, to: .status(404),
                edges: [Self.file, Self.file])
            try await play(
                "lacking.test", into: scratch.store, edges: [Self.file, Self.file],
                expect: Expectations(services: ["webcredentials"]))
            let page = try await page(
                scratch, [try info("large.test"), try info("down.test"), try info("lacking.test")])
            #expect(page.row("large.test")?.contains("Links open the website") == true)
            #expect(
                page.contains(
                    "<h1><em>1 domain opens the website</em> instead of the app, 1 is not as expected</h1>"))
            #expect(
                page.legend.map { "\($0.count) \($0.text)" } == [
                    "1 opens the website", "1 is not as expected", "1 works, at risk",
                ])
        }

        @Test("two or more domains with one cause are one decision that names and handles them together")
        func shared() async throws {
            let (scratch, watched) = try await staged()
            let names = (0..<9).map { "lost\($0).test" }
            for name in names {
                try await play(
                    name, into: scratch.store, changedAt: noon - 90000, edges: [Self.file, Self.file])
            }
            let page = try await page(scratch, watched + names.map { try info($0) })
            // The domain that was alone has the same cause.
            #expect(page.sections["act"]?.map(\.count) == [1, FrontPage.mostNames])
            let row = try #require(page.row("lost0.test"))
            #expect(row.contains("Acknowledge 10</summary>") && row.contains(">and 4 more</a>"))
            #expect(row.matches(of: /name="incident"/).count == 10)
            let link = try #require(row.firstMatch(of: /class="rest" href="\/\?([^"]+)"/)).1
            #expect(link.contains("state=stale") && link.contains("reason=cdn-stale"))
            let parts = link.replacing("&amp;", with: "&").split(separator: "&").map {
                $0.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            }
            let more = try await self.page(
                scratch, watched + names.map { try info($0) }, Dictionary(parts.map { ($0[0], $0[1]) }) { $1 })
            #expect(more.sections["list"]?.count == 10)
        }

        @Test("a reason has at most fifteen words and no command-line option")
        func reasons() {
            for (text, brief) in Self.reasons { #expect(text.inWords(upTo: 15) == brief) }
        }

        static let reasons = [
            ("The origin answers with status 503.", "The origin answers with status 503."),
            ("It fails. It is down. Nobody knows why it would be so since no word was said.", "It fails. It is down."),
            (
                "A firewall rule blocks Apple's crawler by user agent: AASA-Bot and CFNetwork get 403, other clients get the file.",
                "A firewall rule blocks Apple's crawler by user agent."
            ),
            (
                "The file changed between 19 Nov 16:57 and 21 Nov 07:20 UTC, and 2 of Apple's 8 edges already serve the new one.",
                "The file changed between 19 Nov 16:57 and 21 Nov 07:20 UTC."
            ),
            (
                "Apple's crawler reports \"a, b, c, d, e, and f\" for the file of this domain since yesterday at noon, again.",
                "Apple's crawler reports \"a, b, c, d, e, and f\" for the file of this…"
            ),
        ]

        static let queries: [([String: String], [String])] = [
            ([:], ["fine.test", "gone.test", "moving.test", "new.test", "stale.test"]),
            (["state": "old-file"], ["moving.test", "stale.test"]), (["state": "stale"], ["stale.test"]),
            (["state": "in-sync"], ["fine.test"]),
            (["label": "team=b"], ["moving.test", "stale.test"]), (["q": "STA"], ["stale.test"]),
            (["q": "tale"], []),
            (["sort": "name"], ["fine.test", "gone.test", "moving.test", "new.test", "stale.test"]),
            (["state": "", "page": "x"], ["fine.test", "gone.test", "moving.test", "new.test", "stale.test"]),
            (["page": "2"], []), (["q": "%"], []), (["label": "team=b' OR 1=1 --"], []),
        ]

        @Test("a query chooses the domains, and each is shown once", arguments: queries)
        func filter(query: [String: String], expected: [String]) async throws {
            let (scratch, watched) = try await staged()
            let page = try await page(scratch, watched, query)
            #expect(page.sections.values.flatMap(\.self).flatMap(\.self).sorted() == expected)
        }

        @Test("the page works without domains and before the first check")
        func nothing() async throws {
            let scratch = try ScratchStore()
            let empty = try await page(scratch, [])
            #expect(empty.contains("<h1>No domain is watched</h1>") && empty.sections.isEmpty)
            let first = try await page(scratch, [info("a.test"), info("b.test")])
            #expect(first.contains("<h1>First check in progress: 0 of 2 domains checked</h1>"))
            #expect(first.contains("<rect class=\"done\" width=\"0%\"") && first.contains("refreshes every 2 s"))
            #expect(first.sections == ["calm": [["a.test", "b.test"]]])
        }

        @Test("a removed domain is not shown or counted; one that comes back is")
        func reload() async throws {
            let (scratch, watched) = try await staged()
            func shown(_ watched: [WatchedDomain]) async throws -> (Bool, [String]) {
                let page = try await page(scratch, watched)
                return (page.row("gone.test") != nil, page.legend.map(\.count))
            }
            #expect(try await shown(watched) == (true, ["1", "2", "1", "1"]))
            #expect(try await shown(watched.filter { $0.domain.name != "gone.test" }) == (false, ["2", "1", "1"]))
            #expect(try await shown(watched) == (true, ["1", "2", "1", "1"]))
        }

        @Test("up-to-date domains are paged; decisions are only on the first page")
        func many() async throws {
            let (scratch, watched) = try await staged()
            let more = try (0..<60).map { try info("w\($0).test", labels: ["team": "c"]) }
            for domain in more { try await scratch.commit([state(domain.domain.name, .ok)]) }
            let page = try await page(scratch, watched + more)
            #expect(page.sections["list"]?.count == 25 && page.sections["act"]?.count == 2)
            #expect(page.contains("1–25 of 61") && page.contains("<a href=\"/?page=2\" rel=\"next\">"))
            let last = try await self.page(scratch, watched + more, ["page": "3"])
            #expect(last.sections.keys.sorted() == ["list"] && last.contains("51–61 of 61"))
            let beyond = try await self.page(scratch, watched + more, ["page": "9"])
            #expect(beyond.contains("The list ends before this page. <a href=\"/\">First page</a>"))
        }

        @Test("the page stays small with thousands of domains")
        func thousands() async throws {
            let scratch = try ScratchStore()
            let teams = (0..<20).map { "team\($0)" }
            let watched = try (0..<3000).map { try info("d\($0).test", labels: ["team": teams[$0 % 20]]) }
            let store = scratch.store
            try await store.watch(watched)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, info) in watched.enumerated() {
                    if index >= 64 { try await group.next() }
                    let isBad = index % 60 == 0
                    let state = try state(
                        info.domain.name, isBad ? .warning : .ok, "Trouble \(index % 3).",
                        open: isBad ? [(.certificateExpiring, .firing)] : [])
                    group.addTask { try await store.commit(Evaluation(state: state)) }
                }
                try await group.waitForAll()
            }
            let page = try await page(scratch, watched)
            #expect(page.legend.map(\.count) == ["50", "2,950"])
            #expect(page.sections["list"]?.count == 25)
            #expect(page.sections["warnings"]?.allSatisfy { $0.count <= FrontPage.mostNames } == true)
            #expect(page.html.utf8.count < 100 * 1024)
        }
    }
}

/// The overview, read from its markup.
private struct ShownOverview {
    let html: String
    let legend: [(count: String, text: String)]
    /// The names in each row, by section.
    let sections: [String: [[String]]]

    init(_ page: FrontPage) {
        html = String(decoding: page.html.bytes, as: UTF8.self)
        let text = html
        legend = text.matches(of: /<\/svg><b>([0-9,]+)<\/b> ([^<]+)<\/a><\/li>/).map { (String($0.1), String($0.2)) }
        let parts = text.matches(of: /<section class="decisions" id="([a-z]+)"(?s:.*?)<\/section>/).map { part in
            (String(part.1), Self.rows(part.0).map(Self.names))
        }
        sections = Dictionary(parts.filter { !$0.1.isEmpty }) { first, _ in first }
    }

    private static func rows(_ text: Substring) -> [Substring] {
        text.matches(of: /<li id="(?s:.*?)<\/li>/).map(\.0)
    }

    private static func names(_ row: Substring) -> [String] {
        row.matches(of: /href="\/domains\/([^"]+)"/).map { String($0.1) }
    }

    /// The row that begins with this name.
    func row(_ name: String) -> Substring? { Self.rows(html[...]).first { Self.names($0).first == name } }

    func contains(_ text: String) -> Bool { html.contains(text) }
}
