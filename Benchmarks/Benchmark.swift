// The whole run: a server, a trust store of real size, then each scene with its contenders in turn.

import Curl
import Foundation

struct Benchmark {
    /// Odd, so that the median is a run that took place.
    static let rounds = 5
    static let concurrency = 16

    let premises: Premises

    func run() async throws {
        let tools = try Tools()
        let authority = try PrivateAuthority(premises: premises, openssl: tools.openssl)
        let file = ServedFile.content
        let server = try await LocalServer(
            premises: premises, nginx: tools.nginx, identity: authority.identity, file: file)

        Output.line(Self.heading(server: server, authority: authority, bodyBytes: file.count))
        for scene in Scene.allCases {
            let workload = Workload(
                scene: scene, port: server.port(for: scene), caFile: authority.trustStore,
                concurrency: Self.concurrency, bodyBytes: file.count)
            let samples = try await compare(entries(in: scene, tools: tools), workload)
            Output.line("\(scene.title)\n\n\(Table(samples: samples).text)\n")
        }
    }

    /// The first is the one that the others are compared with. Fewer fetches for those known to be slow, so that the whole
    /// stays under a minute; the table tells how many.
    private func entries(in scene: Scene, tools: Tools) -> [Entry] {
        let asItComes = LibcurlContender(path: .asBuilt)
        let ours = DriverContender()
        let tool = CurlToolContender(premises: premises, curl: tools.curl)
        let withoutPath = LibcurlContender(path: .unset)
        return switch scene {
        case .fresh:
            [
                Entry(contender: asItComes, fetches: 64), Entry(contender: ours, fetches: 1024),
                Entry(contender: tool, fetches: 64), Entry(contender: withoutPath, fetches: 1024),
                // As many as it makes in its time.
                Entry(contender: HandshakeFloor(premises: premises, openssl: tools.openssl), fetches: 0),
            ]
        case .kept:
            [
                Entry(contender: asItComes, fetches: 4096), Entry(contender: ours, fetches: 4096),
                Entry(contender: tool, fetches: 4096), Entry(contender: withoutPath, fetches: 4096),
            ]
        }
    }

    /// Interleaved (A B C A B C ...), so that a slow stretch of the machine meets all of them.
    private func compare(_ entries: [Entry], _ workload: Workload) async throws -> [[Sample]] {
        var samples = [[Sample]](repeating: [], count: entries.count)
        for round in 1...Self.rounds {
            for (index, entry) in entries.enumerated() {
                Output.progress("\(workload.scene.title): round \(round) of \(Self.rounds), \(entry.contender.name)")
                let sample = try await entry.contender.sample(workload, fetches: entry.fetches)
                try workload.check(sample)
                samples[index].append(sample)
            }
        }
        Output.progress("")
        return samples
    }

    private static func heading(server: LocalServer, authority: PrivateAuthority, bodyBytes: Int) -> String {
        // libcurl and its TLS library; the others play no part.
        let libraries = CurlDriver.version.split(separator: " ").prefix(2).joined(separator: " ")
        return """
            aasa-monitor-bench: client CPU (user + system) for each fetch of a file of \(bodyBytes) bytes over TLS and HTTP/1.1

            machine: \(ProcessInfo.processInfo.activeProcessorCount) cores, \(libraries)
            server:  \(server.version) on loopback, in processes of its own: its CPU is not counted
            trust:   \(authority.certificates) certificates: the distribution's bundle and a private root (EC P-256)
            runs:    \(rounds) of each, interleaved, \(concurrency) transfers at once; median (least to greatest)
            again:   make bench

            """
    }
}

private struct Entry {
    let contender: any Contender
    let fetches: Int
}
