import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("State feed")
    struct StateFeedTests {
        private func incident(
            _ id: String, domain: String = "example.com", state: Incident.State = .firing, severity: Severity = .error,
            resolvedAt: Date? = nil, firedAt: Date = noon - 600
        ) throws -> Incident {
            Incident(
                id: id, domain: try Domain(domain), kind: .cdnStale, severity: severity, state: state,
                since: noon - 90_000, openedAt: noon - 86_400, firedAt: state == .pending ? nil : firedAt,
                resolvedAt: resolvedAt, reason: resolvedAt == nil ? nil : .cdnCaughtUp)
        }

        private func put(_ world: World, _ incidents: [Incident]) async throws {
            let domain = try Domain("example.com")
            try await world.store.commit(
                CheckRecord(observation: nil, state: DomainState(domain: domain), incidents: incidents))
        }

        private func fed(
            _ world: World, mutings: @escaping @Sendable () -> Mutings = { Mutings() }, _ body: () async throws -> Void
        ) async throws {
            let feed = StateFeed(
                sources: [
                    try Domain("example.com"): .init(
                        labels: ["team": "growth", "domain": "x", "a-b": "c"], channels: nil),
                    try Domain("quiet.test"): .init(labels: [:], channels: []),
                ], routes: world.routes, delivery: world.delivery, mutings: mutings)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await feed.run() }
                try await body()
                group.cancelAll()
                try await group.waitForAll()
            }
            try world.store.close()
            try FileManager.default.removeItem(atPath: world.folder)
        }

        private func alerts(_ sent: ScriptedTransport.Sent) throws -> [[String: Any]] {
            try #require(try JSONSerialization.jsonObject(with: sent.request.body) as? [[String: Any]])
        }

        private func world(_ script: [ScriptedTransport.Reply] = []) throws -> World {
            try World(
                script: ["ops": script],
                channels: [Service.alertmanager.channel(url: "https://ops.test/prefix/"), channel("hook")])
        }

        private func moment(_ text: Any?) throws -> TimeInterval {
            let strategy = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            return try strategy.parse(#require(text as? String)).timeIntervalSince(noon)
        }

        @Test("the present set is told every minute with an end five minutes off, and an end once")
        func story() async throws {
            let world = try world()
            try await put(
                world,
                [
                    incident("a"), incident("p", state: .pending), incident("q", domain: "quiet.test"),
                    incident("old", state: .resolved, resolvedAt: noon - 3600),
                    incident("recent", state: .resolved, resolvedAt: noon - 30),
                ])
            try await fed(world) {
                try await eventually { world.transport.sent.count == 1 }
                try await world.pass { world.transport.sent.count == 2 }
                try await put(world, [incident("a", state: .resolved, resolvedAt: world.time.now())])
                world.delivery.wake()
                try await world.pass { world.transport.sent.count == 3 }
                try await put(world, [incident("b")])
                world.delivery.wake()
                try await world.pass { world.transport.sent.count == 4 }
            }
            let sent = world.transport.sent
            #expect(sent.allSatisfy { $0.request.url == "https://ops.test/prefix/api/v2/alerts" })
            try #require(sent.count == 4)
            let first = try alerts(sent[0])
            try #require(first.count == 2)
            #expect(
                first[0]["labels"] as? [String: String] == [
                    "alertname": "aasa_monitor_incident", "domain": "example.com", "kind": "cdn.stale",
                    "team": "growth",
                    "label_domain": "x", "a_b": "c",
                ])
            #expect(try moment(first[0]["startsAt"]) == -600 && moment(first[0]["endsAt"]) == 300)
            // What ended before the start may still be believed there.
            #expect(try moment(first[1]["endsAt"]) == -30)
            #expect(sent[1].at == noon + 60)
            let second = try alerts(sent[1])
            #expect(try second.count == 1 && moment(second[0]["endsAt"]) == 360)
            let end = try alerts(sent[2])
            try #require(end.count == 1)
            #expect(try moment(end[0]["endsAt"]) == 60)
            #expect(end[0]["labels"] as? [String: String] == first[0]["labels"] as? [String: String])
            // The end is not told again.
            #expect(try alerts(sent[3]).count == 1)
        }

        @Test("what fires within a silence is told after it; what the receiver knows of is told on")
        func silence() async throws {
            let world = try world()
            let silence = Silence(
                id: "1", scope: SilenceScope(domains: [try DomainPattern("example.com")]), startsAt: noon - 60,
                endsAt: noon + 150, author: "eva", reason: "new balancer")
            try await put(world, [incident("before"), incident("within", firedAt: noon - 30)])
            try await fed(world, mutings: { Mutings(silences: [silence]) }) {
                try await eventually { world.transport.sent.count == 1 }
                try await put(world, [incident("later", firedAt: noon)])
                for count in 2...4 { try await world.pass { world.transport.sent.count == count } }
            }
            #expect(world.offsets("ops") == [0, 60, 120, 180])
            #expect(try world.transport.sent.map { try alerts($0).count } == [1, 1, 1, 3])
        }

        @Test("what the receiver did not take is told in the next round, with the ends since")
        func failure() async throws {
            let world = try world([.status(200), .status(500, "no SECRET"), .fault(.network)])
            try await put(world, [incident("a")])
            try await fed(world) {
                try await eventually { world.transport.sent.count == 1 }
                try await put(world, [incident("a", state: .resolved, resolvedAt: noon)])
                try await world.pass { world.transport.sent.count == 4 }
                try await eventually {
                    world.delivery.counts().contains { $0.outcome == "delivered" && $0.attempts == 2 }
                }
            }
            #expect(world.offsets("ops") == [0, 60, 120, 180])
            for sent in world.transport.sent.dropFirst() {
                #expect(try moment(#require(alerts(sent).first)["endsAt"]) == 0)
            }
            #expect(world.log.text.filter { $0.hasPrefix("warning") }.count == 2)
        }

        @Test("no label changes while an incident lasts; the outbox owes the feed nothing")
        func identity() async throws {
            let world = try world()
            let drafts = try world.routes.drafts(for: [event()], domain: Domain("example.com"))
            #expect(drafts.map(\.channel) == ["hook"])
            let links = world.routes.links(for: try Domain("example.com"))
            let alerts = try [Severity.warning, .error].map { severity in
                AlertmanagerAlert(
                    try incident("a", severity: severity), labels: ["empty": "", "9": "x", "__name__": "y"],
                    summary: "s", description: "", links: links, endsAt: noon)
            }
            #expect(alerts[0].labels == alerts[1].labels)
            #expect(alerts[0].annotations["severity"] == "warning" && alerts[1].annotations["severity"] == "error")
            #expect(alerts[0].labels.keys.sorted() == ["alertname", "domain", "kind", "label_9", "label___name__"])
            // A clock that was set back must not make an alert that ends before it begins.
            let odd = AlertmanagerAlert(
                try incident("a"), labels: [:], summary: "s", description: "d", links: links, endsAt: noon - 7200)
            #expect(odd.startsAt == odd.endsAt)
            try world.store.close()
            try FileManager.default.removeItem(atPath: world.folder)
        }
    }
}
