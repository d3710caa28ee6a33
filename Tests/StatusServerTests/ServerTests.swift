import Evidence
import Foundation
import Logging
import Monitoring
import ServiceLifecycle
import StatusServer
import Storage
import Synchronization
import TestSupport
import Testing

extension StatusServerSuite {
    @Suite("Server")
    struct ServerTests {
        private let scratch: ScratchStore
        private let log = LineLog()

        init() throws { scratch = try ScratchStore() }

        private func server(
            port: Int = 0, host: String = "127.0.0.1", token: String? = nil, watched: [WatchedDomain] = [],
            limits: ConnectionLimits = ConnectionLimits(), onListening: @escaping @Sendable (Int) async -> Void
        ) -> StatusSite {
            StatusSite(
                settings: StatusServerSettings(
                    host: host, port: port, access: AccessPolicy(token: token), version: "1.2.3", watched: watched,
                    cdnBaseURL: "https://cdn.test/a/v1", limits: limits),
                store: scratch.store, timekeeper: FixedTime(), logger: log.logger, onListening: onListening)
        }

        /// Runs a server around the body and ends it by cancellation.
        private func serving(
            token: String? = nil, watched: [WatchedDomain] = [],
            _ body: @escaping @Sendable (Int, StatusSite) async throws -> Void
        ) async throws {
            let (ports, feed) = AsyncStream.makeStream(of: Int.self)
            let server = server(token: token, watched: watched) { feed.yield($0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask {
                    for await port in ports { return try await body(port, server) }
                }
                try await group.next()
                group.cancelAll()
            }
        }

        @Test("the overview is served whole, as HTML")
        func overview() async throws {
            let (watched, states) = try sample()
            try await scratch.commit(states)
            try await serving(watched: watched) { port, _ in
                let answer = try await ask(port, "/")
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
                #expect(answer.body.contains("<h1>5 of 6 domains open the app, 3 of them at risk, 1 not known</h1>"))
                #expect(answer.body.hasSuffix("</html>\n"))
                #expect(answer.headers["content-length"] == "\(answer.body.utf8.count)")
            }
        }

        @Test(
            "a browser gets a refusal as a page, a program gets plain text",
            arguments: [
                ("/domains/a.tset", 404, "This domain is not watched here", #"<a href="/domains/a.test">"#),
                ("/domains/%3Cscript%3E", 404, "This domain is not watched here", "All domains"),
                ("/nothing", 404, "There is no such page", "All domains"),
                ("/incidents/0123456789ab", 404, "There is no such page", "All domains"),
                ("/incidents?kind=nonsense", 400, "must be one of", "All domains"),
            ])
        func refusals(path: String, status: Int, words: String, link: String) async throws {
            try await serving(watched: [try info("a.test")]) { port, _ in
                let page = try await ask(port, path, headers: ["Accept: text/html"])
                #expect(page.status == status && page.headers["content-type"] == "text/html; charset=utf-8")
                #expect(page.body.contains("<h1>") && page.body.contains(words) && page.body.contains(link))
                #expect(!page.body.contains("<script>"))
                let plain = try await ask(port, path)
                #expect(plain.status == status && plain.headers["content-type"] == "text/plain; charset=utf-8")
                let head = try await ask(port, path, method: "HEAD", headers: ["Accept: text/html"])
                #expect(head.status == status && head.body.isEmpty)
            }
        }

        @Test(
            "an unknown filter value gets 400",
            arguments: ["/?state=nonsense", "/incidents?kind=nonsense"])
        func unknownFilter(path: String) async throws {
            try await serving { port, _ in
                let answer = try await ask(port, path)
                #expect(answer.status == 400 && answer.body.contains("must be one of"))
            }
        }

        static let answers: [(String, String, Int)] = [
            ("GET", "/", 200), ("HEAD", "/", 200), ("GET", "/?x=<script>", 200), ("GET", "/healthz", 200),
            ("HEAD", "/healthz", 200), ("GET", "/nothing", 404), ("HEAD", "/nothing", 404),
            ("GET", "/../etc/passwd", 404),
            ("GET", "/%2e%2e/%00", 404), ("POST", "/", 405), ("DELETE", "/healthz", 405), ("PUT", "/nothing", 404),
            ("OPTIONS", "/", 405), ("PROPFIND", "/", 405), ("TRACE", "/", 405),
        ]

        @Test("each answer has its status and security headers, and no body after HEAD", arguments: answers)
        func status(method: String, target: String, expected: Int) async throws {
            try await serving { port, _ in
                let answer = try await ask(port, target, method: method)
                #expect(answer.status == expected)
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "same-origin")
                #expect(
                    answer.headers["cache-control"]
                        == (target.hasPrefix("/?") || target == "/" ? "no-cache, private" : "no-store")
                        || expected != 200)
                let policy = try #require(answer.headers["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'; "))
                #expect(!policy.contains("unsafe"))
                #expect(answer.body.isEmpty == (method == "HEAD"))
                #expect(answer.headers["allow"] == (expected == 405 ? "GET, HEAD" : nil))
                if expected != 200 { #expect(answer.headers["content-type"] == "text/plain; charset=utf-8") }
            }
        }

        @Test(
            "the connection closes after the answer for HTTP/1.0 and Connection: close",
            arguments: ["HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: keep-alive\r\n", "HTTP/1.1\r\nConnection: Close\r\n"])
        func connectionEnds(_ version: String) async throws {
            try await serving { port, _ in
                let client = try RawClient(port: port)
                try client.send("GET /healthz \(version)Host: 127.0.0.1:\(port)\r\n\r\n")
                // It ends only if the server closes the connection.
                let answer = try await client.receive()
                #expect(answer.hasSuffix("\r\n\r\nok\n"), "\(answer)")
            }
        }

        @Test("health is answered with `ok`")
        func health() async throws {
            try await serving { port, _ in
                let answer = try await ask(port, "/healthz")
                #expect(answer.body == "ok\n")
                #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
            }
        }

        private static func basic(_ text: String) -> String { "Basic " + Data(text.utf8).base64EncodedString() }

        static let credentials: [(String?, Int)] = [
            (nil, 401), ("Bearer s3cret", 200), ("bearer  s3cret", 200), ("Bearer s3cre", 401), ("Bearer s3cretx", 401),
            ("Bearer s3creT", 401), ("Bearer ", 401), ("Bearer", 401), ("s3cret", 401), (basic("any:s3cret"), 200),
            (basic(":s3cret"), 200), (basic("s3cret:"), 401), (basic("s3cret"), 401), (basic("a:b:s3cret"), 401),
            ("Basic !!!", 401), ("Digest s3cret", 401),
        ]

        @Test("with a token, the overview needs it, as Bearer or as a password", arguments: credentials)
        func access(credential: String?, expected: Int) async throws {
            try await serving(token: "s3cret") { port, _ in
                let answer = try await ask(port, "/", headers: credential.map { ["Authorization: \($0)"] } ?? [])
                #expect(answer.status == expected)
                #expect(answer.headers["www-authenticate"]?.hasPrefix("Basic realm=") == (expected == 401 ? true : nil))
                #expect(!answer.body.contains("s3cret"))
            }
        }

        @Test(
            "with a token set, only probes are open without it",
            arguments: [
                ("/healthz", 200), ("/healthz?x", 200), ("/readyz", 200), ("/healthz/", 401), ("/Healthz", 401),
                ("/nothing", 401),
                ("//healthz", 401), ("/healthz/../", 401), ("/?/healthz", 401),
            ])
        func open(target: String, expected: Int) async throws {
            try await serving(token: "s3cret") { port, _ in
                let answer = try await ask(port, target)
                #expect(answer.status == expected)
            }
        }

        @Test("an empty token is never accepted")
        func emptyToken() async throws {
            try await serving(token: "") { port, _ in
                for credential in ["Bearer ", Self.basic("x:")] {
                    let answer = try await ask(port, "/", headers: ["Authorization: \(credential)"])
                    #expect(answer.status == 401)
                }
            }
        }

        @Test("a description does not contain the token")
        func secret() {
            let settings = StatusServerSettings(
                access: AccessPolicy(token: "s3cret"), version: "1", watched: [], cdnBaseURL: "")
            var dumped = ""
            dump(settings, to: &dumped)
            #expect(!dumped.contains("s3cret") && !"\(settings)".contains("s3cret"))
        }

        @Test("a store that does not answer gives 503 and one log line; health is still answered")
        func storeGone() async throws {
            try scratch.store.close()
            try await serving { [log] port, _ in
                for _ in 0..<3 {
                    let answer = try await ask(port, "/")
                    #expect(answer.status == 503)
                    #expect(answer.headers["refresh"] == "30")
                    #expect(answer.body.contains("the store cannot be read"))
                }
                #expect(try await ask(port, "/healthz").status == 200)
                #expect(log.lines.count { $0.contains("status page failed") } == 1)
            }
        }

        @Test("a reload changes which domains are shown")
        func reload() async throws {
            try await serving(watched: [info("old.test")]) { port, server in
                #expect(try await ask(port, "/").body.contains("old.test"))
                await server.watch([try info("new.test")])
                let body = try await ask(port, "/").body
                #expect(body.contains("new.test") && !body.contains("old.test"))
            }
        }

        @Test("oversized headers and broken requests are refused, and the server continues")
        func hostile() async throws {
            try await serving { port, _ in
                let long = String(repeating: "x", count: 200_000)
                for text in [
                    "GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n",
                    "GET / HTTP/9.9\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "A: b\r\n", count: 500) + "\r\n",
                ] {
                    let client = try RawClient(port: port)
                    try? client.send(text)
                    let answer = try await client.receive()
                    #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "), "\(answer.prefix(80))")
                }
                #expect(try await ask(port, "/healthz").status == 200)
            }
        }

        // MARK: - Start and end

        @Test("the server ends while clients keep their connections", arguments: [true, false])
        func end(isGraceful: Bool) async throws {
            let (ports, feed) = AsyncStream.makeStream(of: Int.self)
            // No client loses its connection to its deadline before this test ends. Only the client within a body has a
            // short one, and gets 405.
            let limits = ConnectionLimits(head: .seconds(7200), body: .seconds(1), answer: .seconds(7200))
            let server = server(limits: limits) { feed.yield($0) }
            let group = ServiceGroup(
                configuration: .init(
                    services: [.init(service: server, successTerminationBehavior: .ignore)], logger: log.logger))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                var iterator = ports.makeAsyncIterator()
                let port = try #require(await iterator.next())
                // Four clients: idle after an answer, within a body, within a head, and silent.
                let clients = try (0..<4).map { _ in try RawClient(port: port) }
                try clients[0].send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                try clients[1].send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
                try clients[2].send("GET / HTTP/1.1\r\nHost:")
                _ = try await clients[0].receive(until: "ok\n")
                _ = try await clients[1].receive(until: "405")
                if isGraceful { await group.triggerGracefulShutdown() } else { tasks.cancelAll() }
                while let outcome = await tasks.nextResult() {
                    if case .failure(let error) = outcome, !(error is CancellationError) { throw error }
                }
                // A program that another test is just starting has a copy of the listening socket for a moment.
                try await until { (try? RawClient(port: port)) == nil }
                withExtendedLifetime(clients) {}
            }
        }

        @Test("an address that is in use is an error")
        func inUse() async throws {
            try await serving { port, _ in
                let second = server(port: port) { _ in Issue.record("it must not listen") }
                let error = await #expect(throws: ListenError.self) { try await second.run() }
                #expect(error?.code == .addressInUse)
                #expect(
                    error?.message.hasPrefix("cannot listen on 127.0.0.1:\(port): another program already does") == true
                )
            }
        }

        @Test(
            "an address that is not local, or does not exist, is an error",
            arguments: [("192.0.2.1", ListenError.Code.addressNotAvailable), ("no-such-host.invalid", .unknownHost)])
        func notOurs(host: String, code: ListenError.Code) async throws {
            let server = server(host: host) { _ in }
            let error = await #expect(throws: ListenError.self) { try await server.run() }
            #expect(error?.code == code)
            #expect(error?.message.contains(host) == true)
        }
    }
}

/// A log that a test can read.
final class LineLog: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: LineLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.kept.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
