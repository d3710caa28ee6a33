import Evidence
import Foundation
import StatusServer
import Storage
import TestSupport
import Testing

@testable import Monitoring

extension StatusServerSuite {
    @Suite("Acknowledge link")
    struct AcknowledgeLinkTests {
        private let scratch: ScratchStore
        private static let id = "0123456789abcdef"
        private static let page = "/incidents/\(id)"

        init() throws { scratch = try ScratchStore() }

        /// The link in a message of the channel `ops`.
        private func link(to id: String = id, sent wall: Date = noon) async throws -> String {
            try await scratch.store.transact(channel: "ops") { try $0.link(to: id, type: "slack", wall: wall).text }
        }

        /// `store`: of another process, after a restart.
        private func serving(
            _ policy: AccessPolicy = AccessPolicy(), store: Store? = nil, log: LineLog = LineLog(),
            _ body: @escaping @Sendable (Int) async throws -> Void
        ) async throws {
            let (ports, feed) = AsyncStream.makeStream(of: Int.self)
            let site = StatusSite(
                settings: StatusServerSettings(
                    port: 0, access: policy, version: "1.2.3", watched: [try info("a.test"), try info("b.test")],
                    cdnBaseURL: ""),
                store: store ?? scratch.store, timekeeper: FixedTime(), logger: log.logger,
                onListening: { feed.yield($0) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await site.run() }
                group.addTask { for await port in ports { return try await body(port) } }
                try await group.next()
                group.cancelAll()
            }
        }

        private func acknowledgements() async throws -> [String] {
            try await scratch.store.acknowledgements().values.map { "\($0.by): \($0.reason)" }
        }

        @Test(
            "opening the link changes nothing; its form acknowledges once, then says that it was used")
        func once() async throws {
            try await scratch.fire()
            let link = try await link()
            try await serving { port in
                for agent in ["Slackbot-LinkExpanding 1.0", "Mozilla/5.0 (compatible; SafeLinks)"] {
                    for method in ["HEAD", "GET"] {
                        let seen = try await ask(
                            port, "\(Self.page)?link=\(link)", method: method, headers: ["User-Agent: \(agent)"])
                        #expect(seen.status == 200)
                    }
                }
                #expect(try await acknowledgements().isEmpty)
                let form = try await ask(port, "\(Self.page)?link=\(link)").body
                #expect(form.contains(#"name="link" value="\#(link)""#) && form.contains("via ops (slack)"))
                let done = try await post(port, "\(Self.page)/ack", "by=eva&reason=on+it&link=\(link)")
                #expect(done.status == 303 && done.headers["location"] == Self.page)
                #expect(try await acknowledgements() == ["eva via ops (slack): on it"])
                let again = try await post(port, "\(Self.page)/ack", "by=mallory&link=\(link)")
                #expect(again.status == 409 && again.body.contains("This link was already used"))
                #expect(try await acknowledgements() == ["eva via ops (slack): on it"])
                let seen = try await ask(port, "\(Self.page)?link=\(link)").body
                #expect(seen.contains("This link was already used") && !seen.contains(#"name="link""#))
            }
        }

        @Test("after a restart a used link stays used, and an unused one still works")
        func restart() async throws {
            try await scratch.fire()
            let used = try await link()
            let fresh = try await link(sent: noon - 60)
            try await serving { port in
                let done = try await post(port, "\(Self.page)/ack", "link=\(used)")
                #expect(done.status == 303)
            }
            try scratch.store.close()
            let store = try Store(path: scratch.folder + "/monitor.db")
            try await serving(store: store) { port in
                let again = try await post(port, "\(Self.page)/ack", "link=\(used)")
                #expect(again.status == 409)
                #expect(try await post(port, "\(Self.page)/unack").status == 303)
                #expect(try await post(port, "\(Self.page)/ack", "link=\(fresh)").status == 303)
            }
            #expect(try await store.acknowledgements().values.map(\.by) == ["someone via ops (slack)"])
            // A used link is forgotten when it expires.
            for (days, status) in [(7.0, AcknowledgeLink.Fault.used), (9, .expired)] {
                try await store.prune(
                    now: noon + days * 86400, keepObservations: .seconds(86400), keepDeliveries: .seconds(86400))
                let use = LinkUse(used, incidentID: Self.id, wall: noon + 9 * 86400)
                await #expect(throws: status) { try await store.link(use) }
            }
            try store.close()
        }

