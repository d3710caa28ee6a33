// Tokens, sessions, proxies and what may be changed, over the wire.

import Evidence
import Facts
import Foundation
import MonitorMetrics
import Monitoring
import StatusServer
import Storage
import Synchronization
import TestSupport
import Testing

private let token = "a-token-of-24-characters"

extension StatusServerSuite {
    @Suite("Access")
    struct AccessTests {
        private let scratch: ScratchStore
        private let log = LineLog()
        private let time = MovedTime()

        /// A clock that only the test moves.
        private final class MovedTime: MonitorClock {
            private let instant = Mutex(noon)

            func now() -> Date { instant.withLock(\.self) }
            func move(by seconds: TimeInterval) { instant.withLock { $0 += seconds } }
            func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
        }

        init() throws { scratch = try ScratchStore() }

        private func serving(
            _ access: AccessPolicy = AccessPolicy(), host: String = "127.0.0.1",
            watched: [String] = ["a.test"], actions: MonitorActions = MonitorActions(),
            _ body: @escaping @Sendable (Int, StatusSite) async throws -> Void
        ) async throws {
            let (ports, feed) = AsyncStream.makeStream(of: Int.self)
            let site = StatusSite(
                settings: StatusServerSettings(
                    host: host, port: 0, access: access, version: "1.2.3", watched: try watched.map { try info($0) },
                    cdnBaseURL: "https://cdn.test"),
                store: scratch.store, timekeeper: time, logger: log.logger, actions: actions,
                onListening: { feed.yield($0) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await site.run() }
                group.addTask {
                    for await port in ports { return try await body(port, site) }
                }
                try await group.next()
                group.cancelAll()
            }
        }

        // MARK: - Names and origins

        @Test(
            "in every spelling of loopback, another site's name that resolves here gets 421",
            arguments: ["Localhost", "127.0.0.1", "::ffff:127.0.0.1", "0:0:0:0:0:ffff:7f00:1"])
        func rebinding(host: String) async throws {
            try await serving(host: host) { port, _ in
                for (name, status) in [
                    ("evil.example:\(port)", 421), ("localhost:\(port)", 200), ("[0:0:0:0:0:0:0:1]:\(port)", 200),
                    ("127.0.0.9", 200), ("127.evil.example", 421), ("127.0.0.1@evil.example", 421),
                ] {
                    let client = try RawClient(port: port)
                    try client.send("GET / HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n")
                    #expect(RawAnswer(try await client.receive()).status == status, "\(name)")
                }
                let silence = try await post(port, "/domains/a.test/check", "", own, host: "evil.example")
                #expect(silence.status == 421)
            }
        }

        static let origins: [(publicURL: String?, origin: String, status: Int)] = [
            ("https://aasa.example.net", "https://aasa.example.net", 303),
            ("https://aasa.example.net/", "https://AASA.example.net", 303),
            ("https://aasa.example.net:443", "https://aasa.example.net", 303),
            ("https://aasa.example.net:8443", "https://aasa.example.net:8443", 303),
            ("https://aasa.example.net", "http://aasa.example.net", 403),
            ("https://aasa.example.net", "https://aasa.example.net:8443", 403),
            ("https://aasa.example.net", "https://aasa.example.net.evil.example", 403),
            ("https://aasa.example.net", "null", 403), (nil, "https://aasa.example.net", 403),
        ]

        @Test("a form of the public page is accepted even if the proxy changes the Host header", arguments: origins)
        func publicOrigin(publicURL: String?, origin: String, status: Int) async throws {
            let actions = MonitorActions(checkNow: { _, _ in .done })
            try await serving(actions: actions) { port, site in
                site.allow(AccessPolicy(publicURL: publicURL))
                let headers = [formType, "Origin: \(origin)", "Sec-Fetch-Site: same-origin"]
                for host in ["127.0.0.1:\(port)", "localhost"] {
                    let answer = try await post(port, "/domains/a.test/check", "", headers, host: host)
                    #expect(answer.status == status)
                }
            }
        }

        static let sites: [(headers: [String], isOwn: Bool)] = [
            ([], true), (["Sec-Fetch-Site: none"], true), (["Sec-Fetch-Site: same-origin"], true),
            (["Sec-Fetch-Site: same-site"], false), (["Sec-Fetch-Site: cross-site"], false),
            (["Origin: http://evil.example"], false), (["Origin: http://localhost"], true),
            (["Sec-Fetch-Site: same-origin", "Origin: http://evil.example"], false),
        ]

