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

        /// A domain as its checks leave it, the last of them a minute ago. `changedAt`: when the origin began to serve `next`.
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

        private func page(_ scratch: ScratchStore, _ watched: [WatchedDomain], _ query: [String: String] = [:])
            async throws -> ShownOverview
        {
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
                try await Pages(context: context, gate: WriteGate(key: context.key), role: .writer)
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
            "what to do is a list where it has several sentences",
            arguments: [
                ("Wait.", ["Wait."]), ("Wait a day. Then report it.", ["Wait a day.", "Then report it."]),
                ("Serve 1.2 of it at a.test. `nginx -t` tells.", ["Serve 1.2 of it at a.test.", "`nginx -t` tells."]),
                ("Say e.g. this, i.e. that.", ["Say e.g. this, i.e. that."]),
            ])
        func sentences(_ text: String, _ parts: [String]) { #expect(text.sentences == parts) }

        @Test("the tiles follow from what phones do, and sum to all domains")
        func tiles() async throws {
            let (scratch, watched) = try await staged()
            let page = try await page(scratch, watched)
            #expect(page.contains("<h1>3 of 5 domains open the app, 2 of them with an old file</h1>"))
            #expect(
                page.tiles.map(\.text) == [
                    "opens the website", "follow an old file", "work, but at risk", "not known",
                    "follows the current file",
                ])
            #expect(page.tiles.map(\.count) == ["1", "2", "0", "1", "1"])
            #expect(page.tiles.compactMap { Int($0.count) }.reduce(0, +) == watched.count)
            #expect(page.contains("href=\"/assets/icon-fail.svg\""))
        }

        @Test("rows come trouble first, and say effect, cause, action, edges, how long and until when")
        func rows() async throws {
            let (scratch, watched) = try await staged()
            let page = try await page(scratch, watched)
            #expect(page.sections == [nil, "Not checked yet", "Up to date"])
            let rows = page.rows
            #expect(rows.map(\.name) == ["gone.test", "stale.test", "moving.test", "new.test", "fine.test"])
            #expect(
                rows.map(\.status) == [
                    "Opens the website", "Follows an old file", "Propagating", "Not checked yet", "Up to date",
                ])
            let texts: [[String]] = [
                ["<strong>Links open the website, not the app.</strong>", "0 of 2 have a copy"],
                [
                    "<strong>25 h</strong> <span class=\"soft\">behind</span>", "<rect class=\"debt fail\"",
                    ">cdn.stale</a>", "not acknowledged",
                ],
                [
                    "<strong>2 h</strong> <span class=\"soft\">behind</span>", "<rect class=\"debt prog\"",
                    "1 of 2 have v2", "<bdi>normal until 22 Nov 05:00; no earlier",
                ], ["never"], ["<bdi>v1 since 20 Nov</bdi>"],
            ]
            for (row, texts) in zip(rows, texts) {
                for text in texts { #expect(row.markup.contains(text), "\(row.name): \(text)") }
                #expect(row.markup.contains(">1 min ago</time>") == (row.name != "new.test"))
            }
        }

        @Test("a state does not contradict its row, and copies are not wrong because the origin is")
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
            let rows = Dictionary(page.rows.map { ($0.name, $0) }) { first, _ in first }
            let (large, down) = (try #require(rows["large.test"]), try #require(rows["down.test"]))
            #expect(large.status == "Opens the website" && large.markup.contains("<span class=\"soft\">so far</span>"))
            #expect(large.markup.contains("2 of 2 have a copy, which opens no link"))
            #expect(down.markup.contains("2 of 2 have v1"))
            #expect(down.markup.matches(of: /<rect class="now"/).count == 2)
            #expect(rows["lacking.test"]?.status == "Not as expected")
            #expect(page.contains("<h1>1 of 3 domains opens the app</h1>"))
            #expect(page.tiles.map(\.text).prefix(2) == ["opens the website", "is not as expected"])
            #expect(page.tiles.map(\.count) == ["1", "1", "0", "1", "0"])
        }

        @Test("edges that disagree for long are called so, not stale")
        func mixed() async throws {
            let scratch = try ScratchStore()
            try await play("split.test", into: scratch.store, changedAt: noon - 90000, edges: [Self.next, Self.file])
            let page = try await page(scratch, [try info("split.test")])
            #expect(page.rows.map(\.status) == ["Follows an old file at some edges"])
            #expect(page.contains("<span class=\"fine\">Behind for</span><span class=\"value fail\">"))
        }

        @Test("a cause that several domains share is said once above them, while no alert is due yet")
        func shared() async throws {
            let (scratch, watched) = try await staged()
            #expect(try await page(scratch, watched).reasons.isEmpty)
            let none = Reply.status(404)
            let more = try (0..<3).map { try info("lost\($0).test") }
            for domain in more { try await play(domain.domain.name, into: scratch.store, edges: [none, none]) }
            let page = try await page(scratch, watched + more)
            #expect(page.reasons == ["3 Opens the website"] && page.contains("<bdi>such as lost0.test</bdi>"))
            #expect(page.contains("<div id=\"fleet\" data-live></div>"))
        }

        static let queries: [([String: String], [String])] = [
            ([:], ["gone.test", "stale.test", "moving.test", "new.test", "fine.test"]),
            (["state": "old-file"], ["stale.test", "moving.test"]), (["state": "stale"], ["stale.test"]),
            (["label": "team=b"], ["stale.test", "moving.test"]), (["q": "STA"], ["stale.test"]),
            (["q": "tale"], []),
            (["sort": "name"], ["fine.test", "gone.test", "moving.test", "new.test", "stale.test"]),
            (["state": "", "page": "x"], ["gone.test", "stale.test", "moving.test", "new.test", "fine.test"]),
            (["page": "2"], []), (["q": "%"], []), (["label": "team=b' OR 1=1 --"], []),
        ]

        @Test("an address says which rows are shown", arguments: queries)
        func filter(query: [String: String], expected: [String]) async throws {
            let (scratch, watched) = try await staged()
            let page = try await page(scratch, watched, query)
            #expect(page.rows.map(\.name) == expected)
        }

        @Test("no domain, and none checked yet")
        func nothing() async throws {
            let scratch = try ScratchStore()
            let empty = try await page(scratch, [])
            #expect(empty.contains("<h1>No domain is watched</h1>") && empty.contains("No domain fits."))
            let first = try await page(scratch, [info("a.test"), info("b.test")])
            #expect(first.contains("<h1>First check in progress: 0 of 2 domains checked</h1>"))
            #expect(first.contains("<rect class=\"done\" width=\"0%\"") && first.contains("refreshes every 2 s"))
            #expect(first.sections == ["Not checked yet"])
        }

        @Test("a removed domain is no longer shown nor counted, and one that comes back is")
        func reload() async throws {
            let (scratch, watched) = try await staged()
            #expect(try await page(scratch, watched).tiles[0].count == "1")
            let fewer = watched.filter { $0.domain.name != "gone.test" }
            let after = try await page(scratch, fewer)
            #expect(after.tiles[0].count == "0" && after.contains(">4 domains, trouble first</p>"))
            #expect(try await page(scratch, watched).tiles[0].count == "1")
        }

        @Test("fifty-one domains and more take a line each, grouped by reason")
        func many() async throws {
            let (scratch, watched) = try await staged()
            let more = try (0..<60).map { try info("w\($0).test", labels: ["team": "c"]) }
            let page = try await page(scratch, watched + more)
            #expect(page.rows.count == 25)
            #expect(page.rows.allSatisfy { $0.markup.contains("class=\"short ") })
            // Groups of one say no more than the rows.
            #expect(page.reasons.isEmpty)
            #expect(page.contains("1–25 of 65") && page.contains("<a href=\"/?page=2\" rel=\"next\">"))
            let refusal = Reply.crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden")
            for index in 0..<6 { try await play("w\(index).test", into: scratch.store, edges: [refusal, refusal]) }
            let summed = try await self.page(scratch, watched + more)
            #expect(summed.reasons == ["7 Opens the website", "1 Follows an old file", "1 Propagating"])
        }

        @Test("with thousands of domains the page stays small")
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
            #expect(page.tiles.map(\.count) == ["0", "0", "50", "2,950"])
            #expect(page.rows.count == 25)
            #expect(page.html.utf8.count < 100 * 1024)
        }
    }
}