        @Test("the link can silence the incident's domain for the time in the form, and is then used")
        func silence() async throws {
            try await scratch.fire()
            let link = try await link()
            try await serving { port in
                let form = "for=8h&by=eva&back=\(Self.page)&link=\(link)"
                let unreasoned = try await post(port, "/domains/a.test/silence", form)
                #expect(unreasoned.status == 400 && unreasoned.body.contains(#"name="link" value="\#(link)""#))
                let done = try await post(port, "/domains/a.test/silence", form + "&reason=launch")
                #expect(done.status == 303 && done.headers["location"] == Self.page)
                let silence = try #require(try await scratch.store.silences(notOverAt: noon).first)
                #expect(silence.author == "eva via ops (slack)" && silence.endsAt == noon + 8 * 3600)
                let again = try await post(port, "/domains/a.test/silence", form + "&reason=more")
                #expect(again.status == 409 && again.body.contains("This link was already used"))
                #expect(try await post(port, "\(Self.page)/ack", "link=\(link)").status == 409)
                #expect(try await scratch.store.silences(notOverAt: noon).count == 1)
                #expect(try await acknowledgements().isEmpty)
                // Without the link, as usual.
                #expect(try await post(port, "\(Self.page)/ack", "by=eva").status == 303)
            }
        }

        @Test("the link is refused for another domain or from another page, and stays unused")
        func otherDomain() async throws {
            try await scratch.fire()
            let link = try await link()
            try await serving { port in
                for (path, fields) in [
                    ("/domains/b.test/silence", "&back=\(Self.page)"), ("/domains/a.test/silence", ""),
                    ("/domains/a.test/silence", "&back=//a.example"), ("/silences", "&target=a.test"),
                ] {
                    let done = try await post(port, path, "for=8h&reason=launch&link=\(link)" + fields)
                    #expect(done.status == 400, "\(path)\(fields)")
                    #expect(done.body.contains("did not send this link"), "\(path)\(fields)")
                }
                #expect(try await scratch.store.silences(notOverAt: noon).isEmpty)
                #expect(try await post(port, "\(Self.page)/ack", "link=\(link)").status == 303)
            }
        }

        @Test("a forged, foreign, cut or expired link is refused, changes nothing and reveals no name")
        func refused() async throws {
            try await scratch.fire()
            try await scratch.fire("fedcba9876543210", "b.test")
            let link = try await link()
            let parts = link.split(separator: "~").map(String.init)
            let foreign = [
                try await self.link(to: "fedcba9876543210"), String(link.dropLast()), link + "0", "x", "~~~",
                link.replacing("~", with: "~~", maxReplacements: 1), link.uppercased(),
                link.replacing("~ops~", with: "~boss~"), link.replacing(parts[0], with: "9999999999"),
                "1~slack~ops~" + String(repeating: "0", count: 32), String(repeating: "a~", count: 5000),
            ]
            let expired = try await self.link(sent: noon - 7 * 86400)
            try await serving { port in
                for (link, status, words) in foreign.map({ ($0, 400, "did not send this link") })
                    + [(expired, 409, "This link has expired")]
                {
                    // The head of a request has at most 16 KiB.
                    let seen = try await ask(port, "\(Self.page)?link=\(link)")
                    #expect(seen.body.contains(words) && !seen.body.contains("via ops"), "\(link)")
                    let done = try await post(port, "\(Self.page)/ack", "by=eva&link=\(link)")
                    #expect(done.status == status && done.body.contains(words), "\(link)")
                }
                #expect(try await acknowledgements().isEmpty)
                #expect(try await post(port, "\(Self.page)/ack", "link=\(link)").status == 303)
            }
            let never = try ScratchStore()
            try await never.fire()
            await #expect(throws: AcknowledgeLink.Fault.foreign) {
                try await never.store.link(LinkUse(link, incidentID: Self.id, wall: noon))
            }
        }

