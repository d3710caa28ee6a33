import Curl
import Evidence
import Facts
import Foundation
import Lab
import LabFaults
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Probing

private let three = ["127.0.0.2", "127.0.0.3", "::1"]

extension ProbingTests {
    @Suite("Full probe")
    struct FullCheckTests {
        @Test("a light probe is one request to the origin and one to the CDN")
        func light() async throws {
            try await Scene.with(addresses: three, names: ["site.test": three, LabCDN.host: three]) { scene in
                scene.lab.origin("site.test").serve(file())
                let seen = try await scene.observe()
                #expect(seen.full == nil)
                #expect(scene.requests("site.test").count == 1)
                #expect(scene.lab.cdn.requests(for: "site.test").count == 1)
            }
        }

        @Test("each address is asked separately, under the domain's own name")
        func addresses() async throws {
            try await Scene.with(addresses: three, names: ["site.test": three]) { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.on(address: "127.0.0.3", .reply(.status(503)))
                let full = try #require(try await scene.observe(depth: .full).full)
                #expect(full.resolution.source == .rules)
                #expect(full.resolution.addresses.map(\.address) == three)
                #expect(full.resolution.addresses.map(\.scope) == [.loopback, .loopback, .loopback])
                #expect(full.addresses.map { $0.retrieval.answer?.status } == [200, 503, 200])
                #expect(full.addresses.map { $0.retrieval.connection?.address } == three)
                #expect(full.addresses.allSatisfy { $0.retrieval.connection?.tls?.trusted == true })
            }
        }

        @Test("an address that refuses connections is distinguished from those that answer")
        func deadAddress() async throws {
            let names = ["site.test": ["127.0.0.9", "127.0.0.2", "127.0.0.3"]]
            try await Scene.with(addresses: ["127.0.0.2", "127.0.0.3"], names: names) { scene in
                scene.lab.origin("site.test").serve(file())
                let full = try #require(try await scene.observe(depth: .full).full)
                #expect(full.addresses.map { $0.retrieval.failure?.kind } == [.connectionRefused, nil, nil])
                // Agents are probed only at addresses that answer.
                let live = ["127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.3"]
                #expect(full.agents.map { $0.retrieval.connection?.address } == live)
                #expect(full.agents.map { $0.retrieval.answer?.status } == [200, 200, 200, 200])
            }
        }

        @Test("a refused certificate is reported for its address")
        func certificate() async throws {
            try await Scene.with { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.certificate = .expired
                // A second handshake reads the chain, within 5 s.
                let seen = try await attempt {
                    try await scene.observe(depth: .full)
                } again: {
                    $0.full?.addresses.first?.retrieval.connection?.tls?.chain.isEmpty != false
                }
                let result = try #require(seen.full?.addresses.first)
                #expect(result.retrieval.failure?.kind == .certificate)
                #expect(result.retrieval.connection?.tls?.problem == .expired)
                #expect(result.retrieval.connection?.tls?.chain.isEmpty == false)
            }
        }

        @Test("Apple's agents are probed under their own names, at the compared address")
        func agents() async throws {
            try await Scene.with { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.on(userAgentContaining: "AASA-Bot", .reply(.status(403)))
                let full = try #require(try await scene.observe(depth: .full).full)
                #expect(full.agents.map(\.agent) == [.crawler, .device])
                #expect(full.agents.map { $0.retrieval.answer?.status } == [403, 200])
                let names = Set(scene.requests("site.test").map(\.userAgent))
                #expect(names.isSuperset(of: AgentResult.Agent.allCases.map(\.userAgent)))
            }
        }

        @Test("the root copy is fetched, and its redirect is noted but not followed")
        func rootCopy() async throws {
            try await Scene.with { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.on(
                    path: "/apple-app-site-association",
                    .redirect(status: 301, location: "/.well-known/apple-app-site-association"))
                let root = try #require(try await scene.observe(depth: .full).full?.rootCopy)
                #expect(root.url == "https://site.test/apple-app-site-association")
                #expect(root.answer?.status == 301)
                #expect(root.redirects.first?.target == "https://site.test/.well-known/apple-app-site-association")
            }
        }

