// The web server examples of docs/fix-it.md, run unchanged, together with the rules that usually break the file.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct FixItTests {
        private static let wellKnown = LabOrigin.wellKnownPath
        private static let caddy = "/usr/bin/caddy"

        @Test(
            "nginx serves the file despite a catch-all, a rule for hidden files, a login and a redirect",
            .enabled(if: Nginx.isInstalled, "nginx is not installed; make setup installs it"))
        func nginx() async throws {
            try await Stage.with { stage in
                let (spa, www) = (try stage.port(), try stage.port())
                let blocks = try Self.blocks("nginx", on: stage)
                try stage.write("users", "")
                let server = try Nginx.serve(
                    """
                    ssl_certificate \(stage.path("site.pem"));
                    ssl_certificate_key \(stage.path("site.key"));
                    server {
                        listen 127.0.0.1:\(spa) ssl;
                        server_name example.com;
                        root \(stage.path("app"));
                        auth_basic "staging";
                        auth_basic_user_file \(stage.path("users"));
                        location ~ /\\. { deny all; }
                        location / { try_files $uri /index.html; }
                        \(blocks[0])
                    }
                    \(blocks[1].replacing("listen 443 ssl", with: "listen 127.0.0.1:\(www) ssl"))
                    """, in: stage.folder, on: stage)
                try await Self.serves(server, spa, stage)
                try await Self.serves(server, www, stage)
                #expect(try await Self.curl("/x", spa, stage).hasPrefix("401 "))
                #expect(try await Self.curl("/x", www, stage).hasPrefix("301 "))
            }
        }

        @Test(
            "Caddy serves the file beside a single-page app",
            .enabled(
                if: FileManager.default.isExecutableFile(atPath: caddy),
                "caddy is not installed; make setup installs it"))
        func caddyServes() async throws {
            try await Stage.with { stage in
                let port = try stage.port()
                let block = try Self.blocks("caddy", on: stage)[0]
                try #require(block.contains("example.com {"))
                try stage.write(
                    "Caddyfile",
                    """
                    {
                    \tadmin off
                    \tauto_https off
                    \tstorage file_system \(stage.path("caddy"))
                    }
                    \(block.replacing("example.com {", with: """
                        https://example.com:\(port) {
                        \tbind 127.0.0.1
                        \ttls \(stage.path("site.pem")) \(stage.path("site.key"))
                        """))
                    """)
                let server = try stage.tool(
                    Self.caddy, ["run", "--adapter", "caddyfile", "--config", stage.path("Caddyfile")])
                try await Self.serves(server, port, stage)
                #expect(try await Self.curl("/x", port, stage).hasPrefix("200 text/html"))
            }
        }

        /// The blocks of a language, with the page's folders replaced by the stage's, which contain an app and the
        /// file.
        private static func blocks(_ language: String, on stage: Stage) throws -> [String] {
            try stage.writeIdentity(for: "example.com")
            for folder in ["app", "static/.well-known"] {
                try FileManager.default.createDirectory(
                    atPath: stage.path(folder), withIntermediateDirectories: true)
            }
            try stage.write("app/index.html", "<title>app</title>")
            try stage.write("static" + wellKnown, file())
            try stage.write("apple-app-site-association", file())
            return try DocumentedPage("docs/fix-it.md").blocks(language).map {
                $0.replacing("/var/www", with: stage.folder.path)
            }
        }

        /// Waits until the server answers, and expects the file in its first answer.
        private static func serves(_ server: MonitorProcess, _ port: Int, _ stage: Stage) async throws {
            try await until("the server", every: .milliseconds(50), seen: { server.errors }) {
                try #require(server.end == nil, "\(server.errors)")
                return try await !curl(wellKnown, port, stage).hasPrefix("000")
            }
            #expect(try await curl(wellKnown, port, stage) == "200 application/json \(file())")
        }

        /// - Returns: status, content type and body.
        private static func curl(_ path: String, _ port: Int, _ stage: Stage) async throws -> String {
            let curl = try stage.tool(
                "curl",
                [
                    "-q", "-s", "-o", "-", "-w", "\n%{http_code} %{content_type}", "--max-time", Stage.patience,
                    "--cacert", stage.lab.caFile, "--resolve", "example.com:\(port):127.0.0.1", "--noproxy", "*",
                    "https://example.com:\(port)\(path)",
                ])
            try await curl.ended()
            let lines = curl.output.split(separator: "\n", omittingEmptySubsequences: false)
            return "\(lines.last ?? "") \(lines.dropLast().joined(separator: "\n"))"
        }
    }
}
