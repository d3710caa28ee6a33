import Evidence
import Foundation
import Logging
import Monitoring
import StatusServer
import Storage
import Synchronization
import TestSupport
import Testing

extension StatusServerSuite {
    @Suite("Silences over the API")
    struct SilenceRouteTests {
        private let scratch: ScratchStore

        init() throws { scratch = try ScratchStore() }

        private func serving(
            token: String? = nil, onWrite: @escaping @Sendable () async -> Void = {},
            _ body: @escaping @Sendable (Int) async throws -> Void
        ) async throws {
            let (ports, feed) = AsyncStream.makeStream(of: Int.self)
            let server = StatusSite(
                settings: StatusServerSettings(
                    host: "127.0.0.1", port: 0, access: AccessPolicy(token: token), version: "1.2.3",
                    watched: [try info("example.com")],
                    cdnBaseURL: "https://cdn.test/a/v1"),
                store: scratch.store, timekeeper: FixedTime(),
                logger: Logger(label: "t", factory: { _ in SwiftLogNoOpLogHandler() }), onWrite: onWrite,
                onListening: { feed.yield($0) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask { for await port in ports { return try await body(port) } }
                try await group.next()
                group.cancelAll()
            }
        }

        private static let order = #"{"domain": "example.com", "for": "2h", "reason": "upgrade", "author": "eva"}"#

        private func post(
            _ port: Int, _ body: String = order, type: String? = "application/json", headers: [String] = [],
            host: String = "localhost", target: String = "/api/v1/silences"
        ) async throws -> RawAnswer {
            let client = try RawClient(port: port)
            let fields = ["Host: \(host)", "Connection: close", "Content-Length: \(body.utf8.count)"]
            let all = ["POST \(target) HTTP/1.1"] + fields + (type.map { ["Content-Type: \($0)"] } ?? []) + headers
            try client.send(all.joined(separator: "\r\n") + "\r\n\r\n" + body)
            return RawAnswer(try await client.receive())
        }

        @Test("a silence can be created, listed and ended, and each change is reported")
        func life() async throws {
            let writes = Mutex(0)
            try await serving(onWrite: { writes.withLock { $0 += 1 } }) { (port: Int) async throws -> Void in
                let made = try await post(port)
                #expect(made.status == 201)
                #expect(
                    made.body
                        == #"{"author":"eva","domains":["example.com"],"ends_at":"2026-11-21T09:00:00Z","id":1,"#
                        + #""kinds":null,"labels":{},"reason":"upgrade","schema":"aasa-monitor/silence/v1","#
                        + #""scope":"example.com","starts_at":"2026-11-21T07:00:00Z","state":"active","watched_domains":1}"#
                )
                let list = try await ask(port, "/api/v1/silences")
                #expect(list.status == 200 && list.body.contains(#""id":1,"#))
                let ended = try await ask(port, "/api/v1/silences/1", method: "DELETE")
                #expect(ended.status == 200 && ended.body.contains(#""state":"over""#))
                #expect(try await !ask(port, "/api/v1/silences").body.contains(#""id""#))
                #expect(try await ask(port, "/api/v1/silences/7", method: "DELETE").status == 404)
                #expect(writes.withLock(\.self) == 2)
            }
        }

