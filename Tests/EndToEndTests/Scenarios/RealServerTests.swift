// nginx and OpenSSL's server as origins, in common configurations.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite("Real servers")
    struct RealServerTests {
        struct Site: Sendable, CustomTestStringConvertible {
            let testDescription: String
            /// Inside the server block.
            let directives: String
            var verdict = "failing"
            var errors: Set<String> = []
            var others: Set<String> = []
            var diagnosis: [String] = []
        }

        private static let path = "www/.well-known/apple-app-site-association"

        static let sites = [
            Site(
                testDescription: "a file with its type", directives: "default_type application/json;", verdict: "ok"),
            Site(
                testDescription: "a type that nginx guesses when it knows none", directives: "", verdict: "ok",
                others: ["origin.content-type"]),
            Site(
                testDescription: "a file served as a page", directives: "default_type text/html;",
                errors: ["origin.content-type"], diagnosis: ["text/html"]),
            Site(
                testDescription: "compression",
                directives: "default_type application/json; gzip on; gzip_types application/json; gzip_min_length 1;",
                verdict: "ok"),
            Site(
                testDescription: "a single-page app that answers everything",
                directives: "location / { rewrite ^ /index.html break; }",
                errors: ["aasa.json-syntax", "origin.content-type"], diagnosis: ["HTML page", "catch-all"]),
            Site(
                testDescription: "a rule against files whose names begin with a dot",
                directives: #"location ~ /\. { deny all; }"#, verdict: "warning", others: ["origin.status"],
                diagnosis: ["403"]),
            Site(
                testDescription: "no file", directives: "location /.well-known { return 404; }",
                errors: ["origin.status"], diagnosis: ["no file at the origin"]),
            Site(
                testDescription: "a rule against bots",
                directives: """
                    default_type application/json;
                    if ($http_user_agent ~* "bot|crawl|spider") { return 403; }
                    """, verdict: "ok", others: ["origin.crawler-refused"], diagnosis: []),
            Site(
                testDescription: "an upstream that is gone",
                directives: "location / { proxy_pass http://127.0.0.1:9; }",
                errors: ["origin.status"], diagnosis: ["502"]),
            Site(
                testDescription: "a redirect to the other name",
                directives: "return 301 https://www.site.test$request_uri;", verdict: "warning",
                others: ["origin.redirect"], diagnosis: ["www.site.test"]),
        ]

        @Test(
            "nginx", .enabled(if: Nginx.isInstalled, "nginx is not installed; make setup installs it"),
            arguments: sites)
        func nginx(_ site: Site) async throws {
            try await Stage.with { stage in
                let hosts = ["site.test", "www.site.test"]
                let server = try await RealServer.nginx(
                    on: stage, hosts: hosts, files: [Self.path: file(), "www/index.html": "<!doctype html><p>App</p>"],
                    """
                    server {
                        listen 127.0.0.1:PORT ssl;
                        server_name site.test;
                        ssl_certificate ROOT/site.test.pem;
                        ssl_certificate_key ROOT/site.test.key;
                        root ROOT/www;
                        \(site.directives)
                    }
                    server {
                        listen 127.0.0.1:PORT ssl;
                        server_name www.site.test;
                        ssl_certificate ROOT/www.site.test.pem;
                        ssl_certificate_key ROOT/www.site.test.key;
                        root ROOT/www;
                        default_type application/json;
                    }
                    """)
                stage.lab.cdn.holds("site.test", body: file())
                let process = try await stage.runNotSlow(
                    ["check", "--format", "json"] + server.network(hosts) + ["site.test"])
                let report = try process.json()
                let isFailing = site.verdict == "failing"
                #expect(process.end == .exit(isFailing ? 1 : 0), "\(process.errors)")
                #expect(report["verdict"] == .string(site.verdict), "\(report)")
                #expect(report.errorRules == site.errors, "\(report)")
                #expect(report.rules.isSuperset(of: site.others), "\(report)")
                for words in site.diagnosis {
                    #expect(report["diagnosis"].string?.contains(words) == true, "\(words): \(report["diagnosis"])")
                }
            }
        }

        @Test(
            "nginx with equal and different files on IPv4 and IPv6",
            .enabled(if: Nginx.isInstalled, "nginx is not installed; make setup installs it"), arguments: [true, false])
        func families(_ areAlike: Bool) async throws {
            let addresses = ["127.0.0.1", "::1"]
            guard Loopback.has(addresses) else {
                print("skipped: this machine has no IPv6 loopback")
                return
            }
            try await Stage.with { stage in
                func block(_ address: String, _ folder: String) -> String {
                    """
                    server {
                        listen \(address):PORT ssl;
                        server_name site.test;
                        ssl_certificate ROOT/site.test.pem;
                        ssl_certificate_key ROOT/site.test.key;
                        root ROOT/\(folder);
                        default_type application/json;
                    }

                    """
                }
                let old = "old/.well-known/apple-app-site-association"
                let server = try await RealServer.nginx(
                    on: stage, hosts: ["site.test"], files: [Self.path: file("v2"), old: file("v1")],
                    addresses: addresses, block("127.0.0.1", "www") + block("[::1]", areAlike ? "www" : "old"))
                stage.lab.cdn.holds("site.test", body: file("v2"))
                let network = server.network(["site.test"], addresses: addresses)
                let process = try await stage.runNotSlow(["check", "--format", "json"] + network + ["site.test"])
                let report = try process.json()
                #expect(report.errorRules == (areAlike ? [] : ["origin.address-differs"]), "\(report)")
                #expect(!report.rules.contains("origin.ipv6-broken"))
            }
        }

        struct Handshake: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let certificate: LabCertificate
            var options: [String] = []
            let rule: String?
        }

        static let handshakes = [
            Handshake(testDescription: "all well", certificate: .valid, rule: nil),
            Handshake(
                testDescription: "no intermediate", certificate: .missingIntermediate,
                rule: "origin.certificate-chain-incomplete"),
            Handshake(testDescription: "expired", certificate: .expired, rule: "origin.certificate-expired"),
            Handshake(
                testDescription: "another name", certificate: .wrongName, rule: "origin.certificate-name-mismatch"),
            Handshake(
                testDescription: "TLS 1.1 only", certificate: .valid,
                options: ["-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0"], rule: "origin.tls-version"),
            Handshake(
                testDescription: "a client certificate demanded", certificate: .valid, options: ["-Verify", "1"],
                rule: "origin.tls-failed"),
        ]

        @Test("OpenSSL's server", arguments: handshakes)
        func openssl(_ handshake: Handshake) async throws {
            try await Stage.with { stage in
                let server = try await RealServer.openssl(
                    on: stage, host: "site.test", certificate: handshake.certificate,
                    answer: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\(file())", handshake.options)
                stage.lab.cdn.holds("site.test", body: file())
                let network = server.network(["site.test"])
                let process = try await stage.runNotSlow(["check", "--format", "json"] + network + ["site.test"])
                let report = try process.json()
                #expect(report.errorRules == Set([handshake.rule].compactMap(\.self)), "\(report)")
                #expect(report["verdict"] == .string(handshake.rule == nil ? "ok" : "failing"))
                if handshake.certificate == .missingIntermediate {
                    #expect(report["diagnosis"].string?.contains("Lab Intermediate") == true, "\(report["diagnosis"])")
                }
            }
        }
    }
}
