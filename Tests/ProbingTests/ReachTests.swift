// Apple's agents at each address, vantages that are asked twice, a single address family, private targets.

import Curl
import Evidence
import Facts
import Foundation
import Lab
import LabFaults
import TestSupport
import TestTraits
import Testing

@testable import Probing

private let pair = ["127.0.0.2", "127.0.0.3"]

extension ProbingTests {
    @Suite("Addresses and vantages")
    struct ReachTests {
        @Test("an agent refused by one of several addresses is reported only there")
        func agentAtOneAddress() async throws {
            try await Scene.with(addresses: pair, names: ["site.test": pair]) { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.on(address: pair[1], userAgentContaining: "AASA-Bot", .reply(.status(403)))
                let agents = try #require(try await scene.observe(mode: .developer, depth: .full).full).agents
                #expect(agents.map(\.address) == [pair[0], pair[0], pair[1], pair[1]])
                #expect(agents.map { $0.retrieval.answer?.status } == [200, 200, 403, 200])
                // The address with a different answer was asked again, the others were not.
                let asked = scene.requests("site.test").filter { $0.userAgent.hasPrefix("AASA-Bot") }
                #expect(asked.map(\.address).sorted() == [pair[0], pair[1], pair[1]])
            }
        }

        @Test(
            "behind a proxy agents are probed after the plain request, and not if the server limits requests",
            arguments: [(200, true), (429, false), (503, false)])
        func agentsBehindProxy(_ status: Int, _ areAsked: Bool) async throws {
            try await Scene.with { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                if status != 200 { origin.on(path: wellKnown, .reply(.status(status))) }
                let proxy = try await LabProxy.start(to: "127.0.0.1", port: scene.lab.port)
                let driver = try CurlDriver(
                    network: NetworkSettings(caFile: scene.lab.caFile, proxy: proxy.httpURL))
                let full = try #require(
                    try await scene.probe(driver).observe(
                        Domain("site.test"), mode: .developer, depth: .full, hadFile: false, now: instant
                    ).full)
                #expect(full.addresses == [] && full.agents.allSatisfy { $0.address == nil })
                #expect(full.agents.map { $0.retrieval.answer?.status } == (areAsked ? [200, 200] : []))
                let names = scene.requests("site.test").filter { $0.path == wellKnown }.map(\.userAgent)
                // The two plain requests run at the same time, so one of them may come after an agent.
                let agents = AgentResult.Agent.allCases.map(\.userAgent)
                #expect(names.first == "probing-tests" && names.count { $0 == "probing-tests" } == 2)
                #expect(names.filter { $0 != "probing-tests" } == (areAsked ? agents : []))
                await driver.shutdown()
                await proxy.shutdown()
            }
        }

        @Test("if the first address is dead, the agents are probed at the next one immediately", .waitsForTimeout)
        func deadFirst() async throws {
            try await Scene.with(names: ["site.test": ["127.0.0.31", "127.0.0.1"]]) { scene in
                scene.lab.origin("site.test").serve(file())
                let hole = try await LabHole.taking(.dropping, address: "127.0.0.31", port: scene.lab.port)
                defer { hole.close() }
                async let seen = scene.observe(mode: .developer, depth: .full, timeout: Scene.limit)
                // They do not wait for the dead address to time out.
                try await until {
                    let names = scene.requests("site.test").map(\.userAgent)
                    return AgentResult.Agent.allCases.allSatisfy { names.contains($0.userAgent) }
                }
                let full = try #require(try await seen.full)
                #expect(full.agents.map(\.address) == ["127.0.0.1", "127.0.0.1"])
                #expect(full.agents.map { $0.retrieval.answer?.status } == [200, 200])
            }
        }

        @Test("a vantage that differs only once counts as equal", .waitsForTimeout)
        func vantageSecondCheck() async throws {
            try await Scene.with(addresses: ["127.0.0.1", "127.0.0.8"]) { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.on(address: "127.0.0.8", .after(.seconds(10), .reply(.status(503))))
                let proxy = try await LabProxy.start(to: "127.0.0.8", port: scene.lab.port)
                async let seen = scene.probe(vantages: [Vantage(name: "abroad", proxy: Secret(proxy.httpURL))])
                    .observe(try Domain("site.test"), mode: .developer, depth: .full, hadFile: false, now: instant)
                // The answer to the second request is set long before the first one is sent.
                try await until { scene.requests("site.test").contains { $0.address == "127.0.0.8" } }
                origin.on(address: "127.0.0.8", LabBehaviour?.none)
                #expect(try await seen.full?.vantages.map { $0.retrieval.answer?.status } == [200])
                #expect(proxy.targets.count == 2)
                await proxy.shutdown()
            }
        }