        @Test("each edge is asked separately, and the first that answers represents the CDN")
        func edges() async throws {
            let edges = ["127.0.0.9"] + three
            try await Scene.with(addresses: ["127.0.0.1"] + three, names: [LabCDN.host: edges]) { scene in
                scene.lab.origin("site.test").serve(file())
                scene.lab.cdn.holds("site.test", body: file("old"), edge: "127.0.0.2")
                scene.lab.cdn.fails("site.test", reason: "SWCERR00301 Timeout", edge: "127.0.0.3")
                let seen = try await scene.observe(depth: .full)
                let results = try #require(seen.full?.edges)
                try #require(results.map(\.address) == edges)
                #expect(results.map { $0.retrieval.answer?.status } == [nil, 200, 404, 200])
                #expect(seen.cdn.retrieval == results[1].retrieval)
                let bodies = results.compactMap { $0.retrieval.answer?.body.hash.flatMap { seen.contents[$0] } }
                #expect(bodies.count == 3)
                #expect(Readings(seen).file(of: results[1].retrieval) != nil)
                #expect(Readings(seen).file(of: results[2].retrieval) == nil)
            }
        }

        @Test("connections to the edges are kept between probes")
        func keptConnections() async throws {
            try await Scene.with(addresses: ["127.0.0.1"] + three, names: [LabCDN.host: three]) { scene in
                scene.lab.origin("site.test").serve(file())
                let probe = scene.probe()
                let seen = Mutex<[String]>([])
                let tell: @Sendable (EdgeNews) -> Void = { news in
                    if case .seen(let result, _) = news { seen.withLock { $0.append(result.address) } }
                }
                try await probe.edges(of: Domain("site.test"), tell: tell)
                let before = scene.lab.connectionsAccepted
                try await probe.edges(of: Domain("site.test"), tell: tell)
                #expect(seen.withLock { $0.sorted() } == (three + three).sorted())
                #expect(scene.lab.connectionsAccepted == before)
            }
        }

        @Test("each edge is reported when it answers, after the addresses")
        func edgeByEdge() async throws {
            try await Scene.with(addresses: ["127.0.0.1"] + three, names: [LabCDN.host: three]) { scene in
                scene.lab.origin("site.test").serve(file())
                scene.lab.cdn.behaves("site.test", .fault(.hang), edge: three[0])
                let news = AsyncStream.makeStream(of: EdgeNews.self)
                let looking = Task {
                    try await scene.probe().edges(of: Domain("site.test")) { news.continuation.yield($0) }
                }
                var asked: [String] = []
                var told: [String] = []
                for await piece in news.stream {
                    switch piece {
                    case .asking(let addresses): asked = addresses
                    case .seen(let result, let contents):
                        #expect(result.retrieval.answer?.body.hash.flatMap { contents[$0] } != nil)
                        told.append(result.address)
                    }
                    // The first of them never answers, and nothing waits for it.
                    if told.count == 2 { break }
                }
                #expect(asked == three)
                #expect(told.sorted() == three.dropFirst().sorted())
                looking.cancel()
                await #expect(throws: CancellationError.self) { try await looking.value }
            }
        }

        @Test("without edges the CDN is asked once, by name")
        func noEdges() async throws {
            try await Scene.with(addresses: ["127.0.0.1"] + three, names: [LabCDN.host: three]) { scene in
                scene.lab.origin("site.test").serve(file())
                let seen = try await scene.probe(asksEdges: false)
                    .observe(Domain("site.test"), depth: .full, hadFile: false, now: instant)
                #expect(seen.full?.edges == [])
                #expect(seen.cdn.retrieval?.answer?.status == 200)
                #expect(scene.lab.cdn.requests(for: "site.test").count == 1)
            }
        }

        @Test("no edge is asked if the origin has no file and never had one", arguments: [404, 410])
        func leftAlone(_ status: Int) async throws {
            try await Scene.with(addresses: ["127.0.0.1"] + three, names: [LabCDN.host: three]) { scene in
                scene.lab.origin("site.test").behaviour = .reply(.status(status))
                let seen = try await scene.observe(depth: .full)
                #expect(seen.cdn == .notAsked(.originHasNoFile))
                #expect(seen.full?.edges == [])
                #expect(scene.lab.cdn.requests(for: "site.test").isEmpty)
            }
        }

