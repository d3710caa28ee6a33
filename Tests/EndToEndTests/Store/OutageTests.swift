// What is told past a store that takes no writes, over kills of the daemon: one story, under one id, with its end.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct OutageTests {
        /// The daemon in the background, on the disk of the shell that goes on; it is killed once the test says so.
        private static func life(_ number: Int) -> String {
            #"{ "$PROGRAM" run --config monitor.yaml 2>life\#(number).log & LIFE=$!; "#
                + "while ! [ -e kill\(number) ]; do sleep 0.1; done; kill -9 $LIFE; wait $LIFE || true; }"
        }

        private static let emptying = "rm disk/filler"

        /// A receiver each for a chat that refuses at first, a webhook and a pager that fails at first, so that it may have
        /// the message, and a watch that tells them.
        private struct Scene {
            let chat: LabReceiver
            let hook: LabReceiver
            let pager: LabReceiver
            let watch: Watch

            init(_ stage: Stage) async throws {
                chat = try await LabReceiver.start()
                hook = try await LabReceiver.start()
                pager = try await LabReceiver.start()
                pager.behaviour = .reply(LabReply(status: 202, headers: [], body: Array(#"{"status":"success"}"#.utf8)))
                pager.next([.reply(LabReply(status: 500))])
                chat.answers(403)
                stage.lab.origin("site.test").serve(file())
                let key = String(repeating: "k", count: 32)
                watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(
                        store: "disk/monitor.db",
                        channels: [
                            Watch.slack(chat.url("/in")), Watch.webhook(hook.url("/in")),
                            #"    - {name: pager, type: pagerduty, routing_key: \#(key), url: "\#(pager.url(""))"}"#,
                        ]))
            }

            func shutdown() async { for receiver in [chat, hook, pager] { await receiver.shutdown() } }

            /// All that they got is one story, of which the chat heard afterwards.
            func expectOneStory() async throws {
                try await until("the ends", seen: { "\(hook.messages.map(\.gist))" }) {
                    hook.messages.last?.type == "incident.resolved" && pager.received.count > 1
                        && chat.received.contains { String(decoding: $0.body, as: UTF8.self).contains("WAS FIRING") }
                }
                let told = try hook.messages.distinct()
                #expect(
                    told.map(\.gist) == ["incident.firing monitor.degraded ", "incident.resolved monitor.degraded "])
                #expect(Set(told.map(\.incident)).count == 1)
                let calls = try pager.received.map { try JSONValue($0.body) }
                #expect(calls.map { $0["event_action"].string } == ["trigger", "resolve"])
                #expect(Set(calls.map { $0["dedup_key"].string }).count == 1)
            }
        }

        private func log(_ stage: Stage, _ number: Int) -> String {
            (try? String(contentsOfFile: stage.path("life\(number).log"), encoding: .utf8)) ?? ""
        }

        @Test(
            "a daemon that is killed while its disk is full leaves the end to the next one, which finds room at once",
            .enabled("a private mount needs user namespaces") { await SmallDisk.isPossible })
        func killed() async throws {
            try await Stage.with { stage in
                let scene = try await Scene(stage)
                let disk = try SmallDisk(stage)
                let process = try disk.start(
                    scene.watch, megabytes: 8, before: "\(Self.life(1)) && \(Self.emptying)")
                try await until("the daemon", seen: { log(stage, 1) }) { log(stage, 1).contains("status page at") }
                try await scene.watch.checks(2, of: "site.test")
                try disk.fill(process)
                try await until("the word past the store", within: .seconds(90), seen: { log(stage, 1) }) {
                    !scene.hook.received.isEmpty && !scene.pager.received.isEmpty && !scene.chat.received.isEmpty
                }
                try stage.write("kill1", "")
                scene.chat.answers(200)
                try await scene.expectOneStory()
                process.signal(SIGTERM)
                #expect(try await process.ended(within: .seconds(5)) == .exit(0), "\(process.errors)")
                await scene.shutdown()
            }
        }

        @Test(
            "daemons that are killed one after the other while they wait for room tell one story",
            .enabled("a private mount needs user namespaces") { await SmallDisk.isPossible })
        func waiting() async throws {
            try await Stage.with { stage in
                let scene = try await Scene(stage)
                let disk = try SmallDisk(stage)
                let process = try disk.start(
                    scene.watch, megabytes: 8,
                    before: #"{ timeout -s TERM 3 "$PROGRAM" run --config monitor.yaml || true; } && "#
                        + "\(SmallDisk.filling) && \(Self.life(1)) && \(Self.life(2))")
                _ = try await scene.hook.deliveries(count: 1, within: .seconds(60))
                try await until("the others") { !scene.pager.received.isEmpty && !scene.chat.received.isEmpty }
                #expect(log(stage, 1).contains("nothing is watched yet"))
                try stage.write("kill1", "")
                // The next one waits as long as it takes to tell of it, and has nothing to tell.
                try await until("the second wait", seen: { log(stage, 2) }) {
                    log(stage, 2).contains("nothing is watched yet")
                }
                try stage.write("kill2", "")
                try await until("the third wait", seen: { process.errors }) {
                    process.errors.contains("nothing is watched yet")
                }
                scene.chat.answers(200)
                try disk.clear(process)
                try await scene.expectOneStory()
                process.signal(SIGTERM)
                #expect(try await process.ended(within: .seconds(5)) == .exit(0), "\(process.errors)")
                await scene.shutdown()
            }
        }
    }
}
