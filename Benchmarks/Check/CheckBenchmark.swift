// How long a full check takes, beside the slowest single answer in it and beside the same requests one after another.

import Curl
import Evidence
import Foundation
import Lab
import Probing

struct CheckBenchmark {
    /// Odd, so that the median is a run that took place.
    static let rounds = 5

    private static let origins = ["127.0.0.11", "127.0.0.12"]
    private static let edges = (21...28).map { "127.0.0.\($0)" }
    private static let site = "site.test"

    func run() async throws {
        Output.line(
            """
            aasa-monitor-bench: wall-clock time of a full check: \(Self.origins.count) addresses of the origin, \
            \(Self.edges.count) edges of the CDN

            server:  an embedded lab on loopback, with a delay before each answer
            runs:    \(Self.rounds) of each; median (least to greatest), milliseconds
            again:   make bench, or aasa-monitor-bench check

            """)
        var table = PlainTable(heads: [
            "scene", "slowest answer", "check", "beyond it", "requests", "one after another",
        ])
        for scene in Self.scenes {
            var walls: [Double] = []
            var seen = Measured()
            for _ in 0..<Self.rounds {
                seen = try await measure(scene)
                walls.append(seen.wall)
            }
            let wall = Spread(walls)
            table.add([
                scene.name, PlainTable.number(seen.slowest, digits: 0), PlainTable.text(wall, digits: 0),
                PlainTable.number(wall.median - seen.slowest, digits: 0), "\(seen.requests)",
                PlainTable.number(seen.sum, digits: 0),
            ])
        }
        Output.line(table.text + "\n")
    }

    private struct Scene {
        let name: String
        /// Before each answer, milliseconds.
        var origin = 0
        var edge = 0
        /// Of the last edge alone.
        var slowEdge = 0
        /// Addresses of the origin that take the request and never answer.
        var deadAddresses = 0
        /// Whether a check before this one saw the file: then the CDN need not wait for the origin.
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

    private struct Measured {
        var wall = 0.0
        var slowest = 0.0
        var sum = 0.0
        var requests = 0
    }

    private func measure(_ scene: Scene) async throws -> Measured {
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
        let full = seen.full?.addresses.map(\.retrieval) ?? []
        let others = (seen.full?.agents.map(\.retrieval) ?? []) + (seen.full?.edges.map(\.retrieval) ?? [])
        let all = [seen.origin, seen.full?.rootCopy].compactMap(\.self) + full + others
        let times = all.compactMap { $0.connection?.timings.total }
        guard seen.full?.edges.count == Self.edges.count, seen.full?.addresses.count == Self.origins.count + dead.count
        else { throw Fault(description: "the check did not ask every address and every edge") }
        return Measured(wall: wall, slowest: times.max() ?? 0, sum: times.reduce(0, +), requests: all.count)
    }

    private func prepare(_ lab: Lab, _ scene: Scene, _ dead: [String]) {
        let file = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]}]}}"#
        let origin = lab.origin(Self.site)
        origin.behaviour = .reply(.json(file, delay: .milliseconds(scene.origin)))
        for address in dead { origin.on(address: address, .fault(.hang)) }
        for edge in Self.edges {
            let delay = edge == Self.edges.last ? max(scene.edge, scene.slowEdge) : scene.edge
            lab.cdn.behaves(Self.site, .reply(.json(file, delay: .milliseconds(delay))), edge: edge)
        }
    }

    private struct Fault: Error, CustomStringConvertible {
        let description: String
    }
}
