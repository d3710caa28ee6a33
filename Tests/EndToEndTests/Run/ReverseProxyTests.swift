// The reverse proxy examples of docs/operations.md, run unchanged: real proxies, the built program, and curl as the
// browser.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct ReverseProxyTests {
        @Test(
            "forms, sessions and the client's address work behind nginx",
            .enabled(if: Nginx.isInstalled, "nginx is not installed; make setup installs it"))
        func nginx() async throws {
            try await Stage.with { stage in
                let site = try ProxiedSite(stage, example: "nginx")
                let proxy = try Nginx.serve(
                    try await site.example([
                        "listen 443 ssl": "listen 127.0.0.1:\(site.port) ssl",
                        "/etc/ssl/certs/aasa.example.net.pem": stage.path("site.pem"),
                        "/etc/ssl/private/aasa.example.net.key": stage.path("site.key"),
                    ]), in: stage.folder, on: stage)
                try await site.judge(proxy)
            }
        }

        private static let caddyPath = "/usr/bin/caddy"

        @Test(
            "forms, sessions and the client's address work behind Caddy",
            .enabled(
                if: FileManager.default.isExecutableFile(atPath: caddyPath),
                "caddy is not installed; make setup installs it"))
        func caddy() async throws {
            try await Stage.with { stage in
                let site = try ProxiedSite(stage, example: "caddy")
                try stage.write(
                    "Caddyfile",
                    """
                    {
                    \tadmin off
                    \tauto_https off
                    \tstorage file_system \(stage.path("caddy"))
                    }
                    \(try await site.example([
                        "aasa.example.net {": """
                            https://aasa.example.net:\(site.port) {
                            \tbind 127.0.0.1
                            \ttls \(stage.path("site.pem")) \(stage.path("site.key"))
                            """
                    ]))
                    """)
                let proxy = try stage.tool(
                    Self.caddyPath, ["run", "--adapter", "caddyfile", "--config", stage.path("Caddyfile")])
                try await site.judge(proxy)
            }
        }
    }
}

/// A daemon behind a proxy at https://aasa.example.net, with curl as client.
private struct ProxiedSite {
    let stage: Stage
    let port: Int
    private let text: String
    private let watch: Watch

    private static let token = "a-token-of-24-characters"

    init(_ stage: Stage, example language: String) throws {
        self.stage = stage
        port = try stage.port()
        text = try #require(try DocumentedPage("docs/operations.md").blocks(language).first)
        try stage.writeIdentity(for: "aasa.example.net")
        stage.lab.origin("site.test").serve(file())
        watch = try Watch(stage, ["site.test"], Watch.Settings(interval: "1h"))
        let settings = try String(contentsOfFile: stage.path(watch.file), encoding: .utf8)
        try stage.write("token", Self.token + "\n")
        try stage.write(
            watch.file,
            settings.replacing(
                #"server: {listen: "127.0.0.1:0"}"#,
                with: #"server: {listen: "127.0.0.1:0", public_url: "https://aasa.example.net:\#(port)", "#
                    + "token_file: token, trusted_proxies: [127.0.0.1]}"))
    }

    /// The example from the page in front of the started daemon, with the changes for this test.
    func example(_ changes: [String: String]) async throws -> String {
        let (_, page) = try await watch.started()
        var text = text
        let upstream = try #require(page.firstMatch(of: #/127\.0\.0\.1:\d+/#)).output
        let all = changes.merging(["127.0.0.1:9630": String(upstream)]) { first, _ in first }
        for (from, to) in all {
            try #require(text.contains(from), "\(from)")
            text = text.replacing(from, with: to)
        }
        return text
    }

    private var origin: String { "https://aasa.example.net:\(port)" }

    /// - Returns: the status and the redirect target.
    private func curl(_ path: String, _ options: [String] = [], from address: String = "127.0.0.2") async throws
        -> String
    {
        let curl = try stage.tool(
            "curl",
            [
                "-q", "-sS", "-o", "/dev/null", "-w", "%{http_code} %header{location}", "--max-time", Stage.patience,
                "--cacert", stage.lab.caFile, "--resolve", "aasa.example.net:\(port):127.0.0.1", "--interface", address,
                "--noproxy",
                "*", origin + path,
            ] + options)
        try await curl.ended()
        return curl.output + curl.errors
    }

    func judge(_ proxy: MonitorProcess) async throws {
        try await until("the proxy", every: .milliseconds(50), seen: { proxy.errors }) {
            try #require(proxy.end == nil, "\(proxy.errors)")
            return try await curl("/healthz") == "200 "
        }
        let jar = stage.path("cookies")
        func submit(_ path: String, _ form: String, origin: String? = nil) async throws -> String {
            try await curl(
                path,
                [
                    "-b", jar, "-c", jar, "-H", "Origin: \(origin ?? self.origin)", "-H",
                    "Sec-Fetch-Site: same-origin", "-d", form,
                ])
        }
        #expect(try await curl("/", ["-H", "Accept: text/html"]) == "303 /login")
        #expect(try await submit("/login", "token=\(Self.token)", origin: "https://evil.example") == "403 ")
        #expect(try await submit("/login", "token=\(Self.token)&to=/incidents") == "303 /incidents")
        #expect(try await curl("/", ["-b", jar]) == "200 ")
        let silence = "for=2h&by=eva&reason=deploy"
        #expect(try await submit("/domains/site.test/silence", silence) == "303 /domains/site.test#silence")
        #expect(try await submit("/domains/site.test/silence", silence, origin: "https://evil.example") == "403 ")
        // Whatever address an attacker claims, only the attacker is slowed down. The sixth guess makes it wait for a
        // second, and each further guess after the wait doubles it: even on a slow machine, one guess eventually comes
        // too early.
        var answers: [String] = []
        try await until("an answer that slows down", seen: { "\(answers)" }) {
            let claim = "X-Forwarded-For: 203.0.113.\(answers.count % 256)"
            answers.append(
                try await curl("/", ["-H", "Authorization: Bearer guess", "-H", claim], from: "127.0.0.3"))
            return answers.last == "429 "
        }
        #expect(answers.count > 5 && answers.dropLast().allSatisfy { $0 == "401 " }, "\(answers)")
        #expect(try await curl("/", ["-H", "Authorization: Bearer \(Self.token)"]) == "200 ")
        #expect(try await submit("/login", "end=1") == "303 /login")
        #expect(try await curl("/", ["-b", jar]) == "401 ")
    }
}
