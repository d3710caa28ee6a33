// `config show` and `config schema`.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct ConfigTests {
        @Test("config show prints a valid configuration with every default and no secrets")
        func show() async throws {
            try await Stage.with { stage in
                try stage.write(
                    "monitor.yaml",
                    """
                    version: 1
                    defaults: {interval: 1m}
                    domains: [a.test, {domain: b.test, interval: 2m, labels: {team: "$$x: y", on: 'no'}, channels: [],
                        expect: {apps: [ABCDE12345.com.example.app], urls: [{url: /a, opens: nothing, page: true}]}}]
                    network: {proxy: "http://user:planted@proxy.test"}
                    alerts: {channels: [{name: hook, type: webhook, url: "https://planted.test/x", secret: "\(Watch.secret)"},
                        {name: mail, type: email, url: "smtp://planted.test:587", username: monitor, password: planted,
                         from: monitor@a.test, to: [ops@a.test, b@a.test]}]}
                    maintenance: [{name: n, labels: {team: "*"}, days: [sat], start: "02:00", end: "04:00", zone: UTC}]
                    server: {listen: "[::1]:9630", token: planted-and-never-shown}
                    heartbeat: {url: "https://planted.test/ping"}
                    """)
                let shown = try await stage.run(["config", "show"])
                #expect(shown.end == .exit(0), "\(shown.errors)")
                for line in [
                    "  interval: 1m", "  stale_after: 24h", "- domain: b.test", "interval: 2m", "\"on\": \"no\"",
                    "channels: []", "listen: \"[::1]:9630\"", "token: \"***\"", "  proxy: \"***\"",
                    "requests_per_second: 50.0",
                ] {
                    #expect(shown.output.contains(line), "\(line)\n\(shown.output)")
                }
                #expect(!shown.output.contains("planted") && !shown.output.contains("whsec_"))
                let json = try await stage.run(["config", "show", "--format", "json"]).json()
                #expect(json["domains"][1]["labels"]["team"] == .string("$x: y"))
                #expect(json["alerts"]["channels"][0]["url"] == .string("***"))
                let mail = json["alerts"]["channels"][1]
                #expect(mail["username"] == .string("monitor") && mail["password"] == .string("***"))
                #expect(mail["to"].elements.map(\.string) == ["ops@a.test", "b@a.test"])

                // Apart from hidden values, it reads back as the same configuration.
                let text = shown.output.replacing("proxy: \"***\"", with: "proxy: null")
                    .replacing(#/url: "\*\*\*"(?=\n +username)/#, with: "url: \"smtp://other.test\"")
                    .replacing("url: \"***\"", with: "url: \"https://other.test/x\"")
                    .replacing("secret: \"***\"", with: "secret: \"\(Watch.secret)\"")
                    .replacing("token: \"***\"", with: "token: a-token-of-24-characters")
                try stage.write("again.yaml", text)
                let again = try await stage.run(["config", "show", "--config", "again.yaml"])
                #expect(again.end == .exit(0), "\(again.errors)")
                #expect(again.output == shown.output.replacing("proxy: \"***\"", with: "proxy: null"))

                let broken = try await stage.run(["config", "show", "--config", "none.yaml"])
                #expect(broken.end == .exit(66) && broken.output.isEmpty)
            }
        }

        @Test("an incident kind without an immediate channel is a warning, once for equally routed domains")
        func unheard() async throws {
            try await Stage.with { stage in
                func check(_ domains: String, _ channels: String) async throws -> [String] {
                    try stage.write(
                        "monitor.yaml", "version: 1\ndomains: [\(domains)]\nalerts: {channels: [\(channels)]}\n")
                    let checked = try await stage.run(["config", "check"])
                    #expect(checked.end == .exit(0), "\(checked.errors)")
                    return checked.errors.split(separator: "\n").map(String.init)
                        .filter { $0.contains("no channel is notified immediately of") }
                }
                let chat = #"{name: chat, type: webhook, url: "https://chat.test/x"}"#
                let pager = #"{name: pager, type: webhook, url: "https://pager.test/x", kinds: ["cdn.*"]}"#
                #expect(try await check("a.test, b.test", chat).isEmpty)
                let some = try await check("a.test, b.test", pager)
                #expect(some.count == 1 && some[0].contains("file.broken"), "\(some)")
                #expect(some[0].contains("2 domains, such as a.test") && !some[0].contains("cdn."), "\(some)")
                let none = try await check("a.test, {domain: b.test, channels: []}", chat)
                #expect(none.count == 1 && none[0].contains("for b.test; see"), "\(none)")
            }
        }

        @Test("the schema is JSON of draft 2020-12")
        func schema() async throws {
            try await Stage.withoutLab { stage in
                let json = try await stage.run(["config", "schema"]).json()
                #expect(json["$schema"] == .string("https://json-schema.org/draft/2020-12/schema"))
                #expect(json["properties"]["domains"]["minItems"] == .number(1))
            }
        }
    }
}
