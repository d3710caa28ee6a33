import Evidence
import Facts
import Foundation
import MonitorMetrics
import StatusServer
import Storage
import TestSupport
import Testing

@testable import Monitoring

extension StatusServerSuite {
    @Suite("Domain page")
    struct DomainPageTests {
        /// A full check of a.test: two edges with different files, one without a file, a dead address, a vantage.
        private func result() throws -> Observation {
            func hash(_ body: String) -> ContentHash { ContentHash(of: body.utf8) }
            func retrieval(_ body: String, status: Int = 200, _ headers: [String: String] = [:]) -> Retrieval {
                Retrieval(
                    url: "https://a.test/",
                    outcome: .answered(
                        Answer(
                            status: status, headers: headers.map { HeaderField(name: $0.key, value: $0.value) },
                            body: .init(
                                hash: hash(body), decodedBytes: body.utf8.count, wireBytes: body.utf8.count,
                                end: .complete))))
            }
            let dead = Retrieval(
                url: "https://a.test/",
                outcome: .failed(Failure(kind: .timedOut, phase: .connecting, detail: "timed out <b>")))
            let bodies = [#"{"applinks":{}}"#, #"{ "applinks" : {} }"#, #"{"webcredentials":{}}"#, "no", "<html>"]
            func address(_ text: String, _ scope: AddressScope = .public) -> ResolvedAddress {
                ResolvedAddress(address: text, scope: scope)
            }
            return Observation(
                domain: try Domain("a.test"), checkedAt: noon - 600, origin: retrieval(bodies[0]),
                cdn: .asked(retrieval(bodies[0])),
                full: FullCheck(
                    resolution: Resolution(source: .system),
                    addresses: [
                        AddressResult(address: address("192.0.2.1"), retrieval: retrieval(bodies[0])),
                        AddressResult(address: address("10.0.0.1", .private), retrieval: dead),
                        AddressResult(address: address("2001:db8::1"), retrieval: retrieval(bodies[4])),
                    ], vantages: [VantageResult(name: "outside", retrieval: retrieval(bodies[3], status: 403))],
                    edges: [
                        EdgeResult(
                            address: "198.51.100.1", retrieval: retrieval(bodies[1], ["Via": "http/1.1 usqas4-x <i>"])),
                        EdgeResult(address: "198.51.100.2", retrieval: retrieval(bodies[2], ["CDN-Server": "lumn"])),
                        EdgeResult(address: "198.51.100.3", retrieval: retrieval(bodies[3], status: 404)),
                    ]),
                contents: Dictionary(bodies.map { (hash($0), Data($0.utf8)) }) { first, _ in first })
        }

        /// The paths of the parts, after the domain's own.
        static let parts = ["", "/changes", "/edges", "/history", "/findings", "/evidence"]

        @Test("page and JSON show the last full check even after a light one; unknown names get 404")
        func served() async throws {
            let scratch = try ScratchStore()
            let seen = try result()
            let verdict = try state("a.test", .failing, open: [(.cdnStale, .firing)])
            try await scratch.store.commit(Evaluation(state: verdict), of: seen)
            var light = seen
            light.full = nil
            light.checkedAt = noon - 60
            try await scratch.store.commit(Evaluation(state: verdict), of: light)
            let scope = SilenceScope(domains: [try DomainPattern("a.test")])
            _ = try await scratch.store.add(
                Silence(
                    scope: scope, startsAt: noon, endsAt: noon + 3600, author: "eva", reason: "new balancer"))
            try await scratch.serving(watched: [try info("a.test", labels: ["teamName": "x"])]) { port in
                var page = ""
                for part in Self.parts {
                    let answer = try await ask(port, "/domains/a.test\(part)")
                    #expect(answer.status == 200, "\(part)")
                    page += answer.body
                }
                for text in [
                    "<h1><bdi>a.test</bdi></h1>", "<bdi>198.51.100.2</bdi>", ">08:00</time>, by <bdi>eva</bdi>",
                    "no copy (404)",
                    "10.0.0.1", "not public", "From outside", "via: http/1.1 usqas4-x &lt;i&gt;",
                    "failed while connecting: timed out &lt;b&gt;", "/domains/a.test/silence",
                ] {
                    #expect(page.contains(text), "\(text)")
                }
                #expect(!page.contains("{{") && !page.contains("style="))
                let answer = try await ask(port, "/api/v1/domains/a.test")
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"] == "application/json")
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
                #expect(object["schema"] as? String == "aasa-monitor/domain/v1")
                #expect(object["full_at"] as? String == "2026-11-21T06:50:00Z")
                #expect(object["labels"] as? [String: String] == ["teamName": "x"])
                let incidents = try #require(object["incidents"] as? [[String: Any]])
                #expect(incidents.map { $0["silenced_until"] as? String } == ["2026-11-21T08:00:00Z"])
                let origin = try #require(object["origin"] as? [String: Any])
                let cdn = try #require(object["cdn"] as? [String: Any])
                let edges = try #require(cdn["edges"] as? [[String: Any]])
                try #require(edges.map { $0["status"] as? Int } == [200, 200, 404])
                #expect(
                    edges.map { ($0["meaning"] as? String).map { $0 == origin["meaning"] as? String } } == [
                        true, false, nil,
                    ])
                #expect(edges[1]["cdn_server"] as? String == "lumn")
                let addresses = try #require(origin["addresses"] as? [[String: Any]])
                #expect(addresses.map { $0["scope"] as? String } == ["public", "private", "public"])
                #expect(((origin["vantages"] as? [[String: Any]])?.first?["name"] as? String) == "outside")
                for path in [
                    "/domains/b.test", "/api/v1/domains/b.test", "/domains/%3Cscript%3E", "/domains/",
                    "/domains/b.test/edges", "/domains/a.test/nonsense", "/domains/a.test/edges/more",
                ] {
                    #expect(try await ask(port, path).status == 404, "\(path)")
                }
            }
        }

