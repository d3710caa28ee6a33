// Commands print the same whether they use a running daemon's API or its store.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct RemoteTests {
        /// Without the parts that depend on the time.
        private func timeless(_ text: String) -> String {
            text.replacing(#/(checked|since) [^·\n]*?(ago|now)/#) { "\($0.1)" }
                .replacing(#/served for [^\n]*?  |served for [^\n]*/#, with: "served")
        }

        @Test("status, history and deliveries equal the store's; acknowledgements and silences arrive")
        func story() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("good.test").serve(file())
                stage.lab.origin("bad.test").behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, ["good.test", "bad.test"],
                    Watch.Settings(
                        interval: "1h", defaults: "  failure_threshold: 1",
                        channels: [Watch.webhook(receiver.url("/in"))]))
                // The history is from an earlier run; the daemon does not check again.
                try await watch.past(of: ["good.test", "bad.test"])
                let (process, page) = try await watch.started()
                let url = String(page.dropLast())
                func both(_ command: [String]) async throws -> (remote: MonitorProcess, local: MonitorProcess) {
                    (
                        try await stage.run(command + ["--url", url]),
                        try await stage.run(command + ["--store", "monitor.db"])
                    )
                }
                // A delivery that ends between two commands would make their answers differ.
                try await until("the delivery of the alert", every: .milliseconds(200), seen: { process.errors }) {
                    let log = try await stage.run(["deliveries", "show", "1", "--store", "monitor.db"])
                    return log.output.contains("outcome:  delivered")
                }
                // Each request to the API and each refusal, in one format: both sides derive the other formats from the
                // same data.
                for command in [
                    ["status"], ["status", "bad.test"], ["status", "--format", "nagios"],
                    ["incidents", "--all", "--format", "json"], ["incidents", "ffff"],
                    ["deliveries", "list", "--incident", "ffff"], ["history", "bad.test"],
                    ["deliveries", "list", "--domain", "good.test"], ["deliveries", "show", "1"],
                    ["deliveries", "show", "99"], ["deliveries", "retry", "hook"], ["deliveries", "retry", "other"],
                    ["silence", "list"],
                ] {
                    let (remote, local) = try await both(command)
                    #expect(remote.end == local.end, "\(command) \(remote.errors)")
                    #expect(timeless(remote.output) == timeless(local.output), "\(command)")
                    #expect(remote.errors == local.errors)
                }
                let json = try await both(["status", "--format", "json"])
                let names = { (process: MonitorProcess) in
                    try process.json().elements.map { $0["domain"].string ?? "" }
                }
                #expect(try names(json.remote) == ["bad.test", "good.test"])
                #expect(try names(json.local) == names(json.remote))

                let ack = try await stage.run(
                    ["ack", "bad.test", "--by", "eva", "--reason", "on it", "--url", page])
                #expect(ack.end == .exit(0), "\(ack.errors)")
                #expect(ack.output.contains("acknowledged by eva: origin.broken of bad.test"), "\(ack.output)")
                let acknowledged = try await both(["status", "bad.test"])
                #expect(acknowledged.remote.output.contains("acknowledged by eva"), "\(acknowledged.remote.output)")
                #expect(acknowledged.local.output.contains("acknowledged by eva"))
                let unack = try await stage.run(["unack", "bad.test", "--url", url])
                #expect(unack.output.contains("is no longer acknowledged"), "\(unack.errors)")
                let again = try await both(["unack", "bad.test"])
                #expect(again.remote.end == .exit(64) && again.local.end == .exit(64))
                #expect(again.remote.errors.contains("no open incident of bad.test is acknowledged"))

                let added = try await stage.run(
                    [
                        "silence", "bad.test", "*.shop.test", "team=growth", "--kind", "cdn.stale", "--for", "2h",
                        "--reason", "upgrade", "--author", "eva", "--url", url,
                    ])
                #expect(added.end == .exit(0), "\(added.errors)")
                let id = try #require(added.output.firstMatch(of: #/silence ([^:]+): /#)?.1)
                #expect(added.output.contains("bad.test, *.shop.test, team=growth (cdn.stale)"), "\(added.output)")
                let listed = try await both(["silence", "list", "--format", "json"])
                #expect(try listed.remote.json() == listed.local.json())
                #expect(try listed.local.json().elements.count == 1)
                let ended = try await stage.run(["silence", "end", String(id), "--url", url])
                #expect(ended.output == "silence \(id) has ended: bad.test, *.shop.test, team=growth (cdn.stale)\n")
                let unknown = try await both(["silence", "end", "nothing"])
                #expect(unknown.remote.end == .exit(64) && unknown.remote.errors == unknown.local.errors)

                for command in [
                    ["status", "none.test"], ["history", "none.test"], ["ack", "ffff"], ["ack", "none.test"],
                ] {
                    let (remote, local) = try await both(command)
                    #expect(remote.end == local.end, "\(command) \(remote.errors)")
                    #expect(!remote.errors.isEmpty)
                }
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("a daemon with a token requires it, and the message says what is wrong")
        func token() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                var watch = Watch.Settings()
                watch.more = "# a token for this page"
                let daemon = try Watch(stage, ["site.test"], watch)
                let text = try String(contentsOfFile: stage.path("monitor.yaml"), encoding: .utf8)
                try stage.write(
                    "monitor.yaml",
                    text.replacing("server: {listen:", with: "server: {token: \"tell-no-one-of-it\", listen:")
                )
                let (process, page) = try await daemon.started()
                try await daemon.checks(1, of: "site.test")
                try stage.write("wrong", "something else\n")
                try stage.write("right", "tell-no-one-of-it\n")
                try stage.write("empty", "\n")
                func status(_ more: [String]) async throws -> MonitorProcess {
                    try await stage.run(["status", "--url", page] + more)
                }
                let without = try await status([])
                #expect(without.end == .exit(64) && without.errors.contains("give it with --token-file FILE"))
                let wrong = try await status(["--token-file", "wrong"])
                #expect(wrong.end == .exit(64) && wrong.errors.contains("refuses the token in 'wrong'"))
                let empty = try await status(["--token-file", "empty"])
                #expect(empty.end == .exit(66), "\(empty.errors)")
                let missing = try await status(["--token-file", "none"])
                #expect(missing.end == .exit(66) && missing.errors.contains("none"), "\(missing.errors)")
                let right = try await status(["--token-file", "right"])
                #expect(right.end == .exit(0) && right.output.contains("site.test"), "\(right.errors)")
                for process in [without, wrong, empty, missing, right] {
                    #expect(!(process.output + process.errors).contains("tell-no-one-of-it"))
                    #expect(!(process.output + process.errors).contains("something else"))
                }
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
            }
        }

        @Test("--cacert makes the certificate of a private authority trusted")
        func privateAuthority() async throws {
            try await Stage.with { stage in
                let identity = try stage.lab.authority.identity(for: "localhost", .valid, now: Date())
                try stage.write("server.pem", identity.certificatesPEM + identity.keyPEM)
                let port = try stage.port()
                let server = try stage.tool(
                    "openssl",
                    [
                        "s_server", "-accept", "\(port)", "-cert", stage.path("server.pem"), "-cert_chain",
                        stage.path("server.pem"), "-www", "-quiet",
                    ])
                func status(_ more: [String]) async throws -> MonitorProcess {
                    try await stage.run(["status", "--url", "https://localhost:\(port)"] + more)
                }
                var refused = try await status([])
                try await until("the server", seen: { server.errors + refused.errors }) {
                    refused = try await status([])
                    return refused.errors.contains("is not trusted") || server.end != nil
                }
                #expect(refused.end == .exit(66) && refused.errors.contains("--cacert FILE"), "\(refused.errors)")
                // The server is reachable, but is another program.
                let trusted = try await status(["--cacert", stage.lab.caFile])
                #expect(trusted.errors.contains("is not an aasa-monitor daemon"), "\(trusted.errors)")
                let missing = try await status(["--cacert", "none.pem"])
                #expect(missing.end == .exit(66) && missing.errors.contains("--cacert: cannot read 'none.pem'"))
                let alone = try await stage.run(["status", "--cacert", stage.lab.caFile])
                #expect(alone.end == .exit(64) && alone.errors.contains("--cacert needs --url"))
            }
        }

        @Test("the message says if no daemon or another program answers")
        func strangers() async throws {
            try await Stage.withoutLab { stage in
                let other = try await LabReceiver.start()
                let port = try stage.port()
                func expect(_ arguments: [String], _ code: Int32, _ words: String) async throws {
                    let process = try await stage.run(arguments)
                    #expect(process.end == .exit(code), "\(arguments) \(process.errors)")
                    #expect(process.errors.contains(words), "\(process.errors)")
                    #expect(process.output.isEmpty)
                }
                try await expect(
                    ["ack", "abcd", "--url", "http://127.0.0.1:\(port)"], 66,
                    "no daemon answers at http://127.0.0.1:\(port): ")
                try await expect(["status", "--url", other.url("")], 66, "is not an aasa-monitor daemon: it answers")
                other.answers(401)
                try await expect(["history", "a.test", "--url", other.url("/")], 66, "is not an aasa-monitor daemon")
                other.behaviour = .reply(
                    LabReply(
                        status: 404, headers: [("X-Request-ID", "1"), ("Content-Type", "application/json")],
                        body: Array(#"{"error":{"code":"not_found","message":"Not Found","request_id":"1"}}"#.utf8)))
                try await expect(
                    ["deliveries", "list", "--url", other.url("")], 70, "has no /api/v1/deliveries: it is an older")
                other.behaviour = .reply(
                    LabReply(status: 200, headers: [("X-Request-ID", "1")], body: Array(#"{"domains":1}"#.utf8)))
                try await expect(["status", "--url", other.url("")], 70, "this version cannot read the answer")
                try await expect(
                    ["status", "--url", other.url(""), "--store", "a.db"], 64,
                    "--url cannot be combined with --store or --config")
                try await expect(["status", "--token-file", "a"], 64, "--token-file needs --url")
                try await expect(["status", "--url", "localhost:9630"], 64, "--url takes an address such as")
                try await expect(
                    ["status", "--store", "a.db", "--config", "b.yaml"], 64, "--store and --config both name a store")
                await other.shutdown()
            }
        }
    }
}
