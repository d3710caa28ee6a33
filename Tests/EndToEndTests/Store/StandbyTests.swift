// A second host that takes over from a copy of the store.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct StandbyTests {
        @Test("a standby continues from a copy made under load: no repeats, and each incident gets RESOLVED")
        func takeover() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                let broken = (0..<6).map { "broken\($0).test" }
                let late = "late.test"
                let hosts = broken + [late] + (0..<6).map { "sound\($0).test" }
                for host in hosts { stage.lab.origin(host).serve(file()) }
                let channels = [Watch.webhook(receiver.url("/in"))]
                let first = try Watch(stage, hosts, Watch.Settings(channels: channels))
                let (process, _) = try await first.started()
                try await first.checks(1, of: hosts)
                for host in broken { stage.lab.origin(host).behaviour = .reply(.status(404)) }
                try await until("a message about each", seen: { "\(receiver.messages.map(\.gist))" }) {
                    receiver.messages.reduce(into: Set()) { $0.formUnion($1.domains) }.isSuperset(of: broken)
                }
                // The answers are stored a moment after the receiver sends them.
                try await until("the outcomes", every: .milliseconds(200)) {
                    let list = try await stage.run(["deliveries", "list"])
                    return list.end == .exit(0) && !list.output.contains("pending")
                }
                try await first.checks(2, of: hosts)

                // Copies one after the other while checks continue, as from a timer.
                for _ in 0..<3 {
                    let copied = try await stage.run(["store", "backup", "--force", "standby.db"])
                    #expect(copied.end == .exit(0), "\(copied.errors)")
                }
                stage.lab.origin(late).behaviour = .reply(.status(404))
                try await until("the message after the copy", seen: { process.errors }) {
                    receiver.messages.contains { $0.domains.contains(late) }
                }
                process.signal(SIGKILL)
                _ = try await process.ended()
                let before = receiver.messages
                let firing = Set(before.filter { $0.type == "incident.firing" }.flatMap(\.incidents))

                let second = try Watch(
                    stage, hosts, Watch.Settings(store: "standby.db", channels: channels), file: "standby.yaml")
                let (standby, _) = try await second.started()
                try await second.checks(3, of: hosts)
                try await until("the message about late.test", seen: { standby.errors }) {
                    receiver.messages.dropFirst(before.count).contains { $0.domains.contains(late) }
                }
                for host in broken + [late] { stage.lab.origin(host).serve(file()) }
                try await until("RESOLVED for each", seen: { "\(receiver.messages.map(\.gist))" }) {
                    Set(receiver.messages.filter { $0.type == "incident.resolved" }.flatMap(\.domains))
                        .isSuperset(of: broken + [late])
                }
                let after = try receiver.messages.dropFirst(before.count).map { $0 }.distinct()
                // Notified again: the one incident that began after the copy.
                #expect(Set(after.filter { $0.type == "incident.firing" }.flatMap(\.domains)) == [late])
                for end in after where end.type == "incident.resolved" && !end.domains.contains(late) {
                    #expect(firing.isSuperset(of: end.incidents), "\(end.gist)")
                }
                standby.signal(SIGTERM)
                #expect(try await standby.ended() == .exit(0))
                await receiver.shutdown()
            }
        }
    }
}
