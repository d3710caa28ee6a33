// A store that takes no writes while the daemon runs: the daemon notifies directly, once, and checks continue.

import Foundation
import Lab
import TestTraits
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct StoreTroubleTests {
        /// In real time: the trouble must last for 30 seconds before anybody is notified.
        @Test(
            "a disk that becomes full is notified once, pagers get the end, and SIGTERM still ends it",
            .waitsForTimeout,
            .enabled("a private mount needs user namespaces") { await SmallDisk.isPossible })
        func whileItRuns() async throws {
            try await Stage.with { stage in
                let (hook, pager) = (try await LabReceiver.start(), try await LabReceiver.start())
                pager.behaviour = .reply(LabReply(status: 202, headers: [], body: Array(#"{"status":"success"}"#.utf8)))
                stage.lab.origin("site.test").serve(file())
                let key = String(repeating: "k", count: 32)
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(
                        store: "disk/monitor.db",
                        channels: [
                            Watch.webhook(hook.url("/in")),
                            #"    - {name: pager, type: pagerduty, routing_key: \#(key), url: "\#(pager.url(""))"}"#,
                        ]))
                try FileManager.default.createDirectory(
                    atPath: stage.path("run"), withIntermediateDirectories: false)
                let marker = stage.path("run/store-trouble.json")
                let disk = try SmallDisk(stage)
                let process = try disk.start(
                    watch, megabytes: 8, before: #"export RUNTIME_DIRECTORY="$PWD/run""#)
                try await until("the daemon", seen: { process.errors }) {
                    process.errors.contains("status page at") || process.end != nil
                }
                try #require(process.end == nil, "\(process.errors)")
                try await watch.checks(2, of: "site.test")
                let full = "no space is left"
                try disk.fill(process)
                _ = try await hook.deliveries(count: 1, within: Stage.timeout)
                _ = try await pager.deliveries(count: 1, within: Stage.timeout)
                try await until("the log", seen: { process.errors }) { process.errors.contains(full) }
                let message = try #require(hook.messages.first)
                #expect(message.gist == "incident.firing monitor.degraded ")
                let finding = message.json["data"].finding("monitor.store-failing")
                #expect(finding["message"].string?.contains(full) == true, "\(finding)")
                try await until("the marker") { FileManager.default.fileExists(atPath: marker) }
                // Checks continue, though none can be stored.
                try await watch.checks(1, of: "site.test")
                #expect(hook.messages.count == 1)

                try disk.clear(process)
                _ = try await pager.deliveries(count: 2, within: Stage.timeout)
                let calls = try pager.received.map { try JSONValue($0.body) }
                #expect(calls.map { $0["event_action"].string } == ["trigger", "resolve"])
                #expect(Set(calls.map { $0["dedup_key"].string }).count == 1)
                try await until("the end of the marker") { !FileManager.default.fileExists(atPath: marker) }
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                _ = try await hook.deliveries(count: 2, within: Stage.timeout)
                // Chats get no end.
                #expect(
                    hook.messages.map(\.gist) == [
                        "incident.firing monitor.degraded ", "incident.firing origin.broken site.test",
                    ])

                let said = process.errors.components(separatedBy: full).count
                try disk.fill(process)
                stage.lab.origin("site.test").serve(file())
                try await until("a full disk again", seen: { process.errors }) {
                    process.errors.components(separatedBy: full).count > said
                }
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0), "\(process.errors)")
                for receiver in [hook, pager] { await receiver.shutdown() }
            }
        }
    }
}