        @Test("without a session the link leads through the login and back; it is never logged")
        func login() async throws {
            try await scratch.fire()
            let link = try await link()
            let log = LineLog()
            let policy = AccessPolicy(token: "0123456789abcdef", readerToken: "fedcba9876543210", isPublic: true)
            try await serving(policy, log: log) { port in
                let address = "\(Self.page)?link=\(link)"
                let html = "Accept: text/html"
                let sent = try await ask(port, address, headers: [html])
                let login = try #require(sent.headers["location"])
                #expect(sent.status == 303 && login.hasPrefix("/login?to="))
                let form = try await ask(port, login, headers: [html]).body
                #expect(form.contains(#"name="to" value="\#(address)""#))
                #expect(try await post(port, "\(Self.page)/ack", "by=eva&link=\(link)").status == 401)
                let to = address.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                func session(_ token: String) async throws -> String {
                    let entered = try await post(port, "/login", "token=\(token)&to=\(to)")
                    #expect(entered.status == 303 && entered.headers["location"] == address)
                    return "Cookie: " + (entered.headers["set-cookie"] ?? "").prefix { $0 != ";" }
                }
                for evil in ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)"] {
                    let entered = try await post(port, "/login", "token=0123456789abcdef&to=\(evil)")
                    #expect(entered.headers["location"] == "/")
                }
                let reader = try await session("fedcba9876543210")
                let seen = try await ask(port, address, headers: [html, reader])
                #expect(seen.body.contains("changes need server.token"))
                #expect(!seen.body.contains(#"name="link""#))
                #expect(try await post(port, "\(Self.page)/ack", "link=\(link)", own + [reader]).status == 403)
                let writer = try await session("0123456789abcdef")
                #expect(try await ask(port, address, headers: [html, writer]).body.contains(#"name="link""#))
                #expect(try await post(port, "\(Self.page)/ack", "link=\(link)", own + [writer]).status == 303)
                // From a page of another site it has no effect.
                let foreign = [formType, "Origin: https://evil.test", "Sec-Fetch-Site: cross-site", writer]
                #expect(try await post(port, "\(Self.page)/unack", "", foreign).status == 403)
            }
            #expect(try await acknowledgements() == ["someone via ops (slack): "])
            #expect(!log.lines.contains { $0.contains(link) || $0.contains(link.suffix(32)) })
        }

        @Test("after the incident ended, the link acknowledges nothing and is not used up")
        func ended() async throws {
            var incident = try await scratch.fire()
            let link = try await link()
            (incident.state, incident.resolvedAt, incident.reason) = (.resolved, noon, .recovered)
            _ = try await scratch.store.commit(
                Evaluation(
                    state: try state("a.test", .ok),
                    changes: [IncidentChange(incident: incident, facts: nil, transition: .resolved)]))
            try await serving { port in
                let seen = try await ask(port, "\(Self.page)?link=\(link)").body
                #expect(seen.contains("The incident has ended") && !seen.contains(#"name="link""#))
                let done = try await post(port, "\(Self.page)/ack", "by=eva&link=\(link)")
                #expect(done.status == 409 && done.body.contains("The incident has ended"))
            }
            let use = LinkUse(link, incidentID: Self.id, wall: noon)
            #expect(try await scratch.store.link(use).channel == "ops (slack)")
        }

        @Test("a name and a reason are shown as they were typed, never as markup")
        func inert() async throws {
            try await scratch.fire()
            let link = try await link()
            let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
            let typed = evil.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            try await serving { port in
                let refused = try await post(
                    port, "/domains/a.test/silence",
                    "for=\(typed)&by=\(typed)&reason=\(typed)&back=\(Self.page)&link=\(link)")
                let forged = try await ask(port, "\(Self.page)?link=\(typed)")
                #expect(
                    try await post(port, "\(Self.page)/ack", "by=\(typed)&reason=\(typed)&link=\(link)").status == 303)
                for answer in [refused, forged, try await ask(port, Self.page)] {
                    #expect(!answer.body.contains("<script>alert") && !answer.body.contains("<img src"))
                }
                #expect(try await ask(port, Self.page).body.contains("&lt;script&gt;alert(1)"))
            }
        }
    }
}
