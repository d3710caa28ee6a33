// The five rules of docs/reference/alerts.md, tested at the channels.

import Evidence
import Facts
import Foundation
import GRDB
import Logging
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("The rules of notifications")
    struct RulesTests {
        private static func filtered(_ name: String, _ kinds: [String]) throws -> Channel {
            var filtered = try channel(name)
            filtered.kinds = kinds
            return filtered
        }

        private static func pager(_ place: String = "pager", name: String = "pager", key: Character = "A") -> Channel {
            let token = String(repeating: key, count: 32)
            return Channel(name: name, kind: .pagerduty, url: "https://\(place).test", token: token)
        }

        /// An incident inhibited by the broken origin, as `evaluate` commits it.
        private static func missing(
            _ world: World, by cause: IncidentKind?, _ transition: IncidentChange.Transition = .firing
        ) async throws {
            let now = world.time.now()
            try await world.commit(
                Incident(
                    id: "c0ffee", subject: .domain(try Domain("example.com")), kind: .cdnMissing, severity: .error,
                    state: .firing, since: noon, openedAt: noon, firedAt: min(now, noon + 60), version: 1,
                    inhibitedBy: cause), transition)
        }

        private static func incident() throws -> Incident {
            Incident(
                id: "c0ffee", subject: .domain(try Domain("example.com")), kind: .originBroken, severity: .error,
                state: .firing, since: noon - 60, openedAt: noon - 60, firedAt: noon, version: 1)
        }

        /// Another process writes to the database.
        private static func spoil(_ world: World, _ sql: String) async throws {
            let other = try DatabaseQueue(path: world.folder + "/monitor.db")
            try await other.write { try $0.execute(sql: sql) }
            try other.close()
        }

        // MARK: - An alert is about what phones do

        @Test(
            "an incident is inhibited for channels that know the cause; when the cause ends, they are notified"
        )
        func consequence() async throws {
            let world = try World(World.routing([channel("hook"), Self.filtered("copies", ["cdn.*"])]))
            try await world.commit(.firing, kind: .originBroken)
            try await world.settle()
            try await Self.missing(world, by: .originBroken)
            try await world.commit(.worse, kind: .originBroken)
            try await world.pass(3600)
            #expect(world.types("hook") == ["firing", "update"])
            #expect(world.types("copies") == ["firing"])
            // The cause has ended: the inhibited incident is sent at once, without a second confirmation.
            try await world.commit(.resolved, kind: .originBroken)
            try await Self.missing(world, by: nil, .other)
            try await world.pass(60)
            #expect(world.types("hook") == ["firing", "update", "resolved", "firing"])
            #expect(world.types("copies") == ["firing"])
        }

        @Test("an end says what is still wrong with the domain")
        func remainder() throws {
            var incident = try Self.incident()
            incident.state = .resolved
            incident.resolvedAt = noon
            let facts = IncidentFacts(
                diagnosis: Diagnosis(effect: Effect(.openWebsite(at: nil)), cause: .remark(.over)),
                isStillFailing: true)
            let alert = Alert(
                reason: .resolved, at: noon, incident: incident, facts: facts, labels: [:],
                links: Alert.Links(statusPage: nil), instance: "m")
            #expect(RenderedAlert(alert).oneLine.contains("Links open the website"))
        }

        // MARK: - What a channel knows belongs to its destination

        @Test(
            "a new address starts with the firing incidents; the log names those left open at the old address"
        )
        func destination() async throws {
            let world = try World(World.routing([channel("hook"), Self.pager("pager")]))
            try await world.commit(.firing)
            try await world.settle()
            let elsewhere = Channel(name: "hook", kind: .webhook, url: "https://new.test/in")
            try await world.reload(World.routing([elsewhere, Self.pager("other", key: "B")]))
            try await world.pass(60)
            #expect(world.types("hook") == ["firing"] && world.types("new") == ["firing"])
            // A relay behind both addresses would drop a second message with the same id.
            let ids = (world.transport.sent(to: "hook") + world.transport.sent(to: "new")).compactMap(\.id)
            #expect(ids.count == 2 && Set(ids).count == 2)
            func events(_ place: String) throws -> [String] {
                try world.transport.sent(to: place).map {
                    let body = try object($0.request.body)
                    return [body["event_action"], body["dedup_key"]].map { "\($0 ?? "")" }.joined(separator: " ")
                }
            }
            let key = try #require(try events("pager").first?.split(separator: " ").last)
            #expect(try events("pager") == ["trigger \(key)"] && events("other") == ["trigger \(key)"])
            let lines = world.log.text.filter { $0.contains("former address") }
            #expect(lines.count == 2 && lines.contains { $0.contains("dedup_key \(key)") }, "\(lines)")
            try await world.commit(.resolved)
            try await world.pass(60)
            #expect(world.types("hook").count == 1 && world.types("new") == ["firing", "resolved"])
            #expect(try events("pager").count == 1 && events("other") == ["trigger \(key)", "resolve \(key)"])
        }

        @Test("a renamed channel starts again; a pager recognises the incident by its key")
        func renamed() async throws {
            let world = try World(World.routing([Self.pager(name: "one")]))
            try await world.commit(.firing)
            try await world.settle()
            try await world.reload(World.routing([Self.pager(name: "two")]))
            try await world.pass(60)
            try await world.commit(.resolved)
            try await world.pass(60)
            let events = try world.transport.sent(to: "pager").map { try object($0.request.body) }
            #expect(events.map { $0["event_action"] as? String } == ["trigger", "trigger", "resolve"])
            #expect(Set(events.compactMap { $0["dedup_key"] as? String }).count == 1)
        }

        @Test("an unreadable stored message does not prevent the notification")
        func unreadableMessage() async throws {
            let world = try World(script: ["hook": [.fault(.network)]])
            try await world.commit(.firing)
            try await world.settle()
            try await Self.spoil(world, "UPDATE message SET reason = 'of a later version'")
            try await world.restart()
            try await world.pass(60)
            #expect(world.types() == ["firing", "firing"])
            #expect(Set(world.transport.sent.map(\.id)).count == 2)
        }

        @Test("a channel that no longer gets the cause, because of a reload, is notified of the effect")
        func filteredLater() async throws {
            let world = try World(World.routing([channel("hook")]))
            try await world.commit(.firing, kind: .originBroken)
            try await world.settle()
            try await world.reload(World.routing([Self.filtered("hook", ["cdn.*"])]))
            try await Self.missing(world, by: .originBroken)
            try await world.commit(.worse, kind: .originBroken)
            try await world.pass(120)
            #expect(world.types() == ["firing", "firing"])
        }

        @Test("a changed secret or a restart is not a new destination")
        func sameDestination() async throws {
            let world = try World(World.routing([channel("hook", keys: [Data("a".utf8)])]))
            try await world.commit(.firing)
            try await world.settle()
            try await world.reload(World.routing([channel("hook", keys: [Data("b".utf8)])]))
            try await world.restart()
            try await world.pass(60)
            #expect(world.types() == ["firing"])
        }

        @Test("after a restart a new address starts with the firing incidents, and the old one gets nothing")
        func restarted() async throws {
            let world = try World(World.routing([channel("hook")]))
            try await world.commit(.firing)
            try await world.settle()
            try await world.restart(World.routing([Channel(name: "hook", kind: .webhook, url: "https://new.test/in")]))
            try await world.commit(.resolved)
            try await world.pass(60)
            #expect(world.types("hook") == ["firing"] && world.types("new").isEmpty)
        }

        @Test("a channel removed by a reload or before a start has no pending messages", arguments: [false, true])
        func removed(atStart: Bool) async throws {
            let down = ScriptedTransport.Reply.fault(.network, "connection refused", wasSent: false)
            let world = try World(
                script: ["gone": [.status(200), down]], World.routing([channel("hook"), channel("gone")]))
            try await world.commit(.firing)
            try await world.settle()
            try await world.commit(.worse)
            try await world.settle()
            let rest = try World.routing([channel("hook")])
            if atStart { try await world.restart(rest) } else { try await world.reload(rest) }
            #expect(try await world.store.pendingNotifications { $0 == "gone" }.isEmpty)
            #expect(try await world.store.inspect(channel: "gone") { try $0.nextDue() } == nil)
            #expect(world.log.text.count { $0.contains("former address") } == 1)
            // It comes back as a new channel.
            try await world.reload(World.routing([channel("hook"), channel("gone")]))
            try await world.pass(60)
            #expect(world.types("gone") == ["firing", "update", "firing"])
        }

        @Test("a second outbreak that ends before the receiver recovers is sent, like a first one")
        func secondOutbreak() async throws {
            let world = try World(World.routing([channel("hook")]))
            try await world.commit(.firing)
            try await world.settle()
            try await world.commit(.resolved)
            try await world.settle()
            let down = ScriptedTransport.Reply.fault(.network, "connection refused", wasSent: false)
            world.transport.script("hook", Array(repeating: down, count: 4))
            try await world.commit(.again)
            try await world.pass(20)
            try await world.commit(.resolved)
            try await world.pass(3600)
            let reasons = try await world.store.deliveries(limit: 10).filter { $0.outcome == .delivered }.map(\.reason)
            #expect(reasons.reversed() == [.firing, .resolved, .wasFiring])
        }

        @Test("an outbreak that starts and ends while an earlier end is being sent is sent, too")
        func outbreakBehindEnd() async throws {
            let world = try World(World.routing([channel("hook")]))
            try await world.commit(.firing)
            try await world.settle()
            world.transport.script("hook", [.status(410)])
            try await world.commit(.resolved)
            try await world.settle()
            // A channel whose address is gone pauses for five minutes.
            for _ in 0..<3 {
                try await world.commit(.again)
                try await world.pass(30)
                try await world.commit(.resolved)
                try await world.pass(30)
            }
            try await world.pass(3600)
            let reasons = try await world.store.deliveries(limit: 10).filter { $0.outcome == .delivered }.map(\.reason)
            #expect(reasons.reversed() == [.firing, .resolved, .wasFiring])
        }

        // MARK: - Delivered means that the service said so

        @Test("a message without a response is sent four times with growing gaps, and then counts as known")
        func unanswered() async throws {
            let slow = ScriptedTransport.Reply.fault(.network, "timed out")
            let world = try World(script: ["hook": Array(repeating: slow, count: 100)])
            try await world.commit(.firing)
            try await world.pass(4 * 3600)
            #expect(world.offsets() == [0, 30, 150, 750])
            #expect(try await world.known()?.state == .firing)
            try await world.commit(.resolved)
            try await world.pass(80 * 3600)
            #expect(world.types() == Array(repeating: "firing", count: 4) + Array(repeating: "resolved", count: 4))
            #expect(try await world.store.deliveries(limit: 9).map(\.outcome) == [.unanswered, .unanswered])
            // Other channels are notified that this one does not respond.
            #expect(world.delivery.troubles().map(\.name) == ["hook"])
        }

        @Test("a request to wait for half an hour puts the channel in trouble at once")
        func retryAfter() async throws {
            for (seconds, isTrouble) in [("3600", true), ("1800", true), ("600", false)] {
                let world = try World(script: ["hook": [.status(429, retryAfter: seconds)]])
                try await world.commit(.firing)
                try await world.settle()
                #expect(world.delivery.troubles().isEmpty != isTrouble, "\(seconds)")
            }
        }

        @Test("a service that throttles without a duration is retried with doubling gaps")
        func throttled() async throws {
            let world = try World(script: ["hook": Array(repeating: .status(429), count: 40)])
            try await world.commit(.firing)
            try await world.pass(215)
            #expect(world.offsets() == [0, 5, 10, 20, 40, 80, 160])
        }

        @Test("if the fallback and the team's channel are gone, a working channel is notified about them")
        func lastChannel() async throws {
            let gone = Array(repeating: ScriptedTransport.Reply.status(410), count: 50)
            let routing = try World.routing(
                [channel("fallback"), channel("team"), channel("third")], fallback: "fallback", routed: ["team"])
            let world = try World(script: ["fallback": gone, "team": gone], routing)
            try await world.commit(.firing)
            try await world.settle()
            for name in ["team", "fallback"] {
                try await world.commit(
                    Incident(
                        id: "0\(name)", subject: .global(.channel(name)), kind: .monitorDegraded, severity: .error,
                        state: .firing, since: noon, openedAt: noon, firedAt: world.time.now(), version: 1), .firing)
                try await world.pass(30)
            }
            let told = world.transport.sent(to: "third")
            #expect(told.count == 2 && told.allSatisfy { $0.text.contains("monitor.degraded") })
            #expect(told.allSatisfy { !$0.text.contains("cdn.stale") })
        }

        @Test("if the first channels cannot be reached, the next escalation step is sent at once")
        func nextInLine() async throws {
            let gone = Array(repeating: ScriptedTransport.Reply.status(410), count: 50)
            let steps = Escalation([.init(after: .seconds(7200), channels: ["boss"])])
            let world = try World(
                script: ["team": gone], World.routing([channel("team"), channel("boss")], escalation: steps))
            try await world.commit(.firing)
            try await world.pass(60)
            #expect(world.types("boss") == ["firing"])
        }

        @Test("a recipient that was deferred gets the mail alone; the others do not get it twice")
        func recipients() async throws {
            let mail = Channel(
                name: "mail", kind: .email, url: "smtps://mail.test",
                mail: MailAddresses(sender: "m@a.test", recipients: ["eva@a.test", "max@b.test"]))
            var partly = TransportAnswer(status: 250)
            partly.deferred = ["max@b.test"]
            let later = TransportAnswer(status: 451, body: Data("try later".utf8))
            let world = try World(
                script: ["mail": [.answer(partly), .answer(later), .answer(TransportAnswer(status: 250))]],
                World.routing([mail]))
            try await world.commit(.firing)
            try await world.pass(600)
            let recipients = world.transport.sent.map { sent -> [String] in
                if case .mail(let envelope) = sent.request.way { return envelope.recipients }
                return []
            }
            #expect(recipients == [["eva@a.test", "max@b.test"], ["max@b.test"], ["max@b.test"]])
            #expect(world.offsets("mail") == [0, 5, 20])
            #expect(world.delivery.troubles().isEmpty)
            #expect(try await world.store.pendingNotifications { $0 == "mail" }.isEmpty)
        }

        @Test("a requested retry does not wait for the next attempt")
        func retried() async throws {
            let world = try World(script: ["hook": Array(repeating: .status(500), count: 4)])
            try await world.commit(.firing)
            try await world.pass(70)
            #expect(world.offsets() == [0, 5, 20, 65])
            _ = try await world.store.retry(channel: "hook", now: world.time.now())
            try await world.settle()
            #expect(world.offsets() == [0, 5, 20, 65, 70])
        }

        // MARK: - One incident, one message

        @Test("sixty short failures are a few messages, not one each as they recover")
        func wereFiring() async throws {
            let names = (0..<60).map { "d\($0).example.com" }
            let world = try World(
                World.routing(
                    [channel("hook")], domains: names, groupWait: .seconds(10), groupInterval: .seconds(300)))
            for name in names.prefix(11) { try await world.commit(.firing, name) }
            try await world.pass(15)
            for name in names.dropFirst(11) { try await world.commit(.firing, name) }
            try await world.pass(25)
            for name in names {
                try await world.commit(.resolved, name)
                try await world.pass(0.3, isChecking: false)
            }
            try await world.pass(1200)
            let delivered = try await world.store.deliveries(limit: 200).filter { $0.outcome == .delivered }
            let were = delivered.filter { $0.reason == .wasFiring }
            #expect(Set(were.map(\.key)).count <= 2 && were.count == 49)
            #expect(Set(delivered.map(\.incidentID)).count == 60)
        }

        @Test("an escalation step counts from the end of the silence, when people could first acknowledge")
        func afterSilence() async throws {
            let steps = Escalation([.init(after: .seconds(3600), channels: ["boss"])])
            let world = try World(World.routing([channel("hook"), channel("boss")], escalation: steps))
            try world.silence(until: 7200)
            try await world.commit(.firing)
            try await world.pass(3 * 7200)
            #expect(world.offsets("hook") == [7200])
            let escalated = try #require(world.offsets("boss").first)
            #expect((10_800...10_860).contains(escalated))
        }

        @Test("only the cause escalates; an incident that outlives it gets the step's full time from then on")
        func escalatedCause() async throws {
            let steps = Escalation([.init(after: .seconds(3600), channels: ["boss"])])
            let world = try World(World.routing([channel("hook"), channel("boss")], escalation: steps))
            try await world.commit(.firing, kind: .originBroken)
            try await Self.missing(world, by: .originBroken)
            let records = try await world.store.incidents(IncidentQuery(kind: .originBroken, limit: 1))
            let id = records.first?.incident.id ?? ""
            try await world.acknowledge(id)
            try await world.pass(7000)
            #expect(world.types("boss").isEmpty, "the cause is acknowledged")
            try await world.commit(.resolved, kind: .originBroken)
            try await Self.missing(world, by: nil, .other)
            try await world.pass(7200)
            #expect(world.types("hook") == ["firing", "resolved", "firing"])
            let escalated = try #require(world.offsets("boss").first)
            #expect((10_600...10_660).contains(escalated))
        }

        @Test("the first digest of a burst says how many more domains may follow")
        func burst() async throws {
            let world = try World(
                World.routing(
                    [channel("hook")], domains: ["a.example.com", "b.example.com", "c.example.com"],
                    groupWait: .seconds(10)))
            for name in ["a.example.com", "b.example.com"] {
                try await world.commit(.firing, name, kind: .originBroken)
            }
            try await world.commit(.opened, "c.example.com", kind: .originBroken)
            try await world.pass(20)
            #expect(world.transport.sent.count == 1)
            #expect(world.transport.sent.first?.text.contains("1 more domain may follow.") == true)
        }

        // MARK: - Our own faults

        @Test("a message about an unreadable incident leaves nothing behind")
        func unreadable() async throws {
            let world = try World(script: ["hook": [.status(500)]])
            try await world.commit(.firing)
            try await world.settle()
            try await Self.spoil(world, "UPDATE incident SET kind = 'nothing.known'")
            try await world.pass(60)
            try await Self.spoil(world, "UPDATE incident SET kind = 'cdn.stale'")
            #expect(try await world.known()?.messageID == nil)
            try await world.commit(.worse)
            try await world.pass(60)
            #expect(world.types().count > 1)
        }
    }
}
