import Evidence
import Facts
import Foundation
import Lab
import LabFaults
import TestTraits
import Testing

@testable import Probing

private let pair = ["127.0.0.2", "127.0.0.3"]

extension ProbingTests {
    /// If one of several servers is hostile or broken, the results of the others do not change.
    @Suite("Hostile servers")
    struct HostileTests {
        @Test("a hostile address spoils only its own result", .waitsForTimeout, arguments: LabFault.allCases)
        func address(_ fault: LabFault) async throws {
            try await Scene.with(addresses: pair, names: ["site.test": pair]) { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.on(address: "127.0.0.3", .fault(fault))
                let full = try #require(
                    try await scene.observe(mode: .developer, depth: .full, timeout: Scene.limit).full)
                try #require(full.addresses.map(\.retrieval.isWhole) == [true, false])
                let agents = full.agents.filter { $0.address == "127.0.0.2" }
                #expect(agents.map(\.retrieval.isWhole) == [true, true])
                // The amount read from the hostile server is bounded.
                #expect(full.addresses[1].retrieval.answer?.body.decodedBytes ?? 0 <= ProbeSettings.bodyLimit)
            }
        }

        @Test(
            "an address with a failing handshake spoils only its own result", .waitsForTimeout,
            arguments: LabHandshake.allCases.filter { $0 != .normal })
        func handshake(_ handshake: LabHandshake) async throws {
            try await Scene.with(addresses: pair, names: ["site.test": pair]) { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.on(address: "127.0.0.3", handshake: handshake)
                let full = try #require(
                    try await scene.observe(mode: .developer, depth: .full, timeout: Scene.limit).full)
                try #require(full.addresses.map(\.retrieval.isWhole) == [true, false])
                #expect(full.addresses[1].retrieval.failure != nil)
            }
        }

        @Test(
            "an address without a server spoils only its own result", .waitsForTimeout, arguments: LabHole.Kind.allCases
        )
        func hole(_ kind: LabHole.Kind) async throws {
            try await Scene.with(names: ["site.test": ["127.0.0.1", "127.0.0.31"]]) { scene in
                scene.lab.origin("site.test").serve(file())
                let hole = try await LabHole.taking(kind, address: "127.0.0.31", port: scene.lab.port)
                defer { hole.close() }
                let full = try #require(
                    try await scene.observe(mode: .developer, depth: .full, timeout: Scene.limit).full)
                try #require(full.addresses.map(\.retrieval.isWhole) == [true, false])
                #expect(full.addresses[1].retrieval.failure?.kind == .timedOut)
                #expect(full.addresses[1].retrieval.failure?.phase == (kind == .dropping ? .connecting : .handshaking))
            }
        }

        @Test("a hostile edge spoils only its own result", .waitsForTimeout, arguments: LabFault.allCases)
        func edge(_ fault: LabFault) async throws {
            try await Scene.with(addresses: ["127.0.0.1"] + pair, names: [LabCDN.host: pair]) { scene in
                scene.lab.origin("site.test").serve(file())
                scene.lab.cdn.holds("site.test", body: file())
                scene.lab.cdn.behaves("site.test", .fault(fault), edge: "127.0.0.2")
                let seen = try await scene.observe(depth: .full, timeout: Scene.limit)
                let edges = try #require(seen.full?.edges)
                #expect(edges.map(\.address) == pair)
                #expect(edges.map(\.retrieval.isWhole) == [false, true])
            }
        }

        @Test("a vantage with another answer has its own result", arguments: [true, false])
        func vantage(_ isSOCKS: Bool) async throws {
            try await Scene.with(addresses: ["127.0.0.1", "127.0.0.8"]) { scene in
                let origin = scene.lab.origin("site.test")
                origin.serve(file())
                origin.on(address: "127.0.0.8", .reply(.status(451)))
                let proxy = try await LabProxy.start(to: "127.0.0.8", port: scene.lab.port)
                let probe = scene.probe(
                    vantages: [Vantage(name: "abroad", proxy: Secret(isSOCKS ? proxy.socksURL : proxy.httpURL))])
                let seen = try await probe.observe(
                    try Domain("site.test"), mode: .developer, depth: .full, hadFile: false, now: instant)
                #expect(seen.origin.isWhole)
                #expect(seen.full?.vantages.map { $0.retrieval.answer?.status } == [451])
                // A vantage with a different answer is asked a second time before it is reported.
                #expect(proxy.targets.count == 2)
                await proxy.shutdown()
            }
        }
    }
}

extension Retrieval {
    /// The complete file.
    fileprivate var isWhole: Bool {
        answer?.status == 200 && answer?.body.end == .complete && answer?.body.decodedBytes == file().utf8.count
    }
}