        @Test(
            "an old copy can be reported to Apple with evidence; the page of a single domain has its chart",
            arguments: [(1, [1, 1], false), (2, [1, 1], true), (2, [2, 1], true)])
        func report(_ origin: Int, _ edges: [Int], _ isOffered: Bool) async throws {
            let name = "links.a.test"
            func served(_ version: Int) -> Reply { .file(SampleFile.version(version)) }
            let seen = try Observation.of(
                name, at: noon - 60, origin: served(origin), cdn: nil,
                scene: .calm(served(origin)).edges(edges.map(served)))
            let scratch = try ScratchStore()
            let before = try Observation.of(
                name, at: noon - 7200, origin: served(1), cdn: nil,
                scene: .calm(served(1)).edges([served(1), served(1)]))
            var state = DomainState(domain: try Domain(name))
            for result in [before, seen] {
                let made = evaluate(
                    state, result, Policy(CheckSettings(failureThreshold: 1)), now: result.checkedAt,
                    wall: result.checkedAt)
                try await scratch.store.commit(made, of: result, after: state)
                state = made.state
            }
            try await scratch.serving(watched: [try info(name)]) { port in
                let page = try await ask(port, "/domains/\(name)/evidence").body
                #expect(page.contains("Apple&#39;s CDN serves an old apple-app-site-association file") == isOffered)
                if isOffered {
                    let report = page.components(separatedBy: "<section id=\"report\">").last ?? ""
                    for text in ["Edge ", "status 200", "body: SHA-256 ", "The file at the origin changed at 2026-"] {
                        #expect(report.contains(text), "\(text)")
                    }
                }
                // A refresh must find each part again, whatever its content.
                let parts = try await ask(port, "/domains/\(name)").body.matches(of: /id="(\w+)" data-live/)
                #expect(
                    parts.map { String($0.output.1) } == [
                        "views", "refresh", "health", "verdict", "tabs", "chart", "effects",
                    ])
                #expect(try await ask(port, "/domains/\(name)/history").body.contains("<svg class=\"days\""))
                let overview = try await ask(port, "/").body
                #expect(overview.contains("When you deploy the next change") && overview.contains("id=\"propagation\""))
            }
            try await scratch.serving(watched: [try info(name), try info("b.test")]) { port in
                let overview = try await ask(port, "/").body
                #expect(!overview.contains("When you deploy the next change"))
            }
        }

        @Test(
            "if all is well, a URL that opens the app lists what only the phone knows",
            arguments: [
                ("/v1/a", 1, [1, 1], true), ("/v2/a", 1, [1, 1], false),
                ("https://other.example/v1/a", 1, [1, 1], false),
                // These are not all well.
                ("/v1/a", 2, [1, 1], false), ("/v1/a", 1, [1, 2], false), ("/v1/a", 2, [2, 1], false),
            ])
        func tried(_ url: String, _ origin: Int, _ edges: [Int], _ isListed: Bool) async throws {
            let name = "links.a.test"
            func served(_ version: Int) -> Reply { .file(SampleFile.version(version)) }
            let seen = try Observation.of(
                name, at: noon - 60, origin: served(origin), cdn: nil,
                scene: .calm(served(origin)).edges(edges.map(served)))
            let scratch = try ScratchStore()
            var state = try state(name, nil)
            state.verdict = Verdict(
                of: Readings(seen), history: .none, checks: CheckSettings(certificateWarning: .seconds(86_400)),
                now: noon)
            try await scratch.store.commit(Evaluation(state: state), of: seen)
            try await scratch.serving(watched: [try info(name)]) { port in
                let page = try await ask(port, "/domains/\(name)?url=\(url)").body
                #expect(page.contains("<details id=\"device\">") == isListed, "\(page)")
                let link = TappedLink(
                    url: "https://\(name)\(url)", host: try Domain(name), domain: try Domain(name), mode: .production,
                    app: "ABCDE12345.com.example.app")
                for reason in isListed ? DeviceReason.possible(for: link) : [] {
                    let (what, test) = (Self.escaped(reason.what), Self.escaped(reason.test.text))
                    #expect(
                        page.contains(
                            "<li><p><bdi>\(what)</bdi></p><p class=\"fine\"><bdi>\(test)</bdi> <a href=\"\(reason.source)\""
                        ),
                        "\(reason.id)")
                }
            }
        }

        private static func escaped(_ text: String) -> String {
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
                .replacing("'", with: "&#39;").replacing("\"", with: "&quot;")
        }
    }
}

extension ScratchStore {
    /// Runs a server over this store around the body.
    func serving(
        watched: [WatchedDomain], token: String? = nil, actions: MonitorActions = MonitorActions(),
        health: MonitorHealth = MonitorHealth(), maintenance: [MaintenanceWindow] = [],
        limits: ConnectionLimits = ConnectionLimits(),
        metrics: @escaping @Sendable () async throws -> Exposition = { Exposition() }, requests: Counter = Counter(),
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let (ports, feed) = AsyncStream.makeStream(of: Int.self)
        let site = StatusSite(
            settings: StatusServerSettings(
                port: 0, access: AccessPolicy(token: token), version: "1.2.3", watched: watched,
                cdnBaseURL: "https://cdn.test",
                maintenance: maintenance, limits: limits),
            store: store, timekeeper: FixedTime(), logger: LineLog().logger, metrics: metrics,
            requests: requests, actions: actions,
            health: { health }, onListening: { feed.yield($0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await site.run() }
            group.addTask {
                for await port in ports { return try await body(port) }
            }
            try await group.next()
            group.cancelAll()
        }
    }
}
