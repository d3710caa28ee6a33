// Many domains, and a process that is killed repeatedly while everything changes. Of the kill loops this is the one for
// nightly runs (`make soak`). `KillLoopTests` and each moment of `StoryTests` are part of every run.

import Foundation
import Lab
import TestSupport
import TestTraits
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

        @Test(
            "ten kills at random moments under load lose no alert and leave no incident open",
            .enabled(if: Soak.isWanted, Soak.absence),
            .inTurn(.large, first: true), arguments: UInt64(1)...3)
        func kills(_ seed: UInt64) async throws {
            try await Stage.with { stage in
                let hosts = (0..<50).map { "site\($0).test" }
                for host in hosts { stage.lab.origin(host).serve(file("v0")) }
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, hosts,
                    Watch.Settings(
                        interval: "1s", staleAfter: "1s",
                        channels: [Watch.webhook(receiver.url("/in"))]))
                var dice = Dice(state: seed)
                // Once each: a site that changes more often within an hour is flapping, and its notifications pause.
                var changed: Set<String> = []
                for round in 1...10 {
                    let process = try watch.start()
                    for host in hosts where Bool.random(using: &dice) {
                        if Bool.random(using: &dice), changed.insert(host).inserted {
                            stage.lab.origin(host).serve(file("v\(round)"))
                        } else {
                            stage.lab.cdn.refresh(host)
                        }
                    }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 50...2000, using: &dice)))
                    try await process.kill9()
                }

                // Whatever happened before: now each site is in sync, then each is late, and then in sync again.
                let (process, _) = try await watch.started()
                for host in hosts { stage.lab.cdn.refresh(host) }
                try await watch.checks(2, of: hosts)
                try await Self.quiet(receiver, process)
                // Few at a time: no global incident must cover them.
                for start in stride(from: 0, to: hosts.count, by: 5) {
                    let some = hosts[start..<start + 5]
                    for host in some { stage.lab.origin(host).serve(file("last")) }
                    try await Self.notified("incident.firing", of: some, receiver)
                    for host in some { stage.lab.cdn.refresh(host) }
                    try await Self.notified("incident.resolved", of: some, receiver)
                }
                let messages = try receiver.messages.distinct()
                for host in hosts {
                    let story = messages.filter { $0.domain == host }
                    #expect(story.suffix(2).map(\.type) == ["incident.firing", "incident.resolved"], "\(host)")
                    #expect(story.suffix(2).allSatisfy { $0.kind == "cdn.stale" }, "\(host)")
                }
                // An incident that ended before its firing could be sent again after a kill has a single message.
                let end = "incident.resolved"
                #expect(Set(messages.stories).isSubset(of: [["incident.firing", end], [end]]), "\(messages.stories)")
                // A version that reached the CDN and left the origin between two runs of the process was never seen at
                // the origin.
                #expect(Set(messages.map(\.kind)).isSubset(of: ["cdn.stale", "cdn.divergent", "cdn.wide"]))
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        /// Waits until this is the last message about each of the sites.
        private static func notified(_ type: String, of hosts: ArraySlice<String>, _ receiver: LabReceiver) async throws
        {
            func last(_ host: String) -> String { receiver.messages.last { $0.domain == host }?.type ?? "nothing" }
            try await until(
                type, seen: { hosts.map { "\($0): \(last($0))" }.joined(separator: ", ") }
            ) {
                hosts.allSatisfy { last($0) == type }
            }
        }

        /// Waits until each notified incident has its end.
        private static func quiet(_ receiver: LabReceiver, _ process: MonitorProcess) async throws {
            try await until("the end of every incident", seen: { process.errors }) {
                ((try? receiver.messages.distinct()) ?? []).stories.allSatisfy { $0.contains("incident.resolved") }
            }
        }
    }
}