        @Test("probes and writes refuse the same pages", arguments: sites)
        func foreign(headers: [String], isOwn: Bool) async throws {
            let actions = MonitorActions(
                checkNow: { _, _ in .underWay }, probe: { _, _ in .metrics(Exposition()) })
            try await serving(actions: actions) { port, _ in
                let probe = try await ask(port, "/probe?target=a.test", headers: headers)
                #expect(probe.status == (isOwn ? 200 : 403))
                let check = try await post(port, "/api/v1/domains/a.test/check", "", headers)
                #expect(check.status == (isOwn ? 202 : 403))
            }
        }

        // MARK: - Tokens

        /// How a request shows a token.
        enum Way: CaseIterable, Sendable {
            case bearer, basic, form

            func show(_ token: String, _ port: Int, _ more: [String] = []) async throws -> RawAnswer {
                switch self {
                case .bearer:
                    try await ask(port, "/api/v1/domains", headers: ["Authorization: Bearer \(token)"] + more)
                case .basic:
                    try await ask(
                        port, "/",
                        headers: ["Authorization: Basic \(Data("x:\(token)".utf8).base64EncodedString())"] + more)
                case .form: try await post(port, "/login", "token=\(token)", own + more)
                }
            }
        }

        @Test("wrong tokens are logged and slow down their address, also in parallel", arguments: Way.allCases)
        func wrong(way: Way) async throws {
            try await serving(AccessPolicy(token: token)) { [log] port, _ in
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<40 {
                        group.addTask { try await way.show("guess-\(number)", port).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.count { $0 == 401 } == 5)
                #expect(statuses.count { $0 == 429 } == 35)
                // Another way does not help, not even with the right token.
                for way in Way.allCases {
                    let answer = try await way.show(token, port)
                    #expect(answer.status == 429)
                    #expect(answer.headers["retry-after"].flatMap { Int($0) }.map { (1...30).contains($0) } == true)
                }
                #expect(log.lines.count { $0.contains("wrong token refused") && $0.contains("127.0.0.1") } == 5)
                #expect(log.lines.count { $0.contains("address slowed down") && $0.contains("127.0.0.1") } == 1)
                #expect(!log.lines.contains { $0.contains("guess-") })
                #expect(try await ask(port, "/healthz").status == 200)
            }
        }

        @Test("after the wait the right token clears the count of wrong ones")
        func forgiven() async throws {
            try await serving(AccessPolicy(token: token)) {
                [time] (port: Int, _: StatusSite) async throws -> Void in
                for _ in 0..<5 { #expect(try await Way.bearer.show("guess", port).status == 401) }
                time.move(by: 0.9)
                #expect(try await Way.bearer.show(token, port).status == 429)
                time.move(by: 0.2)
                #expect(try await Way.bearer.show(token, port).status == 200)
                for _ in 0..<4 { #expect(try await Way.bearer.show("guess", port).status == 401) }
                #expect(try await Way.bearer.show(token, port).status == 200)
            }
        }

        static let forwarded: [(proxies: [String], header: String?, isSlowed: Bool)] = [
            // The address of a client behind the proxy, whatever the client claims.
            (["127.0.0.1"], "203.0.113.5", true), (["127.0.0.0/8"], "192.0.2.1, 203.0.113.5", true),
            (["127.0.0.1", "10.0.0.0/8"], "203.0.113.5, 10.1.1.1", true), (["127.0.0.1"], "203.0.113.5:4711", true),
            (["127.0.0.1"], "203.0.113.6", false), (["127.0.0.1"], "203.0.113.5, 203.0.113.6", false),
            (["127.0.0.1"], nil, false), (["127.0.0.1"], "unknown", false),
            // No proxy is trusted: anybody can send the header.
            ([], "203.0.113.6", true), (["10.0.0.0/8"], "203.0.113.6", true),
        ]

        @Test("behind a trusted proxy the client is the last untrusted address", arguments: forwarded)
        func client(proxies: [String], header: String?, isSlowed: Bool) async throws {
            let ranges = try proxies.map { try #require(AddressRange($0)) }
            try await serving(AccessPolicy(token: token, trustedProxies: ranges)) { [log] port, _ in
                for _ in 0..<6 { _ = try await Way.bearer.show("guess", port, ["X-Forwarded-For: 203.0.113.5"]) }
                let isTrusted = proxies.contains { $0.hasPrefix("127.") }
                let address = isTrusted ? "203.0.113.5" : "127.0.0.1"
                #expect(log.lines.count { $0.contains("wrong token refused") && $0.contains(address) } == 5)
                let answer = try await Way.bearer.show(token, port, header.map { ["X-Forwarded-For: \($0)"] } ?? [])
                #expect(answer.status == (isSlowed ? 429 : 200))
            }
        }

        @Test("a trusted proxy that names no client is never slowed down")
        func silentProxy() async throws {
            let proxies = [try #require(AddressRange("127.0.0.1"))]
            try await serving(AccessPolicy(token: token, trustedProxies: proxies)) {
                (port: Int, _: StatusSite) async throws -> Void in
                for _ in 0..<20 { #expect(try await Way.bearer.show("guess", port).status == 401) }
                #expect(try await Way.bearer.show(token, port).status == 200)
            }
        }

        // MARK: - Sessions

        private static func session(_ port: Int, _ token: String = token) async throws -> String {
            let answer = try await Way.form.show(token, port)
            #expect(answer.status == 303)
            let cookie = try #require(answer.headers["set-cookie"])
            return "Cookie: " + (cookie.split(separator: ";").first.map(String.init) ?? "")
        }

        @Test("each login has its own session, which only its own logout ends")
        func logout() async throws {
            try await serving(AccessPolicy(token: token)) { port, _ in
                let (first, second) = (try await Self.session(port), try await Self.session(port))
                #expect(first != second)
                for session in [first, second] { #expect(try await ask(port, "/", headers: [session]).status == 200) }
                let out = try await post(port, "/login", "end=1", own + [first])
                #expect(out.status == 303 && out.headers["set-cookie"]?.contains("Max-Age=0") == true)
                #expect(try await ask(port, "/", headers: [first]).status == 401)
                #expect(try await ask(port, "/", headers: [second]).status == 200)
            }
        }

        @Test("a reload ends sessions only if it changes the token")
        func reload() async throws {
            try await serving(AccessPolicy(token: token)) { port, site in
                let session = try await Self.session(port)
                site.allow(AccessPolicy(token: token, isReadOnly: true))
                #expect(try await ask(port, "/", headers: [session]).status == 200)
                site.allow(AccessPolicy(token: "another-token-of-some-length"))
                #expect(try await ask(port, "/", headers: [session]).status == 401)
                site.allow(AccessPolicy(token: token))
                #expect(try await ask(port, "/", headers: [session]).status == 401)
            }
        }

        @Test("a session works while its address is slowed down")
        func sessionWhileSlowed() async throws {
            try await serving(AccessPolicy(token: token)) { port, _ in
                let session = try await Self.session(port)
                for _ in 0..<6 { _ = try await Way.bearer.show("guess", port) }
                #expect(try await ask(port, "/", headers: [session]).status == 200)
            }
        }

        static let challenges: [(headers: [String], status: Int, isChallenged: Bool)] = [
            ([], 401, true), (["Accept: */*"], 401, true), (["Accept: */*", "Sec-Fetch-Mode: navigate"], 401, true),
            (["Accept: */*", "Sec-Fetch-Mode: cors"], 401, false), (["X-Requested-With: fetch"], 401, false),
            (["Cookie: aasa_monitor_session=ended"], 401, false),
            (["Accept: text/html", "Cookie: aasa_monitor_session=ended"], 303, false),
            (["Accept: text/html", "Sec-Fetch-Mode: same-origin"], 401, false),
        ]

        @Test("a browser is challenged only if it cannot log in another way", arguments: challenges)
        func challenge(headers: [String], status: Int, isChallenged: Bool) async throws {
            try await serving(AccessPolicy(token: token)) { port, _ in
                let answer = try await ask(port, "/incidents", headers: headers)
                #expect(answer.status == status)
                #expect((answer.headers["www-authenticate"] != nil) == isChallenged)
            }
        }

        @Test("a form that is sent after its session ended leads to the login form")
        func endedForm() async throws {
            try await serving(AccessPolicy(token: token)) { port, _ in
                let headers = own + ["Accept: text/html", "Cookie: aasa_monitor_session=ended"]
                let answer = try await post(port, "/domains/a.test/check", "", headers)
                #expect(answer.status == 303 && answer.headers["location"] == "/login")
            }
        }

        // MARK: - Methods and paths

        static let methods: [(String, String, String)] = [
            ("PUT", "/api/v1/silences", "GET, HEAD, POST"), ("GET", "/api/v1/silences/1", "DELETE"),
            ("GET", "/api/v1/domains/a.test/check", "POST"), ("PUT", "/api/v1/incidents/1/ack", "POST, DELETE"),
            ("POST", "/", "GET, HEAD"), ("PUT", "/login", "GET, HEAD, POST"), ("GET", "/silences/1/end", "POST"),
            ("DELETE", "/domains/a.test", "GET, HEAD"), ("OPTIONS", "/domains/a.test/silence", "POST"),
        ]

        @Test("a wrong method gets 405 and the allowed methods", arguments: methods)
        func allow(method: String, path: String, allowed: String) async throws {
            try await serving { port, _ in
                let answer = try await ask(port, path, method: method)
                #expect(answer.status == 405 && answer.headers["allow"] == allowed)
            }
        }

        @Test(
            "read_only refuses every change and shows no forms",
            arguments: [AccessPolicy(isReadOnly: true), AccessPolicy(token: token, isReadOnly: true)])
        func readOnly(access: AccessPolicy) async throws {
            let actions = MonitorActions(checkNow: { _, _ in .done })
            try await serving(access, actions: actions) { port, site in
                let bearer = "Authorization: Bearer \(token)"
                for path in [
                    "/domains/a.test/silence", "/domains/a.test/check", "/incidents/1/ack", "/incidents/1/unack",
                    "/silences/1/end", "/api/v1/silences", "/api/v1/domains/a.test/check", "/api/v1/channels/ops/retry",
                ] {
                    let answer = try await post(port, path, "", own + [bearer])
                    #expect(answer.status == 403 && answer.body.contains("server.read_only"), "\(path)")
                }
                let ended = try await ask(port, "/api/v1/silences/1", method: "DELETE", headers: [bearer])
                #expect(ended.status == 403)
                let page = try await ask(port, "/domains/a.test", headers: [bearer])
                #expect(page.status == 200)
                #expect(!page.body.contains("method=\"post\"") && !page.body.contains("Check now"))
                #expect(try await post(port, "/login", "token=\(token)").status == 303)
                site.allow(AccessPolicy())
                #expect(try await post(port, "/api/v1/domains/a.test/check", "").status == 200)
            }
        }

        // MARK: - Readers and the public

        /// An incident that eva acknowledged and channel ops was notified of; and a silence.
        private func fill() async throws {
            let firing = try await scratch.fire()
            _ = try await scratch.store.acknowledge(
                named: firing.id, Acknowledgement(asked: "PLANTED-eva", reason: "PLANTED-reason", at: noon))
            try await scratch.store.transact(channel: "PLANTED-ops") { channel in
                try channel.log(
                    DeliveryRecord(
                        channel: "PLANTED-ops", incidentID: firing.id, type: .firing, reason: .firing, version: 1,
                        key: "k", at: noon - 30, attempts: 1, outcome: .delivered, status: 200))
            }
            _ = try await scratch.store.add(
                Silence(
                    scope: SilenceScope(domains: [try DomainPattern("a.test")]), startsAt: noon, endsAt: noon + 3600,
                    author: "PLANTED-eva", reason: "PLANTED-upgrade"))
        }

        static let writes = [
            ("POST", "/domains/a.test/silence"), ("POST", "/domains/a.test/check"),
            ("POST", "/incidents/0123456789abcdef/ack"), ("POST", "/silences/1/end"), ("POST", "/api/v1/silences"),
            ("POST", "/api/v1/domains/a.test/check"), ("POST", "/api/v1/channels/ops/retry"),
            ("DELETE", "/api/v1/silences/1"), ("DELETE", "/api/v1/incidents/0123456789abcdef/ack"),
        ]

        @Test("server.reader_token reads everything and changes nothing, as a header and from the form")
        func reader() async throws {
            try await fill()
            let reader = "a-reader-of-24-characters"
            let actions = MonitorActions(checkNow: { _, _ in .done })
            try await serving(AccessPolicy(token: token, readerToken: reader), actions: actions) { port, site in
                let login = try await post(port, "/login", "token=\(reader)")
                let cookie = "Cookie: " + (login.headers["set-cookie"] ?? "").prefix { $0 != ";" }
                #expect(login.status == 303)
                for header in ["Authorization: Bearer \(reader)", cookie] {
                    for path in [
                        "/", "/domains/a.test", "/domains/a.test/history", "/incidents", "/incidents/0123456789abcdef",
                    ] {
                        let page = try await ask(port, path, headers: [header])
                        #expect(page.status == 200 && page.body.contains(">Log out<"), "\(path)")
                        #expect(!page.body.contains("method=\"post\""), "\(path)")
                    }
                    let page = try await ask(port, "/domains/a.test/history", headers: [header]).body
                    for word in ["eva", "ops", "upgrade"] { #expect(page.contains("PLANTED-" + word), "\(word)") }
                    for path in ["/metrics", "/api/v1/deliveries", "/api/v1/silences"] {
                        #expect(try await ask(port, path, headers: [header]).status == 200, "\(path)")
                    }
                    for (method, path) in Self.writes {
                        let answer = try await ask(port, path, method: method, headers: own + [header])
                        #expect(
                            answer.status == 403 && answer.body.contains("server.reader_token"), "\(method) \(path)")
                    }
                }
                #expect(try await ask(port, "/", headers: ["Authorization: Bearer nobody-knows-this"]).status == 401)
                site.allow(AccessPolicy(token: token, readerToken: "another-reader-of-24-chars"))
                #expect(try await ask(port, "/", headers: [cookie]).status == 401)
            }
        }

        @Test("server.public shows domains to everybody, but not who acts or is notified")
        func everybody() async throws {
            try await fill()
            let actions = MonitorActions(checkNow: { _, _ in .done })
            try await serving(AccessPolicy(token: token, isPublic: true), actions: actions) { port, site in
                let open = [
                    "/", "/?state=stale&q=a", "/domains/a.test", "/domains/a.test/changes", "/domains/a.test/edges",
                    "/domains/a.test/history", "/domains/a.test/findings", "/domains/a.test/evidence",
                    "/badge/a.test.svg", "/openapi.json",
                    "/api/v1/domains", "/api/v1/domains/a.test", "/api/v1/domains/a.test/history", "/healthz",
                ]
                for path in open {
                    let answer = try await ask(port, path, headers: ["Accept: text/html"])
                    #expect(answer.status == 200, "\(path)")
                    for word in ["PLANTED", "method=\"post\"", "/metrics", "not acknowledged", ">Log out<"]
                    where path != "/openapi.json" {
                        #expect(!answer.body.contains(word), "\(word) \(path)")
                    }
                }
                #expect(try await ask(port, "/").body.contains("<a href=\"/login\">Log in</a>"))
                #expect(try await ask(port, "/", method: "HEAD").status == 200)
                for path in [
                    "/incidents", "/incidents/0123456789abcdef", "/metrics", "/probe?target=a.test",
                    "/api/v1/incidents", "/api/v1/incidents/0123456789abcdef", "/api/v1/deliveries",
                    "/api/v1/silences", "/api/v1/domains/a.test/check", "/nowhere",
                ] {
                    #expect(try await ask(port, path).status == 401, "\(path)")
                }
                for (method, path) in Self.writes {
                    #expect(try await ask(port, path, method: method, headers: own).status == 401, "\(method) \(path)")
                }
                let bearer = "Authorization: Bearer \(token)"
                let whole = try await ask(port, "/domains/a.test", headers: [bearer]).body
                #expect(whole.contains("PLANTED-ops") && whole.contains("method=\"post\""))
                #expect(try await ask(port, "/", headers: ["Authorization: Bearer nobody-knows-this"]).status == 401)
                site.allow(AccessPolicy(token: token))
                for path in open.dropLast() { #expect(try await ask(port, path).status == 401, "\(path)") }
            }
        }

        @Test("paths and searches accept names as people write them")
        func international() async throws {
            let kept = "xn--bcher-kva.example"
            try await serving(watched: [kept, "a.test"]) { port, _ in
                for path in [
                    "/domains/b%C3%BCcher.example", "/domains/B%C3%9CCHER.example", "/domains/\(kept)",
                    "/domains/xn%2D%2Dbcher-kva%2Eexample", "/api/v1/domains/b%C3%BCcher.example",
                    "/badge/b%C3%BCcher.example.svg",
                ] {
                    #expect(try await ask(port, path).status == 200, "\(path)")
                }
                let page = try await ask(port, "/domains/\(kept)").body
                #expect(page.contains("<h1><bdi>bücher.example</bdi></h1>") && page.contains(">\(kept)</span>"))
                for path in ["/domains/b%C3%BCcher", "/domains/%FF.example", "/domains/a%2Ftest", "/domains/%"] {
                    #expect(try await ask(port, path).status == 404, "\(path)")
                }
                for search in ["b%C3%BCcher.example", "b%C3%BCc", "bu%CC%88cher", "xn--bch", "B%C3%9C"] {
                    let page = try await ask(port, "/?q=\(search)").body
                    #expect(page.contains("/domains/\(kept)") && !page.contains("/domains/a.test"), "\(search)")
                    #expect(try await ask(port, "/incidents?q=\(search)").status == 200)
                }
                let list = try await ask(port, "/api/v1/domains?prefix=b%C3%BCcher.ex").body
                #expect(list.contains(kept) && !list.contains("a.test"))
            }
        }
    }
}
