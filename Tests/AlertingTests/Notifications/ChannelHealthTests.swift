// How responses change the health of a channel.

import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Channel health")
    struct ChannelHealthTests {
        private func record(after outcomes: [Outcome], each seconds: TimeInterval = 1) -> ChannelRecord {
            var record = ChannelRecord(name: "hook", type: "webhook")
            for (index, outcome) in outcomes.enumerated() {
                record = ChannelHealth.after(
                    outcome, record, wait: .seconds(5), isFinal: true, error: "no",
                    now: noon + Double(index) * seconds)
            }
            return record
        }

        @Test(
            "a channel is in trouble after three different refused messages in a row, or 30 minutes of throttling",
            arguments: [
                ([Outcome.permanentMessage, .permanentMessage], 1.0, false),
                ([.permanentMessage, .permanentMessage, .permanentMessage], 1, true),
                ([.permanentMessage, .permanentMessage, .delivered, .permanentMessage], 1, false),
                (Array(repeating: .throttled(after: nil), count: 30), 60, false),
                (Array(repeating: .throttled(after: nil), count: 31), 60, true),
                (Array(repeating: .transient, count: 4), 1, false), (Array(repeating: .transient, count: 5), 1, true),
                ([.permanentChannel(gone: false)], 1, false),
                ([.permanentChannel(gone: false), .permanentChannel(gone: false)], 1, true),
                ([.permanentChannel(gone: true)], 1, true),
            ])
        func trouble(outcomes: [Outcome], seconds: TimeInterval, isTrouble: Bool) {
            #expect((record(after: outcomes, each: seconds).trouble != nil) == isTrouble)
        }

        @Test("only a delivered message ends the trouble, and lifts the refusals")
        func recovery() {
            let down = Array(repeating: Outcome.transient, count: 5)
            #expect(record(after: down + [.permanentMessage]).trouble != nil)
            let back = record(after: down + [.delivered])
            #expect(back.trouble == nil && back.failures == 0 && back.hold == nil && back.refusalsLiftedAt != nil)
        }

        @Test("trouble keeps its start and the latest error")
        func since() {
            let record = record(after: Array(repeating: .transient, count: 9), each: 60)
            #expect(record.trouble == .init(state: .degraded, since: noon + 240, error: "no"))
        }

        @Test("a channel that refused three messages is retried, reported, and gets the current state when it recovers")
        func endToEnd() async throws {
            let domains = (0..<3).map { "d\($0).example.com" }
            let world = try World(
                script: ["hook": Array(repeating: .status(400), count: 100)],
                World.routing([channel("hook")], domains: domains))
            for domain in domains { try await world.commit(.firing, domain) }
            try await world.pass(600)
            #expect(world.delivery.troubles().map(\.name) == ["hook"])
            let tried = world.transport.sent.count
            try await world.pass(2 * 3600)
            #expect(world.transport.sent.count > tried)
            world.transport.script("hook", [])
            try await world.pass(24 * 3600)
            #expect(world.delivery.troubles().isEmpty)
            let taken = try await world.store.deliveries(channel: "hook", incident: nil, domain: nil, limit: 99)
            #expect(Set(taken.filter { $0.outcome == .delivered }.map(\.incidentID)).count == 3)
        }

        @Test(
            "a permanently refused message goes to the fallback at once, with the channel's name, and so does its end"
        )
        func standIn() async throws {
            let world = try World(
                script: ["hook": [.status(400, "too odd"), .status(400, "too odd")]],
                World.routing([channel("hook"), channel("ops"), channel("other")], fallback: "ops", routed: ["hook"]))
            try await world.commit(.firing)
            try await world.pass(30)
            let taken = try #require(world.transport.sent(to: "ops").first)
            #expect(taken.text.contains("refused by channel 'hook' (too odd)"), "\(taken.text)")
            #expect(world.delivery.troubles().isEmpty)
            // The channel accepts the next version itself.
            try await world.commit(.worse)
            try await world.pass(60)
            #expect(world.transport.sent(to: "hook").count == 3 && world.transport.sent(to: "ops").count == 1)
            try await world.commit(.resolved)
            try await world.pass(60)
            #expect(world.transport.sent(to: "ops").map(\.type) == ["incident.firing", "incident.resolved"])
            #expect(world.transport.sent(to: "other").isEmpty)
        }

        @Test("a late end of an earlier incident does not close the current one, although a pager has one key for both")
        func pagerKey() async throws {
            let pager = try Service.pagerduty.channel("pager", url: "https://pager.test")
            let world = try World(World.routing([pager]))
            func sent() throws -> [String] {
                try world.transport.sent.map { sent in
                    let event = try object(sent.request.body)
                    return "\(event["event_action"] ?? "") \(event["dedup_key"] ?? "")"
                }
            }
            try await world.commit(.firing)
            try await world.pass(60)
            // The end arrives only after the next incident begins.
            world.transport.script("pager", Array(repeating: .status(503), count: 3))
            try await world.commit(.resolved)
            try await world.pass(10)
            try await world.commit(.firing, new: true)
            try await world.pass(3600)
            let actions = try sent()
            #expect(Set(actions.map { $0.split(separator: " ")[1] }).count == 1)
            #expect(actions.last?.hasPrefix("trigger") == true, "\(actions)")
            try await world.commit(.resolved)
            try await world.pass(60)
            #expect(try sent().last?.hasPrefix("resolve") == true)
        }

        @Test("an incident that fired and ended while the receiver refused it is one message after the repair")
        func refusedFiring() async throws {
            let world = try World(script: ["hook": Array(repeating: .status(400), count: 4)])
            try await world.commit(.firing)
            try await world.pass(60)
            try await world.commit(.resolved)
            try await world.pass(600)
            let tried = world.transport.sent.count
            world.transport.script("hook", [])
            _ = try await world.store.endHold(channel: "hook", now: world.time.now())
            world.delivery.reconsider()
            try await world.pass(60)
            #expect(world.types().dropFirst(tried) == ["resolved"])
        }

        @Test("a refused acknowledgement is not repeated, and later messages are sent")
        func refusedAcknowledgement() async throws {
            let pager = try Service.pagerduty.channel("pager", url: "https://pager.test")
            let world = try World(World.routing([pager]))
            try await world.commit(.firing)
            try await world.settle()
            world.transport.script("pager", [.status(400), .status(400)])
            try await world.acknowledge(world.incident().id)
            try await world.pass(600)
            try await world.commit(.worse)
            try await world.pass(60)
            let actions = try world.actions()
            #expect(actions.count { $0 == "acknowledge" } <= 2 && actions.last == "trigger")
            #expect(world.delivery.troubles().isEmpty)
        }

        @Test("a refused end is sent once the channel is repaired")
        func refusedEnd() async throws {
            let world = try World()
            try await world.commit(.firing)
            try await world.pass(60)
            world.transport.script("hook", Array(repeating: .status(400), count: 2))
            try await world.commit(.resolved)
            try await world.pass(600)
            #expect(world.types().suffix(2) == ["resolved", "resolved"])
            let tried = world.transport.sent.count
            _ = try await world.store.endHold(channel: "hook", now: world.time.now())
            world.delivery.reconsider()
            try await world.pass(60)
            #expect(world.transport.sent.count == tried + 1)
            #expect(try await world.known()?.state == .resolved)
        }

        @Test("a channel's trouble survives a restart; a restart and a reload allow one attempt at once")
        func restart() async throws {
            let world = try World(script: ["hook": Array(repeating: .status(401), count: 4)])
            try await world.commit(.firing)
            try await world.pass(400)
            #expect(world.transport.sent.count == 3)
            try await world.restart()
            #expect(world.delivery.troubles().map(\.isDisabled) == [true])
            try await world.pass(10)
            #expect(world.transport.sent.count == 4)
            try await world.reload(world.routing)
            try await world.pass(10)
            #expect(world.transport.sent.count == 5 && world.delivery.troubles().isEmpty)
        }
    }

    @Suite("Alertmanager feed")
    struct FeedTests {
        private func world(_ script: [ScriptedTransport.Reply] = []) throws -> World {
            try World(
                script: ["ops": script],
                World.routing([Service.alertmanager.channel(url: "https://ops.test/prefix/")]))
        }

        private func alerts(_ sent: ScriptedTransport.Sent) throws -> [[String: Any]] {
            try #require(try JSONSerialization.jsonObject(with: sent.request.body) as? [[String: Any]])
        }

        private func offset(_ text: Any?) throws -> TimeInterval {
            let strategy = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            return try strategy.parse(#require(text as? String)).timeIntervalSince(noon)
        }

        @Test("firing alerts are sent every minute with `endsAt` in five, ends until delivered; no row is stored")
        func rounds() async throws {
            let world = try world()
            try await world.commit(.firing)
            try await world.pass(150)
            #expect(world.offsets("ops") == [0, 60, 120])
            #expect(try world.transport.sent.map { try offset(alerts($0).first?["endsAt"]) } == [300, 360, 420])
            world.transport.script("ops", [.status(500)])
            try await world.commit(.resolved)
            try await world.pass(100)
            let ends = try world.transport.sent.dropFirst(3).map { try offset(alerts($0).first?["endsAt"]) }
            #expect(ends.count == 2 && ends.allSatisfy { $0 == 150 })
            try await world.pass(600)
            #expect(world.transport.sent.count == 5)
            let id = try world.incident().id
            #expect(try await world.store.inspect(channel: "ops") { try $0.notification(id) } == nil)
        }

        @Test("an alert soon after a round waits a few seconds, and is sent together with all others")
        func changes() async throws {
            let world = try world()
            try await world.commit(.firing)
            try await world.settle()
            try await world.commit(.firing, kind: .originBroken)
            try await world.pass(30)
            #expect(world.offsets("ops") == [0, 5])
            #expect(try world.transport.sent.map { try alerts($0).count } == [1, 2])
        }

        @Test("single failures that are days apart do not put the feed in trouble")
        func failures() async throws {
            let world = try world()
            try await world.commit(.firing)
            try await world.settle()
            for _ in 0..<6 {
                world.transport.script("ops", [.status(503)])
                try await world.pass(600)
            }
            #expect(world.delivery.troubles().isEmpty)
        }

        @Test("a silence suppresses new alerts; alerts that the receiver knows are still sent")
        func silence() async throws {
            let world = try world()
            try world.silence(until: 600)
            try await world.commit(.firing)
            try await world.pass(500)
            #expect(world.transport.sent.isEmpty)
            try await world.pass(200)
            let sent = world.transport.sent.count
            #expect(sent > 0)
            try world.silence(until: 6000)
            try await world.pass(300)
            #expect(world.transport.sent.count >= sent + 4)
        }

        @Test("`endsAt` follows changes of the wall clock")
        func wallClock() async throws {
            let world = try world()
            try await world.commit(.firing)
            try await world.settle()
            world.time.setWall(by: 3600)
            try await world.pass(60)
            #expect(try world.transport.sent.map { try offset(alerts($0).first?["endsAt"]) } == [300, 3960])
        }

        @Test("a restart loses nothing, and labels do not change with severity or text")
        func labels() async throws {
            let world = try world()
            try await world.commit(.firing)
            try await world.settle()
            try await world.restart()
            try await world.commit(.worse, severity: .error)
            try await world.pass(60)
            let labels = try world.transport.sent.map { try alerts($0).first?["labels"] as? [String: String] }
            #expect(Set(labels).count == 1)
            #expect(labels.first??["alertname"] == "aasa_monitor_incident")
        }
    }

    @Suite("Routing")
    struct RoutingTests {
        @Test(
            "a global incident notifies all normal channels or the fallback, never the affected channel",
            arguments: [
                (GlobalCause.network, nil, ["hook", "ops"]), (.cdn, "ops", ["hook", "ops"]),
                (.schedule, nil, ["hook", "ops"]), (.configuration, "ops", ["ops"]),
                (.channel("hook"), nil, ["ops"]), (.channel("hook"), "ops", ["ops"]),
                (.channel("ops"), "ops", ["hook"]),
            ])
        func global(cause: GlobalCause, fallback: String?, expected: [String]) throws {
            let routing = try World.routing(
                [channel("hook"), channel("ops"), channel("later")], fallback: fallback,
                escalation: Escalation([.init(after: .seconds(60), channels: ["later"])]))
            #expect(routing.globalChannels(of: cause).sorted() == expected)
        }

        @Test("a channel prints only its host and a hash")
        func secrets() throws {
            let channel = try channel()
            for text in [channel.place, "\(channel)", String(reflecting: channel), "\([channel])"] {
                #expect(!text.contains("SECRET") && text.contains("hook"))
            }
            let world = try World.routing([channel])
            #expect(!"\(world.links(for: try Domain("example.com")))".contains("SECRET"))
        }

        @Test(
            "a message links to the pages of its incident and its domain, or to the start page")
        func links() throws {
            let incident = try incident("abc")
            for (page, expected) in [
                (nil, nil), ("https://status.test", "https://status.test/"),
                ("https://status.test/", "https://status.test/"),
            ] as [(String?, String?)] {
                let routing = Routing(
                    channels: [], domains: [], cdnBaseURL: "https://cdn.test", statusPageURL: page, instance: "m")
                #expect(routing.links(of: incident).incident == expected.map { $0 + "incidents/abc" })
                #expect(routing.links(of: incident).incidents == expected.map { $0 + "incidents" })
                #expect(routing.links(of: incident).statusPage == expected.map { $0 + "domains/example.com" })
                #expect(routing.links(of: incident).cdn == "https://cdn.test/example.com")
                #expect(routing.links(for: nil).statusPage == page && routing.links(for: nil).cdn == nil)
            }
        }
    }
}