        @Test(
            "for a file only at the root, full probes ask the CDN once it is found; light ones do not",
            .waitsForTimeout)
        func rootOnly() async throws {
            let addresses = ["127.0.0.1", "127.0.0.31"]
            try await Scene.with(names: ["site.test": addresses]) { scene in
                let origin = scene.lab.origin("site.test")
                origin.behaviour = .reply(.status(404))
                origin.on(
                    path: "/apple-app-site-association",
                    .reply(.init(headers: [("Content-Type", "application/json")], body: Array(file().utf8))))
                scene.lab.cdn.fails("site.test", reason: "SWCERR00101 Bad HTTP Response: 404 Not Found")
                let hole = try await LabHole.taking(.dropping, address: addresses[1], port: scene.lab.port)
                defer { hole.close() }
                // The dead address delays the survey of addresses for longer than this test may take.
                let result = Task { try await scene.observe(depth: .full, timeout: .seconds(7200)) }
                try await until { !scene.lab.cdn.requests(for: "site.test").isEmpty }
                result.cancel()
                await #expect(throws: CancellationError.self) { try await result.value }
                let full = try await scene.observe(depth: .full, timeout: Scene.limit)
                #expect(full.cdn.retrieval?.answer?.status == 404)
                #expect(Readings(full).light.observation.cdn == .notAsked(.originHasNoFile))
                #expect(try await scene.observe().cdn == .notAsked(.originHasNoFile))
            }
        }

        @Test("a vantage with a dead proxy says so, and delays nothing else")
        func deadVantage() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(file())
                let vantages = [Vantage(name: "elsewhere", proxy: Secret("http://127.0.0.1:1"))]
                let full = try await scene.probe(vantages: vantages)
                    .observe(Domain("site.test"), depth: .full, hadFile: false, now: instant).full
                #expect(full?.vantages.map(\.name) == ["elsewhere"])
                #expect(full?.vantages.first?.retrieval.failure?.kind == .proxy)
                #expect(full?.addresses.first?.retrieval.answer?.status == 200)
            }
        }

        @Test("behind a proxy no address is known, and none is guessed")
        func proxy() async throws {
            let lab = try await Lab.start()
            let driver = try CurlDriver(network: NetworkSettings(caFile: lab.caFile, proxy: "http://127.0.0.1:1"))
            let probe = DomainProbe(
                driver: driver, settings: ProbeSettings(cdnBaseURL: lab.cdnBaseURL, userAgent: "probing-tests"))
            let seen = try await probe.observe(Domain("site.test"), depth: .full, hadFile: true, now: instant)
            #expect(seen.full?.resolution.source == .proxy)
            #expect(seen.full?.addresses == [])
            #expect(seen.full?.edges == [])
            #expect(seen.cdn.retrieval?.failure?.kind == .proxy)
            await driver.shutdown()
            await lab.shutdown()
        }

        @Test(
            "the page of a link is followed over HTTPS, and the App Store only by name",
            arguments: [
                ("/there", 200, nil, nil), ("/moved", 200, nil, nil), ("/gone", 404, nil, nil),
                ("/store", 302, nil, "https://apps.apple.com/app/id1"), ("/plain", 302, .insecure, nil),
                ("/around", 302, .loop, nil),
            ] as [(String, Int, RedirectStop?, String?)])
        func pages(_ path: String, _ status: Int, _ stop: RedirectStop?, _ store: String?) async throws {
            try await Scene.with { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.on(
                    path: "/there", .reply(.init(headers: [("Content-Type", "text/html")], body: Array("x".utf8))))
                origin.on(path: "/moved", .redirect(status: 301, location: "https://site.test/there"))
                origin.on(path: "/store", .redirect(status: 302, location: "https://apps.apple.com/app/id1"))
                origin.on(path: "/plain", .redirect(status: 302, location: "http://site.test/there"))
                origin.on(path: "/around", .redirect(status: 302, location: "/around"))
                let url = "https://site.test\(path)"
                let page = try #require(try await scene.observe(depth: .full, pages: [url]).full?.pages.first)
                #expect(page.url == url)
                #expect(page.retrieval.answer?.status == status)
                #expect(page.retrieval.redirectStop == stop)
                #expect(page.appStore == store)
                #expect(page.retrieval.answer?.body.hash == nil)
            }
        }

        @Test("cancellation ends a full probe immediately, whatever hangs")
        func cancellation() async throws {
            try await Scene.with(addresses: three, names: ["site.test": three]) { scene in
                scene.lab.origin("site.test").behaviour = .fault(.hang)
                let result = Task { try await scene.observe(depth: .full, timeout: .seconds(3600)) }
                try await until { scene.requests("site.test").count >= 3 }
                result.cancel()
                await #expect(throws: CancellationError.self) { try await result.value }
            }
        }
    }
}
