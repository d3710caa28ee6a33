// A store that takes no writes while the daemon runs: the daemon notifies directly, once, and checks continue.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct StoreTroubleTests {
        /// Runs in real time: trouble is notified only after 30 seconds.
        @Test(
            "a disk that becomes full is notified once, and SIGTERM still ends the daemon",
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
                let disk = try SmallDisk(stage)
                let process = try disk.start(watch, megabytes: 8)
                try await until("the daemon", seen: { process.errors }) {
                    process.errors.contains("status page at") || process.end != nil
                }
                try #require(process.end == nil, "\(process.errors)")
                let page = try #require(process.errors.firstMatch(of: /status page at (http[^ \n]+)/)?.1)
                try await watch.checks(2, of: "site.test")
                let full = "no space is left"
                try disk.fill(process)
                _ = try await hook.deliveries(count: 1, within: Stage.timeout)
                try await until("the log", seen: { process.errors }) { process.errors.contains(full) }
                let message = try #require(hook.messages.first)
                #expect(message.gist == "incident.firing monitor.degraded ")
                let finding = message.json["data"].finding("monitor.store-failing")
                #expect(finding["message"].string?.contains(full) == true, "\(finding)")
                #expect(try await fetch("\(page)readyz", on: stage).hasSuffix("503"))
                // Checks continue, although none can be stored.
                try await watch.checks(1, of: "site.test")
                #expect(hook.messages.count == 1)

                try disk.clear(process)
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                _ = try await hook.deliveries(count: 2, within: Stage.timeout)
                _ = try await pager.deliveries(count: 1, within: Stage.timeout)
                #expect(
                    hook.messages.map(\.gist) == [
                        "incident.firing monitor.degraded ", "incident.firing origin.broken site.test",
                    ])
                let calls = try pager.received.map { try JSONValue($0.body) }
                #expect(calls.map { $0["payload"]["class"].string } == ["origin.broken"], "\(calls)")

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
