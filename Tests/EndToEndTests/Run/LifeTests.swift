// Starts, signals and stops of the daemon.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct LifeTests {
        @Test("while all sites and receivers hang, the page, SIGHUP and SIGTERM still work")
        func everythingHangs() async throws {
            try await Stage.with { stage in
                let lab = stage.lab
                let receiver = try await LabReceiver.start()
                receiver.behaviour = .fault(.hang)
                lab.origin("origin.test").behaviour = .fault(.hang)
                lab.origin("tls.test").handshake = .hang
                lab.origin("copy.test").serve(file())
                lab.cdn.behaves("copy.test", .fault(.hang))
                lab.origin("broken.test").behaviour = .reply(.status(500))
                lab.cdn.behaves("broken.test", .reply(.status(500)))
                let watch = try Watch(
                    stage, ["origin.test", "tls.test", "copy.test", "broken.test"],
                    Watch.Settings(timeout: "60s", channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, page) = try await watch.started()
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                try await until("the hanging requests") {
                    !lab.origin("origin.test").requests.isEmpty && !lab.cdn.requests(for: "copy.test").isEmpty
                }
                #expect(try await fetch(page + "healthz", on: stage).hasSuffix("200"))
                let overview = try await fetch(page, on: stage)
                #expect(overview.hasSuffix("200"))
                #expect(overview.contains("broken.test"))
                #expect(overview.contains("copy.test"))
                process.signal(SIGHUP)
                try await watch.checks(2, of: "broken.test")
                try await until("the log line about the reload", seen: { process.errors }) {
                    process.errors.contains("configuration reloaded")
                }
                #expect(process.end == nil)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0), "\(process.errors)")
                await receiver.shutdown()
            }
        }

        @Test(
            "if many domains fail at once, messages are grouped, and SIGTERM ends the daemon in between",
            .inTurn(.large))
        func manyFail() async throws {
            try await Stage.with { stage in
                // One digest may be about all of them; it names as many as fit into 20 KB.
                let hosts = (0..<20).map { "site\($0).test" }
                for host in hosts { stage.lab.origin(host).serve(file()) }
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, hosts,
                    Watch.Settings(
                        interval: "1s", groupWait: "5s", alerts: "  group_interval: 5s",
                        channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(1, of: hosts)
                for host in hosts { stage.lab.origin(host).behaviour = .reply(.status(500)) }
                try await until("all domains in messages", seen: { process.errors }) {
                    receiver.messages.reduce(into: Set<String>()) { $0.formUnion($1.domains) }.count == hosts.count
                }
                #expect(receiver.messages.contains { $0.domains.count > 1 }, "\(receiver.messages.map(\.gist))")
                let count = receiver.received.count
                receiver.behaviour = .fault(.hang)
                for host in hosts.prefix(10) { stage.lab.origin(host).serve(file()) }
                _ = try await receiver.deliveries(count: count + 1, within: Stage.timeout)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0), "\(process.errors)")
                #expect(!process.errors.contains("Fatal error"), "\(process.errors)")
                await receiver.shutdown()
            }
        }

        @Test("SIGINT ends the daemon")
        func interrupt() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let (process, _) = try await Watch(stage, ["site.test"], Watch.Settings()).started()
                process.signal(SIGINT)
                #expect(try await process.ended() == .exit(0))
            }
        }

        @Test("SIGTERM during the start ends the daemon without an error", arguments: [0, 60, 250])
        func earlyEnd(_ milliseconds: Int) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let process = try watch.start()
                try await Task.sleep(for: .milliseconds(milliseconds))
                process.signal(SIGTERM)
                let end = try await process.ended()
                // Before the program handles the signal, it kills the process like any other.
                #expect(end == .exit(0) || end == .signal(SIGTERM))
                #expect(!process.errors.contains("rror"))
                // The store is intact.
                let (again, _) = try await watch.started()
                again.signal(SIGTERM)
                #expect(try await again.ended() == .exit(0))
            }
        }

        @Test(
            "after kill -9 during the store's creation the next start works",
            arguments: [10, 40, 80])
        func killedAtBirth(_ milliseconds: Int) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let process = try watch.start()
                try await Task.sleep(for: .milliseconds(milliseconds))
                try await process.kill9()
                let (again, _) = try await watch.started()
                again.signal(SIGTERM)
                #expect(try await again.ended() == .exit(0))
            }
        }

        @Test("a restart sends nothing by itself and continues where it stopped")
        func restart() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                for life in 0..<3 {
                    let (process, _) = try await watch.started()
                    _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                    // A message that is not recorded yet would be sent again.
                    if life == 0 {
                        try await until("the log line about the delivery", seen: { process.errors }) {
                            process.errors.contains("msg=delivered")
                        }
                    }
                    let before = stage.lab.origin("site.test").requests.count
                    try await until("checks") { stage.lab.origin("site.test").requests.count >= before + 3 }
                    process.signal(SIGTERM)
                    #expect(try await process.ended() == .exit(0))
                }
                #expect(receiver.messages.map(\.type) == ["incident.firing"])
                await receiver.shutdown()
            }
        }

        @Test("check with the daemon's configuration knows how long the copy has been old")
        func sharedStore() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file("v1"))
                let watch = try Watch(stage, ["site.test"], Watch.Settings(staleAfter: "1h"))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                stage.lab.origin("site.test").serve(file("v2"))
                try await watch.checks(2, of: "site.test")
                let report = try JSONValue(
                    try await stage.run(["check", "--config", watch.file, "--format", "json", "site.test"]).output)
                #expect(report["comparison"]["state"] == .string("propagating"))
                #expect(report["comparison"]["lag_seconds"].int != nil)
                #expect(process.end == nil)
            }
        }
    }
}

/// What curl gets: the body, followed by the status.
func fetch(_ url: String, on stage: Stage) async throws -> String {
    let curl = try stage.tool(
        "curl", ["-q", "-sS", "--noproxy", "*", "--max-time", Stage.patience, "-w", "%{http_code}", url])
    try await curl.ended()
    return curl.output
}