/// The overview as its markup shows it.
private struct ShownOverview {
    let html: String
    let tiles: [(count: String, text: String)]
    /// Their titles.
    let sections: [String?]
    let rows: [(name: String, status: String, markup: Substring)]
    /// How many domains have each, and in which state.
    let reasons: [String]

    init(_ page: FrontPage) {
        html = String(decoding: page.html.bytes, as: UTF8.self)
        let text = html
        tiles = text.matches(of: /<b>([0-9,]+)<\/b> <span>([^<]+)<\/span><\/span><span class="fine">/)
            .map { (String($0.1), String($0.2)) }
        let bodies = (text.split(separator: "<caption").last ?? "").split(separator: "<tbody").dropFirst()
        sections = bodies.map { body in body.firstMatch(of: /colspan="6"><b>([^<]+)/).map { String($0.1) } }
        rows = text.matches(of: /<tr role="row" id="d-([^"]+)"(?s:.*?)<\/svg> ([^<]+)<\/td>(?s:.*?)<\/tr>/)
            .map { (String($0.1), String($0.2), $0.0) }
        reasons = text.matches(of: /class="figure">([0-9,]+)<\/th>.*?<\/svg> ([^<]+)</).map { "\($0.1) \($0.2)" }
    }

    func contains(_ text: String) -> Bool { html.contains(text) }
}
