// How long a full check takes, compared with its slowest single answer and with the same requests one after another. `sweep`
// compares the `check` command with a bare loop.

import Curl
import Evidence
import Facts
import Foundation
import Lab
import LabFaults
import Probing
import TestSupport

struct CheckBenchmark {
    private static let rounds = 5
    private static let origins = ["127.0.0.11", "127.0.0.12"]
    private static let edges = (21...28).map { "127.0.0.\($0)" }
    private static let site = "site.test"

    private struct Scene {
        let name: String
        /// Milliseconds before each answer.
        var origin = 0
        var edge = 0
        /// Only of the last edge.
        var slowEdge = 0
        /// Addresses of the origin that accept the request and never answer.
        var deadAddresses = 0
        /// Whether an earlier check saw the file. Otherwise the CDN is asked only after the origin's answer.
        var hadFile = true
        var timeout = 10
    }

    private static let scenes = [
        Scene(name: "no delay"),
        Scene(name: "every answer after 200 ms", origin: 200, edge: 200),
        Scene(name: "the same, at first sight", origin: 200, edge: 200, hadFile: false),
        Scene(name: "one edge after 500 ms", slowEdge: 500),
        Scene(name: "4 addresses dead, 1 s each", deadAddresses: 4, timeout: 1),
    ]

    func run() async throws {
        Output.heading(
            "wall-clock time of a full check: \(Self.origins.count) addresses of the origin, \(Self.edges.count) edges of the CDN",
            [
                ("server", "an embedded lab on loopback, with a delay before each answer"),
                ("runs", "\(Self.rounds) of each; median (least to greatest), milliseconds"),
                ("again", "aasa-monitor-bench check"),
            ])
        var table = Table(["scene", "slowest answer", "check", "beyond it", "requests", "one after another"])
        for scene in Self.scenes {
            var walls: [Double] = []
            var answers: [Double] = []
            for _ in 0..<Self.rounds {
                let (wall, times) = try await measure(scene)
                walls.append(wall)
                answers = times
            }
            let (wall, slowest) = (Spread(walls), answers.max() ?? 0)
            table.add([
                scene.name, slowest.text(0), wall.text(0), (wall.median - slowest).text(0), "\(answers.count)",
                answers.reduce(0, +).text(0),
            ])
        }
        Output.line(table.text + "\n")
    }

    /// - Returns: milliseconds of the whole check and of each answer.
    private func measure(_ scene: Scene) async throws -> (wall: Double, answers: [Double]) {
        let dead = (0..<scene.deadAddresses).map { "127.0.0.\(31 + $0)" }
        let lab = try await Lab.start(addresses: ["127.0.0.1"] + Self.origins + Self.edges + dead)
        prepare(lab, scene, dead)
        let names = [Self.site: Self.origins + dead, LabCDN.host: Self.edges]
        let driver = try CurlDriver(
            network: NetworkSettings(
                caFile: lab.caFile, connectTo: names.keys.map { "\($0):443:\($0):\(lab.port)" },
                resolve: names.map { "\($0):\(lab.port):\($1.joined(separator: ","))" }))
        let probe = DomainProbe(
            driver: driver,
            settings: ProbeSettings(
                cdnBaseURL: lab.cdnBaseURL, timeout: .seconds(scene.timeout), userAgent: "aasa-monitor-bench"))
        let domain = try Domain(Self.site)
        let begin = ContinuousClock.now
        let seen = try await probe.observe(domain, depth: .full, hadFile: scene.hadFile, now: Date())
        let wall = (ContinuousClock.now - begin) / .milliseconds(1)
        await driver.shutdown()
        await lab.shutdown()
        guard let full = seen.full, full.edges.count == Self.edges.count,
            full.addresses.count == Self.origins.count + dead.count
        else { throw BenchFault("the check did not ask every address and every edge") }
        let retrievals =
            [seen.origin, full.rootCopy].compactMap(\.self) + full.addresses.map(\.retrieval)
            + full.agents.map(\.retrieval) + full.edges.map(\.retrieval)
        return (wall, retrievals.compactMap { $0.connection?.timings.total })
    }

    private func prepare(_ lab: Lab, _ scene: Scene, _ dead: [String]) {
        let file = SampleFile.version(1)
        let origin = lab.origin(Self.site)
        origin.behaviour = .after(.milliseconds(scene.origin), .reply(.json(file)))
        for address in dead { origin.on(address: address, .fault(.hang)) }
        for edge in Self.edges {
            let delay = edge == Self.edges.last ? max(scene.edge, scene.slowEdge) : scene.edge
            lab.cdn.behaves(Self.site, .after(.milliseconds(delay), .reply(.json(file))), edge: edge)
        }
    }
}