        @Test(
            "an invalid request is refused with a reason, and nothing is stored",
            arguments: [
                ("", "the body is not a JSON object"), ("[]", "the body is not a JSON object"),
                (#"{"for": "2h", "reason": "r", "author": "a"}"#, "a silence needs a domain or a label"),
                (#"{"domain": "example.com", "reason": "r", "author": "a"}"#, "give either 'for' or 'until'"),
                (
                    #"{"domain": "example.com", "for": "2h", "until": "x", "reason": "r"}"#,
                    "give either 'for' or 'until'"
                ),
                (#"{"domain": "example.com", "for": "2 h", "reason": "r"}"#, "'for' is not a duration"),
                (#"{"domain": "example.com", "for": 2, "reason": "r"}"#, "'for' must be a string"),
                (
                    #"{"domain": "example.com", "until": "2020-01-01T00:00:00Z", "reason": "r", "author": "a"}"#,
                    "the end"
                ),
                (#"{"domain": "x", "for": "2h", "reason": "r", "author": "a"}"#, "'domain': 'x' is not a domain"),
                (#"{"domain": "example.com", "for": "2h", "author": "a"}"#, "a silence needs a reason"),
                (#"{"domain": "example.com", "for": "2h", "reason": "r"}"#, "a silence needs an author"),
                (#"{"domain": "example.com", "kind": "cdn.stale", "for": "2h"}"#, "unknown key 'kind'"),
                (#"{"domain": "example.com", "kinds": ["cdn.old"], "for": "2h"}"#, "'cdn.old' is not a kind"),
                (#"{"labels": {"a": 1}, "for": "2h"}"#, "'labels' must be an object of at most 32 strings"),
            ])
        func refused(body: String, words: String) async throws {
            try await serving { (port: Int) async throws -> Void in
                let answer = try await post(port, body)
                #expect(answer.status == 400)
                #expect(answer.body.contains(words), "\(answer.body)")
                #expect(try await scratch.store.silences(notOverAt: .distantPast).isEmpty)
            }
        }

        @Test("another site cannot make its visitor's browser create a silence")
        func otherSites() async throws {
            try await serving { (port: Int) async throws -> Void in
                for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", nil]
                {
                    #expect(try await post(port, type: type).status == 415)
                }
                let host = "127.0.0.1:\(port)"
                for headers in [
                    ["Origin: https://evil.test"], ["Origin: null"], ["Sec-Fetch-Site: cross-site"],
                    ["Sec-Fetch-Site: same-site"], ["Origin: http://\(host).evil.test"],
                ] {
                    #expect(try await post(port, headers: headers, host: host).status == 403)
                    #expect(
                        try await ask(port, "/api/v1/silences/1", method: "DELETE", headers: headers).status == 403)
                }
                // DNS rebinding: a name of another site that resolves to this server.
                #expect(try await post(port, headers: ["Origin: http://evil.test"], host: "evil.test").status == 421)
                #expect(try await post(port, host: "evil.test").status == 421)
                #expect(try await scratch.store.silences(notOverAt: .distantPast).isEmpty)
                let own = ["Origin: http://\(host)", "Sec-Fetch-Site: same-origin"]
                #expect(try await post(port, headers: own, host: host).status == 201)
            }
        }

        @Test("with a token set, every write needs it, under any host name")
        func token() async throws {
            try await serving(token: "s3cret") { (port: Int) async throws -> Void in
                #expect(try await post(port).status == 401)
                #expect(try await ask(port, "/api/v1/silences/1", method: "DELETE").status == 401)
                #expect(try await ask(port, "/api/v1/silences").status == 401)
                let shown = ["Authorization: Bearer s3cret"]
                #expect(try await post(port, headers: shown, host: "status.example.net").status == 201)
            }
        }

        @Test("a body that is too large and other methods are refused")
        func bounds() async throws {
            try await serving { (port: Int) async throws -> Void in
                let large = #"{"domain": ""# + String(repeating: "x", count: 20_000) + #""}"#
                #expect(try await post(port, large).status == 413)
                #expect(try await ask(port, "/api/v1/silences", method: "PUT").status == 405)
                #expect(try await ask(port, "/api/v1/silences", method: "OPTIONS").status == 405)
                #expect(try await ask(port, "/api/v1/silences", method: "DELETE").status == 405)
                #expect(try await post(port, target: "/api/v1/silences/1").status == 405)
            }
        }

        @Test("without the store every request gets 503 and Retry-After")
        func storeAway() async throws {
            try scratch.store.close()
            try await serving { (port: Int) async throws -> Void in
                for answer in [
                    try await post(port), try await ask(port, "/api/v1/silences"),
                    try await ask(port, "/api/v1/silences/1", method: "DELETE"),
                ] {
                    #expect(answer.status == 503 && answer.headers["retry-after"] == "30")
                    #expect(answer.body.contains("the store cannot be read or written"))
                }
            }
        }

        @Test("the page says until when an incident is silenced")
        func page() async throws {
            try await scratch.fire("0123456789abcdef", "example.com")
            try await serving { (port: Int) async throws -> Void in
                #expect(try await !ask(port, "/").body.contains("silenced until"))
                #expect(try await post(port).status == 201)
                #expect(
                    try await ask(port, "/").body.contains(
                        #"silenced until <time datetime="2026-11-21T09:00:00Z">09:00</time>"#))
            }
        }
    }
}
