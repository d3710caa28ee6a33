import Foundation
import Lab
import LabFaults
import TestTraits
import Testing

extension LabTests {
    @Suite struct CDN {
        private func ask(_ lab: Lab, _ host: String, _ arguments: [String] = ["-i"]) async throws -> String {
            try await Tool.curl(lab, arguments + ["\(lab.cdnBaseURL)/\(host)"]).output
        }

        @Test("a new host is crawled at the first request and then cached until a refresh")
        func caches() async throws {
            try await withLab { lab in
                let origin = lab.origin("site.test")
                origin.serve(body, contentType: "text/plain")
                let first = try await ask(lab, "Site.test")
                #expect(first.hasPrefix("HTTP/1.1 200 OK\r\n"))
                for line in [
                    "Content-Type: application/json", "Apple-From: \(wellKnown("site.test"))",
                    "Apple-Origin-Format: json", "Cache-Control: max-age=21600,public", "X-Cache: miss",
                    "Content-Length: \(body.utf8.count)",
                ] {
                    #expect(first.contains("\r\n\(line)\r\n"), "\(line)")
                }
                #expect(first.hasSuffix("\r\n\r\n" + body))
                origin.serve(#"{"applinks":{"details":[1]}}"#)
                let second = try await ask(lab, "site.test")
                #expect(second.hasSuffix("\r\n\r\n" + body))
                #expect(second.contains("\r\nX-Cache: hit-fresh\r\n"))
                lab.cdn.refresh("site.test")
                let refreshed = try await ask(lab, "site.test")
                #expect(refreshed.hasSuffix("[1]}}"))
                #expect(lab.cdn.requests(for: "site.test").count == 3)
                #expect(origin.requests.isEmpty)
            }
        }

        @Test("a failure is a 404 with its reason in the headers")
        func failure() async throws {
            try await withLab { lab in
                let origin = lab.origin("site.test")
                origin.serve(body)
                origin.on(userAgentContaining: "AASA-Bot", .reply(.status(403)))
                let answer = try await ask(lab, "site.test")
                #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\n"))
                #expect(answer.contains("\r\nApple-Failure-Reason: SWCERR00101 Bad HTTP Response: 403 Forbidden\r\n"))
                #expect(answer.contains("\r\nApple-Failure-Details: {\"status\":\"403 Forbidden\"}\r\n"))
                #expect(answer.contains("\r\nApple-Try-Direct: false\r\n"))
                #expect(answer.contains("\r\nContent-Length: 10\r\n"))
                #expect(answer.hasSuffix("\r\n\r\nNot Found\n"))
            }
        }

        struct Crawl: Sendable, CustomTestStringConvertible {
            let name: String
            let code: String
            let cause: String
            let prepare: @Sendable (LabOrigin) -> Void
            var testDescription: String { name }
        }

        static let crawls = [
            Crawl(name: "hang", code: "SWCERR00301", cause: "context deadline exceeded") {
                $0.behaviour = .fault(.hang)
            },
            Crawl(name: "silent handshake", code: "SWCERR00301", cause: "context deadline exceeded") {
                $0.handshake = .hang
            },
            Crawl(name: "slow", code: "SWCERR00301", cause: "context deadline exceeded") {
                $0.behaviour = .after(.seconds(20), .reply(.json(body)))
            },
            Crawl(name: "bad JSON", code: "SWCERR00401", cause: "invalid JSON") { $0.serve("{") },
            Crawl(name: "an array", code: "SWCERR00401", cause: "invalid JSON") { $0.serve("[]") },
            Crawl(name: "server error", code: "SWCERR00101", cause: "500 Internal Server Error") {
                $0.behaviour = .reply(.status(500))
            },
            Crawl(name: "expired", code: "SWCERR00302", cause: "x509: certificate has expired") {
                $0.certificate = .expired
            },
            Crawl(name: "wrong name", code: "SWCERR00302", cause: "x509: certificate is valid for") {
                $0.certificate = .wrongName
            },
            Crawl(name: "incomplete chain", code: "SWCERR00302", cause: "x509: certificate signed by unknown authority")
            {
                $0.certificate = .missingIntermediate
            },
            Crawl(name: "redirect to http", code: "SWCERR00302", cause: "insecure") {
                $0.behaviour = .redirect(status: 301, location: "http://site.test/")
            },
            Crawl(name: "redirect loop", code: "SWCERR00302", cause: "stopped after 10 redirects") {
                $0.behaviour = .redirect(status: 302, location: "/again")
            },
            Crawl(name: "no HTTP", code: "SWCERR00302", cause: #"malformed HTTP response \"SSH"#) {
                $0.behaviour = .fault(.notHTTP)
            },
        ]

        @Test("each result of the crawler becomes Apple's code and a cause", arguments: crawls)
        func crawl(crawl: Crawl) async throws {
            try await withLab { lab in
                crawl.prepare(lab.origin("site.test"))
                let answer = try await ask(lab, "site.test")
                #expect(answer.contains("\r\nApple-Failure-Reason: \(crawl.code) "), "\(answer)")
                let prefix = "Apple-Failure-Details: "
                let line = try #require(answer.components(separatedBy: "\r\n").first { $0.hasPrefix(prefix) })
                #expect(line.contains(crawl.cause), "\(line)")
                let details = Data(line.dropFirst(prefix.count).utf8)
                #expect(try JSONSerialization.jsonObject(with: details) is [String: String])
                #expect(answer.contains("\r\nApple-Try-Direct: \(crawl.code == "SWCERR00301")\r\n"))
            }
        }

        @Test("redirects are followed, and all their URLs are reported")
        func redirects() async throws {
            try await withLab { lab in
                lab.origin("site.test").behaviour = .redirect(status: 308, location: wellKnown("www.site.test"))
                lab.origin("www.site.test").serve(body)
                let answer = try await ask(lab, "site.test")
                #expect(answer.contains("Apple-From: \(wellKnown("site.test")), \(wellKnown("www.site.test"))\r\n"))
            }
        }

        @Test("copies, failures and raw behaviours can be forced and removed")
        func forced() async throws {
            try await withLab { lab in
                let cdn = lab.cdn
                cdn.holds("site.test", body: "old", age: .seconds(90))
                let old = try await ask(lab, "site.test")
                #expect(old.hasSuffix("\r\n\r\nold"))
                #expect(try age(old) >= 90)
                cdn.behaves("site.test", .reply(.status(503)))
                let down = try await ask(lab, "site.test")
                #expect(down.hasPrefix("HTTP/1.1 503"))
                cdn.behaves("site.test", nil)
                let back = try await ask(lab, "site.test")
                #expect(back.hasSuffix("\r\n\r\nold"))
                cdn.fails("site.test", reason: "SWCERR00999 New", details: "{}", tryDirect: true)
                let failed = try await ask(lab, "site.test")
                #expect(failed.contains("Apple-Failure-Reason: SWCERR00999 New\r\n"))
                cdn.fails("site.test", reason: nil)
                let unsaid = try await ask(lab, "site.test")
                #expect(unsaid.hasPrefix("HTTP/1.1 404") && !unsaid.contains("Apple-"))
            }
        }

        @Test("edges can differ")
        func edges() async throws {
            try await withLab(addresses: ["127.0.0.1", "127.0.0.2"]) { lab in
                lab.cdn.holds("site.test", body: "new")
                lab.cdn.holds("site.test", body: "old", edge: "127.0.0.2")
                for (address, body) in [("127.0.0.1", "new"), ("127.0.0.2", "old")] {
                    let curl = try await Tool.run(
                        "curl",
                        [
                            "-q", "-sS", "--cacert", lab.caFile, "--connect-to", "::\(address):\(lab.port)",
                            "\(lab.cdnBaseURL)/site.test",
                        ])
                    #expect(curl.output == body)
                }
            }
        }

        @Test("the CDN keeps connections alive")
        func keepAlive() async throws {
            try await withLab { lab in
                lab.cdn.holds("site.test", body: body)
                let url = "\(lab.cdnBaseURL)/site.test"
                let curl = try await Tool.curl(
                    lab, ["-w", "%{num_connects} %{http_version} ", "-o", "/dev/null", url, "-o", "/dev/null", url])
                #expect(curl.output == "1 1.1 0 1.1 ")
            }
        }
    }
}
