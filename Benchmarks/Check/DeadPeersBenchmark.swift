// How long healthy domains wait for their first verdict while an edge of the CDN, or other origins, take no connection. All domains
// begin at once, which is the worst case: the daemon spreads them.

import Curl
import Evidence
import Foundation
import Lab
import Monitoring
import Probing

struct DeadPeersBenchmark {
    /// Odd, so that the median is a run that took place.
    static let rounds = 5

    private static let edges = ["127.0.0.21", "127.0.0.22"]
    private static let hole = "127.0.0.31"

    private struct Scene {
        let name: String
        let healthy: Int
        var deadOrigins = 0
        /// The one that comes first.
        var hasDeadEdge = false
    }

    private static let scenes: [[Scene]] = [
        [
            Scene(name: "120 domains, two edges", healthy: 120),
            Scene(name: "the same, one edge never answers", healthy: 120, hasDeadEdge: true),
        ],
        [
            Scene(name: "100 domains", healthy: 100),
            Scene(name: "the same beside 1,000 dead origins", healthy: 100, deadOrigins: 1000),
        ],
    ]

    func run() async throws {
        Output.line(
            """
            aasa-monitor-bench: wall-clock time until a healthy domain has its first verdict, beside peers that take no connection

            server:  an embedded lab on loopback, in this process; the time limit of a request is 10 s
            runs:    \(Self.rounds) of each, interleaved; median (least to greatest) of the runs, milliseconds
            again:   make bench, or aasa-monitor-bench dead

            """)
        var table = PlainTable(heads: ["scene", "median verdict", "last verdict", "median, ratio"])
        for pair in Self.scenes {
            var waits: [[Spread]] = pair.map { _ in [] }
            for _ in 0..<Self.rounds {
                for (index, scene) in pair.enumerated() { waits[index].append(Spread(try await measure(scene))) }
            }
            let medians = waits.map { Spread($0.map(\.median)) }
            for (index, scene) in pair.enumerated() {
                table.add([
                    scene.name, PlainTable.text(medians[index], digits: 0),
                    PlainTable.text(Spread(waits[index].map(\.greatest)), digits: 0),
                    PlainTable.number(medians[index].median / medians[0].median, digits: 2) + "x",
                ])
            }
        }
        Output.line(table.text + "\n")
    }

    /// The milliseconds until each healthy domain has its verdict.
    private func measure(_ scene: Scene) async throws -> [Double] {
        let deadEdges = scene.hasDeadEdge ? [Self.edges[0]] : []
        let lab = try await Lab.start(addresses: ["127.0.0.1"] + Self.edges.filter { !deadEdges.contains($0) })
        let holes = try ([Self.hole] + deadEdges).map { try LabHole(.dropping, address: $0, port: lab.port) }
        defer { for hole in holes { hole.close() } }
        let healthy = try (0..<scene.healthy).map { try Domain("site\($0).test") }
        let dead = try (0..<scene.deadOrigins).map { try Domain("dead\($0).test") }
        let file = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]}]}}"#
        for domain in healthy {
            lab.origin(domain.name).serve(file)
            lab.cdn.holds(domain.name, body: file)
        }
        // What has no rule of its own leads to the hole.
        let driver = try CurlDriver(
            network: NetworkSettings(
                caFile: lab.caFile,
                connectTo: ["\(LabCDN.host):443:\(LabCDN.host):\(lab.port)"]
                    + healthy.map { "\($0.name):443:127.0.0.1:\(lab.port)" } + ["::\(Self.hole):\(lab.port)"],
                resolve: ["\(LabCDN.host):\(lab.port):\(Self.edges.joined(separator: ","))"]))
        let probe = DomainProbe(
            driver: driver,
            settings: ProbeSettings(
                cdnBaseURL: lab.cdnBaseURL, cdnRequestsPerSecond: 1000, userAgent: "aasa-monitor-bench"))
        let begin = ContinuousClock.now
        let waits = try await withThrowingTaskGroup(of: Double?.self) { group in
            // The dead ones come first.
            for domain in dead {
                group.addTask {
                    _ = try? await Self.firstVerdict(of: domain, by: probe)
                    return nil
                }
            }
            for domain in healthy {
                group.addTask {
                    let verdict = try await Self.firstVerdict(of: domain, by: probe)
                    guard verdict.comparison.state == .inSync else {
                        throw Fault(description: "\(domain): \(verdict.text.oneLine)")
                    }
                    return (ContinuousClock.now - begin) / .milliseconds(1)
                }
            }
            var waits: [Double] = []
            while waits.count < healthy.count, let wait = try await group.next() { waits += [wait].compactMap(\.self) }
            group.cancelAll()
            return waits
        }
        await driver.shutdown()
        await lab.shutdown()
        return waits
    }

    /// As the daemon's first check: a light one, and a full one where that shows trouble.
    private static func firstVerdict(of domain: Domain, by probe: DomainProbe) async throws -> Verdict {
        let state = DomainState(domain: domain)
        let light = try await probe.observe(domain, hadFile: false, now: Date())
        let evaluated = evaluate(state, light, Policy(), now: Date(), wall: Date())
        guard state.wantsFullProbe(after: evaluated) else { return evaluated.verdict }
        let full = try await probe.observe(domain, depth: .full, hadFile: false, now: Date())
        return evaluate(state, full, Policy(), now: Date(), wall: Date(), replacing: light).verdict
    }

    private struct Fault: Error, CustomStringConvertible {
        let description: String
    }
}