        @Test("a vantage with the same answer is asked once")
        func vantageOnce() async throws {
            try await Scene.with(addresses: ["127.0.0.1", "127.0.0.8"]) { scene in
                scene.lab.origin("site.test").serve(file())
                let proxy = try await LabProxy.start(to: "127.0.0.8", port: scene.lab.port)
                _ = try await scene.probe(vantages: [Vantage(name: "abroad", proxy: Secret(proxy.socksURL))])
                    .observe(try Domain("site.test"), mode: .developer, depth: .full, hadFile: false, now: instant)
                #expect(proxy.targets.count == 1)
                await proxy.shutdown()
            }
        }

        @Test(
            "a vantage with an unreachable proxy reports its own fault", .waitsForTimeout,
            arguments: ["http", "socks5h"])
        func droppedProxy(_ scheme: String) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(file())
                let hole = try await LabHole.taking(.dropping, address: "127.0.0.31", port: scene.lab.port)
                defer { hole.close() }
                let vantage = Vantage(name: "abroad", proxy: Secret("\(scheme)://127.0.0.31:\(scene.lab.port)"))
                let seen = try await scene.probe(timeout: Scene.limit, vantages: [vantage])
                    .observe(try Domain("site.test"), mode: .developer, depth: .full, hadFile: false, now: instant)
                #expect(seen.full?.vantages.first?.retrieval.failure?.kind == .proxy)
                #expect(seen.origin.answer?.status == 200)
            }
        }

        @Test(
            "a single family without an address is reported as such, and Apple's copy is still fetched",
            arguments: [
                (TransferRequest.AddressFamily.v6, "127.0.0.1", Failure.Kind.noIPv6Address),
                (.v4, "::1", .noIPv4Address),
            ])
        func missingFamily(
            _ family: TransferRequest.AddressFamily, _ address: String, _ kind: Failure.Kind
        ) async throws {
            let both = ["127.0.0.1", "::1"]
            try await Scene.with(addresses: both, names: ["site.test": [address], LabCDN.host: both]) { scene in
                scene.lab.origin("site.test").serve(file())
                let probe = DomainProbe(
                    driver: scene.driver,
                    settings: ProbeSettings(
                        cdnBaseURL: scene.lab.cdnBaseURL, timeout: Scene.patience, family: family,
                        userAgent: "probing-tests"))
                let seen = try await probe.observe(try Domain("site.test"), depth: .full, hadFile: false, now: instant)
                #expect(seen.origin.failure?.kind == kind)
                #expect(seen.origin.failure?.detail.contains(address) == true)
                #expect(seen.full?.resolution.failure?.kind == kind)
                #expect(seen.full?.resolution.addresses == [])
                #expect(seen.cdn.retrieval?.answer?.status == 200)
                #expect(seen.full?.edges.map(\.address) == [family == .v6 ? "::1" : "127.0.0.1"])
            }
        }

        @Test(
            "only a name server that knows Apple's CDN may say that a host does not exist",
            arguments: [
                ("gone.test", "good.test", Failure.Kind.nameNotFound, true),
                ("empty.test", "good.test", .noAddress, true), ("gone.test", "gone.test", .nameNotFound, false),
                ("broken.test", "gone.test", .nameServerFailure, false),
            ])
        func nameServers(_ name: String, _ cdn: String, _ kind: Failure.Kind, _ hasNoFile: Bool) async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let driver = try CurlDriver(resolver: Resolver(servers: server.address))
            let probe = DomainProbe(
                driver: driver,
                settings: ProbeSettings(
                    cdnBaseURL: "https://\(cdn)/a/v1", timeout: Scene.patience, userAgent: "probing-tests"))
            let seen = try await attempt {
                try await probe.observe(try Domain(name), hadFile: false, now: instant)
            } again: {
                // An answer counts only within 2 s.
                $0.origin.failure?.kind == .noNameServer || $0.control?.name?.failure?.kind == .noNameServer
            }
            #expect(seen.origin.failure?.kind == kind)
            #expect((seen.cdn == .notAsked(.originHasNoFile)) == hasNoFile)
            #expect((Readings(seen).observation.origin.ownFault == nil) == hasNoFile)
            await driver.shutdown()
        }

        @Test("a name server that does not answer delays a probe only once")
        func deadNameServer() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let driver = try CurlDriver(resolver: Resolver(servers: server.address))
            let probe = DomainProbe(
                driver: driver,
                settings: ProbeSettings(cdnBaseURL: "https://silent.cdn.test/a/v1", userAgent: "probing-tests"))
            for depth in Depth.allCases {
                server.forget()
                // Both names are looked up at the same time: neither lookup ends within this time.
                let result = Task {
                    try await probe.observe(
                        Domain("silent.test"), depth: depth, hadFile: true, timeout: .seconds(3600), now: instant)
                }
                try await until { server.names.isSuperset(of: ["silent.test", "silent.cdn.test"]) }
                result.cancel()
                await #expect(throws: CancellationError.self) { try await result.value }
                let seen = try await probe.observe(
                    Domain("silent.test"), depth: depth, hadFile: true, timeout: .seconds(2), now: instant)
                #expect(seen.origin.failure?.kind == .noNameServer)
                #expect(seen.cdn.retrieval?.failure?.kind == .noNameServer)
            }
            await driver.shutdown()
        }

        @Test(
            "a private address from this machine's resolver is distinguished from public ones and from the user's rules"
        )
        func ownScope() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            for (rules, scope) in [([], AddressScope.reserved), (["good.test:443:192.0.2.8"], nil)] {
                let driver = try CurlDriver(
                    network: NetworkSettings(resolve: rules), resolver: Resolver(servers: server.address))
                let probe = DomainProbe(
                    driver: driver, settings: ProbeSettings(timeout: .seconds(10), userAgent: "probing-tests"))
                // The limit is short, because the address may never answer. The lookup is repeated if it took too long.
                let (seen, _) = try await attempt {
                    try await probe.original(of: Domain("good.test"))
                } again: {
                    $0.0.failure?.kind == .noNameServer
                }
                #expect(seen.failure != nil && seen.ownScope == scope)
                await driver.shutdown()
            }
        }

        static let privateTargets = [
            "https://10.1.2.3/", "https://127.0.0.1/x", "https://[::1]/", "https://[fd00::1]:8443/",
            "https://169.254.169.254/latest/meta-data/", "https://100.64.0.1/", "https://[::ffff:192.168.0.1]/",
        ]

        @Test("a redirect to a private address is not followed, directly or behind a proxy", arguments: privateTargets)
        func privateTarget(_ target: String) async throws {
            let lab = try await Lab.start()
            let proxy = try await LabProxy.start(to: "127.0.0.1", port: lab.port)
            lab.origin("site.test").on(path: wellKnown, .redirect(status: 302, location: target))
            let networks = [
                NetworkSettings(caFile: lab.caFile, connectTo: [lab.connectTo]),
                NetworkSettings(caFile: lab.caFile, proxy: proxy.httpURL),
                NetworkSettings(caFile: lab.caFile, proxy: proxy.socksURL),
            ]
            for network in networks {
                let driver = try CurlDriver(network: network)
                let probe = DomainProbe(
                    driver: driver, settings: ProbeSettings(timeout: Scene.patience, userAgent: "probing-tests"))
                let seen = try await probe.original(of: try Domain("site.test")).0
                #expect(seen.redirectStop == .privateAddress, "\(seen)")
                #expect(seen.redirects.map(\.location) == [target])
                await driver.shutdown()
            }
            #expect(lab.origin("site.test").requests.count == networks.count)
            #expect(proxy.targets.allSatisfy { $0.hasPrefix("site.test") })
            await proxy.shutdown()
            await lab.shutdown()
        }

        @Test(
            "an invalid Location is kept as sent, and not followed",
            arguments: [
                "javascript:alert(1)", "data:text/html,x", "https://\u{01}\u{1B}[31mred.test/", "mailto:a@site.test",
                "https://si\u{07}te.test/",
            ])
        func oddLocation(_ location: String) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").on(path: wellKnown, .redirect(status: 302, location: location))
                let seen = try await scene.observe()
                #expect(seen.origin.redirectStop == .unreadable)
                #expect(seen.origin.redirects.map(\.location) == [location])
                #expect(scene.requests("site.test").count == 1)
            }
        }

        @Test(
            "a truncated answer is reported with the place where it ended", .waitsForTimeout,
            arguments: [
                (LabFault.headerDrip, Failure.Kind.timedOut, false), (.shortHead, .truncated, false),
                (.shortBody, .truncated, true), (.truncatedChunk, .truncated, true),
                (.resetMidBody, .connectionReset, true), (.slowDrip, .timedOut, true),
            ])
        func brokenOff(_ fault: LabFault, _ kind: Failure.Kind, _ inBody: Bool) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").behaviour = .fault(fault)
                let timeout = kind == .timedOut ? Scene.limit : Scene.patience
                let seen = try await scene.observe(mode: .developer, timeout: timeout).origin
                if inBody, case .cutShort(let failure) = seen.answer?.body.end {
                    #expect(failure.kind == kind)
                } else {
                    #expect(!inBody && seen.failure?.kind == kind, "\(seen.outcome)")
                }
            }
        }
    }
}
