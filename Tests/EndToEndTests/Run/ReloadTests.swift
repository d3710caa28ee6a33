// SIGHUP: a configuration is applied completely or not at all, while checks and deliveries continue.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct ReloadTests {
        private static func reload(_ process: MonitorProcess, _ times: Int) async throws {
            process.signal(SIGHUP)
            try await until("reload \(times)", seen: { process.errors }) {
                process.errors.components(separatedBy: "configuration reloaded").count > times
            }
        }

        @Test("a file with fewer than half of the domains is refused and notified; a second reload accepts it")
        func fewDomains() async throws {
            try await Stage.with { stage in
                let hosts = (1...6).map { "site\($0).test" }
                for host in hosts { stage.lab.origin(host).serve(file()) }
                let receiver = try await LabReceiver.start()
                let settings = Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))])
                let (process, _) = try await Watch(stage, hosts, settings).started()
                _ = try Watch(stage, [hosts[0]], settings)
                process.signal(SIGHUP)
                try await until("the refusal", seen: { process.errors }) {
                    process.errors.contains("it has 1 of 6 domains; if this is intended, reload again")
                }
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                #expect(receiver.messages.first?.kind == "monitor.degraded")
                try await Self.reload(process, 1)
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("when a reload adds, removes and changes domains, open incidents stay open and are notified once")
        func differences() async throws {
            try await Stage.with { stage in
                let lab = stage.lab
                let receiver = try await LabReceiver.start()
                for host in ["stays.test", "goes.test"] { lab.origin(host).behaviour = .reply(.status(500)) }
                lab.origin("comes.test").serve(file())
                // Long: a missing copy must not open its own incident on a slow machine.
                let settings = Watch.Settings(staleAfter: "1h", channels: [Watch.webhook(receiver.url("/in"))])
                let watch = try Watch(stage, ["stays.test", "goes.test"], settings)
                let (process, page) = try await watch.started()
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)

                // A new threshold and a new text: nothing is repeated, nothing is lost.
                var other = settings
                other.defaults = "  failure_threshold: 1\n  recovery_threshold: 2"
                let next = try Watch(stage, ["stays.test", "comes.test"], other)
                try await Self.reload(process, 1)
                try await next.checks(3, of: "comes.test")
                _ = try await receiver.deliveries(count: 3, within: Stage.timeout)
                let overview = try await fetch(page, on: stage)
                #expect(overview.contains("comes.test"))
                #expect(!overview.contains("goes.test"))
                let seen = lab.origin("goes.test").requests.count

                lab.origin("stays.test").serve(file())
                // Otherwise the failure that the CDN remembers would soon be late.
                lab.cdn.refresh("stays.test")
                _ = try await receiver.deliveries(count: 4, within: Stage.timeout)
                try await next.checks(2, of: "stays.test", "comes.test")
                #expect(
                    receiver.messages.map(\.gist).sorted() == [
                        "incident.firing origin.broken goes.test", "incident.firing origin.broken stays.test",
                        "incident.resolved origin.broken goes.test", "incident.resolved origin.broken stays.test",
                    ])
                #expect(
                    receiver.messages.first { $0.gist == "incident.resolved origin.broken goes.test" }?
                        .json["data"]["incident"]["reason"].string == "removed")
                #expect(lab.origin("goes.test").requests.count == seen)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test(
            "a faulty file is reported on the page and in a message; checks and deliveries continue"
        )
        func faulty() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("site.test").serve(file())
                let settings = Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))])
                let watch = try Watch(stage, ["site.test"], settings)
                let (process, page) = try await watch.started()
                try await watch.checks(1, of: "site.test")
                let good = try String(contentsOfFile: stage.path(watch.file), encoding: .utf8)
                var refusals = 0
                for (wrong, words) in [
                    (good.replacing("stale_after:", with: "stale_aftre:"), "monitor.yaml:4:3: "),
                    (good.replacing(stage.lab.caFile, with: "/nonexistent/ca.pem"), "network.ca_file"),
                    ("version: 1\ndomains: [", "monitor.yaml:"), ("", "the file is empty"),
                ] {
                    try stage.write(watch.file, wrong)
                    process.signal(SIGHUP)
                    refusals += 1
                    try await until("the refusal", seen: { process.errors }) {
                        process.errors.contains(words)
                            && process.errors.components(separatedBy: "configuration not reloaded").count > refusals
                    }
                    // Later refusals must not join the first before its message is sent.
                    _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                    let overview = try await fetch(page, on: stage)
                    #expect(overview.contains("change rejected"))
                    try await watch.checks(1, of: "site.test")
                }
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                try stage.write(watch.file, good)
                try await Self.reload(process, 1)
                #expect(try await !fetch(page, on: stage).contains("change rejected"))
                _ = try await receiver.deliveries(count: 3, within: Stage.timeout)
                // Four refusals in a row are one incident.
                #expect(
                    receiver.messages.map(\.gist) == [
                        "incident.firing monitor.degraded ", "incident.firing origin.broken site.test",
                        "incident.resolved monitor.degraded ",
                    ])
                let finding = receiver.messages.first?.json["data"].finding("monitor.config-reload-failed")
                #expect(finding?["message"].string?.contains("monitor.yaml:4:3: ") == true)
                await receiver.shutdown()
            }
        }

        @Test("a refused reload is resolved when a new process starts with a valid file", .waitsForTimeout)
        func refusedBeforeTheEnd() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (first, _) = try await watch.started()
                let good = try String(contentsOfFile: stage.path(watch.file), encoding: .utf8)
                try stage.write(watch.file, "version: 1\ndomains: [")
                first.signal(SIGHUP)
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                try await first.kill9()
                #expect(try await watch.start().ended() == .exit(78))
                try stage.write(watch.file, good)
                let (second, _) = try await watch.started()
                try await until("the end", seen: { second.errors }) {
                    receiver.messages.contains { $0.type == "incident.resolved" }
                }
                // The kill may have come before the first answer was recorded.
                #expect(
                    try receiver.messages.distinct().map(\.gist) == [
                        "incident.firing monitor.degraded ", "incident.resolved monitor.degraded ",
                    ])
                #expect(Set(receiver.messages.map(\.incident)).count == 1)
                second.signal(SIGTERM)
                #expect(try await second.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test(
            "a reload does not cut off a message under way, and the next one goes to the new URL",
            .waitsForTimeout)
        func channels() async throws {
            try await Stage.with { stage in
                let slow = try await LabReceiver.start()
                let fast = try await LabReceiver.start()
                slow.behaviour = .fault(.hang)
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(slow.url("/in"))]))
                let (process, _) = try await watch.started()
                _ = try await slow.deliveries(count: 1, within: Stage.timeout)
                // One more channel needs another driver, and the first one has moved.
                _ = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(channels: [
                        Watch.webhook(fast.url("/moved")), Watch.slack(fast.url("/chat")),
                    ]))
                try await Self.reload(process, 1)
                // The new address gets every firing incident, whatever the old one got.
                try await until("the firing at the new place", seen: { process.errors }) {
                    fast.messages.contains { $0.gist == "incident.firing origin.broken site.test" }
                }
                stage.lab.origin("site.test").serve(file())
                try await until("RESOLVED at the new URL", seen: { process.errors }) {
                    fast.messages.contains { $0.gist == "incident.resolved origin.broken site.test" }
                }
                // The old address gets a last message for each incident. It never answers: on a slow machine each is
                // tried again.
                let told = slow.messages.map(\.gist).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
                let (firing, end) = (
                    "incident.firing origin.broken site.test", "incident.resolved origin.broken site.test"
                )
                #expect(told == [firing] || told == [firing, end], "\(told)")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await slow.shutdown()
                await fast.shutdown()
            }
        }

        @Test("a reload logs settings that need a restart, and accepts a new token")
        func fixedParts() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let good = try String(contentsOfFile: stage.path(watch.file), encoding: .utf8)
                let (process, page) = try await watch.started()
                #expect(try await fetch(page, on: stage).hasSuffix("200"))
                try stage.write("token", "a-token-of-twenty-four-characters\n")
                try stage.write(
                    watch.file,
                    good.replacing(
                        #"server: {listen: "127.0.0.1:0"}"#,
                        with: #"server: {listen: "127.0.0.1:0", token_file: token}"#))
                try await Self.reload(process, 1)
                #expect(try await fetch(page, on: stage).hasSuffix("401"))
                let opened = try await fetch(
                    page.replacing("http://", with: "http://x:a-token-of-twenty-four-characters@"), on: stage)
                #expect(opened.hasSuffix("200"))
                try stage.write(
                    watch.file,
                    good.replacing("path: monitor.db", with: "path: other.db").replacing(
                        #"listen: "127.0.0.1:0""#, with: #"listen: "127.0.0.1:1""#))
                try await Self.reload(process, 2)
                #expect(process.errors.contains("store.path"))
                #expect(process.errors.contains("server.listen"))
                // The address is the old one, and so is its token.
                #expect(try await fetch(page, on: stage).hasSuffix("401"))
                try await watch.checks(1, of: "site.test")
                #expect(!FileManager.default.fileExists(atPath: stage.path("other.db")))
            }
        }
    }
}
