// Several daemons with one list of domains.

import Foundation
import Lab
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct ShardTests {
        @Test("exactly one of two shards checks each domain, and --shard overrides the key")
        func shares() async throws {
            try await Stage.with { stage in
                let hosts = (0..<16).map { "site\($0).test" }
                for host in hosts { stage.lab.origin(host).serve(file()) }
                func asked() -> [String: Int] {
                    Dictionary(uniqueKeysWithValues: hosts.map { ($0, stage.lab.cdn.requests(for: $0).count) })
                }
                let watch = try Watch(
                    stage, hosts, Watch.Settings(interval: "1h", more: "shard: {index: 1, count: 2}"))
                var shares: [Set<String>] = []
                for options in [["--shard", "0/2"], []] {
                    let before = asked()
                    let process = try stage.start(["run", "--config", watch.file] + options)
                    let line = /status page at \S+ for ([0-9]+) domains/
                    try await until("its checks", seen: { process.errors }) {
                        guard let share = process.errors.firstMatch(of: line).flatMap({ Int($0.output.1) }) else {
                            return process.end != nil
                        }
                        return asked().count { $0.value != before[$0.key] } >= share
                    }
                    process.signal(SIGTERM)
                    #expect(try await process.ended() == .exit(0), "\(process.errors)")
                    shares.append(Set(asked().filter { $0.value != before[$0.key] }.keys))
                }
                #expect(shares.allSatisfy { !$0.isEmpty } && shares[0].isDisjoint(with: shares[1]))
                #expect(shares[0].union(shares[1]) == Set(hosts))
            }
        }
    }
}
