// Many domains, and a process that is killed again and again while everything changes.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct LoadTests {
        /// SplitMix64: the same moments in every run.
        private struct Dice: RandomNumberGenerator {
            var state: UInt64

            mutating func next() -> UInt64 {
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = state
                mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                return mixed ^ (mixed >> 31)
            }
        }

        @Test("ten kills at odd moments under load lose no alert and leave no doubt", arguments: [UInt64(1)])
        func kills(_ seed: UInt64) async throws {
            try await Stage.with(share: .whole) { stage in
                let hosts = (0..<50).map { "site\($0).test" }
                for host in hosts { stage.lab.origin(host).serve(file("v0")) }
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, hosts,
                    Watch.Settings(
                        interval: "1s", staleAfter: "1s", timeout: "10s",
                        channels: [Watch.webhook(receiver.url("/in"))]))
                var dice = Dice(state: seed)
                for round in 1...10 {
                    let process = try watch.start()
                    for host in hosts where Bool.random(using: &dice) {
                        if Bool.random(using: &dice) {
                            stage.lab.origin(host).serve(file("v\(round)"))
                        } else {
                            stage.lab.cdn.refresh(host)
                        }
                    }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 50...2000, using: &dice)))
                    try await process.kill9()
                }

                // Whatever went before: now each site is in step, then each is late, and then in step again.
                let (process, _) = try await watch.started()
                for host in hosts { stage.lab.cdn.refresh(host) }
                try await watch.checks(2, of: hosts)
                try await Self.quiet(receiver, process)
                let before = try receiver.messages.distinct().count
                for host in hosts { stage.lab.origin(host).serve(file("last")) }
                _ = try await receiver.deliveries(count: before + hosts.count, within: .seconds(60))
                for host in hosts { stage.lab.cdn.refresh(host) }
                try await until("all resolves", within: .seconds(150), seen: { process.errors }) {
                    ((try? receiver.messages.distinct().count) ?? 0) >= before + 2 * hosts.count
                }
                let messages = try receiver.messages.distinct()
                #expect(messages.count == before + 2 * hosts.count)
                for host in hosts {
                    let story = messages.filter { $0.domain == host }
                    #expect(story.suffix(2).map(\.type) == ["incident.firing", "incident.resolved"], "\(host)")
                }
                #expect(Set(messages.stories) == [["incident.firing", "incident.resolved"]])
                // A version that came to the CDN and left the origin between two lives of the process was never seen there.
                #expect(Set(messages.map(\.kind)).isSubset(of: ["cdn.stale", "cdn.divergent"]))
                #expect(messages.suffix(2 * hosts.count).allSatisfy { $0.kind == "cdn.stale" })
                process.signal(SIGTERM)
                #expect(try await process.ended(within: .seconds(5)) == .exit(0))
                await receiver.shutdown()
            }
        }

        /// Waits until each incident that was told has its end.
        private static func quiet(_ receiver: LabReceiver, _ process: MonitorProcess) async throws {
            try await until("the end of every incident", within: .seconds(150), seen: { process.errors }) {
                ((try? receiver.messages.distinct()) ?? []).stories.allSatisfy { $0.contains("incident.resolved") }
            }
        }
    }
}
