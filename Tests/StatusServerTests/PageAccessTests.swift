import Evidence
import Foundation
import StatusServer
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Monitoring

extension StatusServerSuite {
    @Suite("Access to the pages")
    struct PageAccessTests {
        private let scratch: ScratchStore

        init() throws { scratch = try ScratchStore() }

        private func serving(
            token: String? = nil, publicURL: String? = nil, onWrite: @escaping @Sendable () async -> Void = {},
            _ body: @escaping @Sendable (Int) async throws -> Void
        ) async throws {
            let (ports, feed) = AsyncStream.makeStream(of: Int.self)
            let site = StatusSite(
                settings: StatusServerSettings(
                    port: 0, access: AccessPolicy(token: token, publicURL: publicURL), version: "1.2.3",
                    watched: [try info("a.test")], cdnBaseURL: ""),
                store: scratch.store, timekeeper: FixedTime(), logger: LineLog().logger, onWrite: onWrite,
                onListening: { feed.yield($0) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await site.run() }
                group.addTask {
                    for await port in ports { return try await body(port) }
                }
                try await group.next()
                group.cancelAll()
            }
        }

        static let hosts: [(String, Int)] = [
            ("localhost", 200), ("localhost:9630", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("LOCALHOST", 200),
            ("aasa.example.net", 200), ("evil.example", 421), ("127.0.0.1.evil.example", 421),
            ("localhost.evil.example", 421),
            ("", 421), ("<script>", 421),
        ]

        @Test("on loopback, pages accept only their own host names; probes accept any", arguments: hosts)
        func host(host: String, expected: Int) async throws {
            try await serving(publicURL: "https://aasa.example.net/") { port in
                for (path, status) in [("/", expected), ("/api/v1/domains/a.test", expected), ("/healthz", 200)] {
                    let client = try RawClient(port: port)
                    try client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
                    let answer = RawAnswer(try await client.receive())
                    #expect(answer.status == status, "\(path)")
                    #expect(!answer.body.contains("<script>"))
                }
            }
        }

        static let senders: [([String], Int)] = [
            (own, 303), ([formType, "Sec-Fetch-Site: same-origin"], 303),
            ([formType, "Origin: http://localhost"], 303),
            ([formType], 403), ([formType, "Origin: null"], 403), ([formType, "Origin: http://evil.example"], 403),
            ([formType, "Origin: http://localhost", "Sec-Fetch-Site: cross-site"], 403),
            ([formType, "Origin: http://localhost:1"], 403), (["Origin: http://localhost"], 415),
            (["Content-Type: text/plain", "Origin: http://localhost"], 415),
        ]

        @Test("a form is accepted only from our own pages", arguments: senders)
        func form(headers: [String], expected: Int) async throws {
            let writes = Mutex(0)
            try await serving(onWrite: { writes.withLock { $0 += 1 } }) { port in
                let answer = try await post(port, "/domains/a.test/silence", "for=2h&by=eva&reason=new+file", headers)
                #expect(answer.status == expected)
                let silences = try await scratch.store.silences(notOverAt: noon)
                #expect(silences.map(\.reason) == (expected == 303 ? ["new file"] : []))
                if expected == 303 {
                    #expect(answer.headers["location"] == "/domains/a.test#silence")
                    let ended = try await post(port, "/silences/\(silences[0].id)/end", "back=//evil.example", headers)
                    #expect(ended.status == 303 && ended.headers["location"] == "/silences")
                    #expect(try await scratch.store.silences(notOverAt: noon).isEmpty)
                }
                #expect(writes.withLock(\.self) == (expected == 303 ? 2 : 0))
            }
        }

        @Test("a form acknowledges an incident and ends the acknowledgement; mistakes are reported")
        func acknowledge() async throws {
            let incident = try incident("0123456789abcdef", "a.test", .cdnStale, .firing)
            _ = try await scratch.store.commit(
                Evaluation(
                    state: DomainState(domain: try Domain("a.test")),
                    changes: [IncidentChange(incident: incident, facts: nil, transition: .firing)]))
            try await serving { port in
                let path = "/incidents/\(incident.id)"
                #expect(try await ask(port, path).body.contains("not acknowledged"))
                #expect(try await post(port, path + "/ack", "by=&reason=", own).status == 400)
                let done = try await post(port, path + "/ack", "by=eva+%3Cb%3E&reason=on+it", own)
                #expect(done.status == 303 && done.headers["location"] == path)
                #expect(try await scratch.store.acknowledgements()[incident.id]?.by == "eva <b>")
                #expect(try await ask(port, path).body.contains("acknowledged by <bdi>eva &lt;b&gt;"))
                #expect(try await post(port, path + "/unack", "", own).status == 303)
                #expect(try await post(port, path + "/unack", "", own).status == 409)
                #expect(try await post(port, "/incidents/nonsense/ack", "by=eva", own).status == 404)
            }
        }

        static let checks: [(MonitorActions.CheckAnswer, Int)] = [
            (.done, 303), (.underWay, 303), (.tooOften(retryAfter: 7), 429), (.notWatched, 404),
        ]

        @Test("a form of our own pages starts a check and leads back to the page", arguments: checks)
        func check(answer: MonitorActions.CheckAnswer, status: Int) async throws {
            let asked = Mutex<[Domain]>([])
            let actions = MonitorActions(checkNow: { domain, _ in
                asked.withLock { $0.append(domain) }
                return answer
            })
            try await scratch.serving(watched: [try info("a.test")], actions: actions) { port in
                let path = "/domains/a.test/check"
                let done = try await post(port, path, "back=/domains/a.test?window=86400", own)
                #expect(done.status == status)
                #expect(done.headers["location"] == (status == 303 ? "/domains/a.test?window=86400" : nil))
                #expect(done.headers["retry-after"] == (status == 429 ? "7" : nil))
                #expect(try await post(port, path, "", [formType, "Origin: http://evil.example"]).status == 403)
                #expect(try await post(port, "/domains/b.test/check", "", own).status == 404)
                let away = try await post(port, path, "back=//evil.example", own)
                #expect(away.headers["location"] == (status == 303 ? "/domains/a.test" : nil))
            }
            #expect(asked.withLock(\.self) == Array(repeating: try Domain("a.test"), count: 2))
        }

        @Test("during a check the page says so and refreshes more often", arguments: [false, true])
        func checking(isChecking: Bool) async throws {
            let actions = MonitorActions(isChecking: { $0.name == "a.test" && isChecking })
            try await scratch.commit([try state("a.test", .ok), try state("b.test", .ok)])
            try await scratch.serving(watched: [try info("a.test"), try info("b.test")], actions: actions) { port in
                for (name, expected) in [("a.test", isChecking), ("b.test", false)] {
                    let page = try await ask(port, "/domains/\(name)").body
                    #expect(page.contains("Checking…") == expected, "\(name)")
                    #expect(page.contains(">Check now<") != expected, "\(name)")
                    #expect(page.contains("refreshes every \(expected ? 2 : 30) s"), "\(name)")
                }
            }
        }

        @Test("browsers are redirected to the login form; a session gives the same access as the token")
        func login() async throws {
            try await serving(token: "s3cret") { port in
                let led = try await ask(port, "/domains/a.test?pause=1", headers: ["Accept: text/html"])
                #expect(led.status == 303 && led.headers["location"] == "/login?to=%2Fdomains%2Fa%2Etest%3Fpause%3D1")
                #expect(try await ask(port, "/login").status == 200)
                #expect(try await ask(port, "/assets/page.css").status == 200)
                let wrong = try await post(port, "/login", "token=wrong", own)
                #expect(wrong.status == 401 && wrong.headers["set-cookie"] == nil)
                #expect(try await post(port, "/login", "token=s3cret", [formType]).status == 403)
                let right = try await post(port, "/login", "token=s3cret&to=/incidents", own)
                #expect(right.status == 303 && right.headers["location"] == "/incidents")
                let cookie = try #require(right.headers["set-cookie"])
                #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("s3cret"))
                let session = try #require(cookie.split(separator: ";").first.map(String.init))
                #expect(try await ask(port, "/", headers: ["Cookie: other=1; \(session)"]).status == 200)
                #expect(try await ask(port, "/", headers: ["Cookie: \(session)0"]).status == 401)
                #expect(try await ask(port, "/", headers: ["Cookie: aasa_monitor_session="]).status == 401)
                // A wrong token is wrong even with a session.
                #expect(
                    try await ask(port, "/", headers: ["Cookie: \(session)", "Authorization: Bearer x"]).status == 401)
            }
        }

        @Test("an unchanged page is answered with 304")
        func unchanged() async throws {
            try await serving { port in
                let first = try await ask(port, "/")
                let tag = try #require(first.headers["etag"])
                let second = try await ask(port, "/", headers: ["If-None-Match: \(tag)"])
                #expect(second.status == 304 && second.body.isEmpty && second.headers["x-rendered"] != nil)
                #expect(try await ask(port, "/", headers: ["If-None-Match: W/\"other\""]).status == 200)
            }
        }

        @Test("a badge shows the state")
        func badge() async throws {
            try await scratch.commit([try state("a.test", .failing, open: [(.cdnStale, .firing)])])
            try await serving { port in
                let badge = try await ask(port, "/badge/a.test.svg")
                #expect(badge.status == 200 && badge.headers["content-type"] == "image/svg+xml")
                #expect(try await ask(port, "/badge/b.test.svg").status == 404)
            }
        }
    }
}
