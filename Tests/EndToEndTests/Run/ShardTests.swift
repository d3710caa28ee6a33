// Several daemons at one list of domains.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct ShardTests {
        @Test("two shards of one list: each domain is checked by exactly one, and --shard overrides the key")
        func shares() async throws {
            try await Stage.with { stage in
                let hosts = (0..<16).map { "site\($0).test" }
                for host in hosts { stage.lab.origin(host).serve(file()) }
                func asked() -> [String: Int] {
                    Dictionary(uniqueKeysWithValues: hosts.map { ($0, stage.lab.cdn.requests(for: $0).count) })
                }
                let watch = try Watch(
                    stage, hosts, Watch.Settings(interval: "1h", more: "shard: {index: 1, count: 2}"))
                let first = try await stage.run(["run", "--once", "--config", watch.file, "--shard", "0/2"])
                #expect(first.end == .exit(0), "\(first.errors)")
                let before = asked()
                #expect(Set(before.values) == [0, 1])
                let second = try await stage.run(["run", "--once", "--config", watch.file])
                #expect(second.end == .exit(0), "\(second.errors)")
                #expect(Set(asked().values) == [1])
            }
        }
    }
}
