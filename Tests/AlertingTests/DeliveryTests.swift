import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization
import Testing

@testable import Alerting

/// A store, a clock, a network by script, and the delivery over them.
struct World {
    let folder: String
    let store: Store
    let time = ManualTime()
    let transport: ScriptedTransport
    let log = LogBook()
    let delivery: Delivery
    let routes: Routes

    init(
        script: [String: [ScriptedTransport.Reply]] = [:], channels: [Channel]? = nil, groupWait: Duration = .zero
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("aasa-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try Store(path: folder + "/monitor.db")
        transport = ScriptedTransport(time: time, script: script)
        let channels = try channels ?? [channel("hook")]
        let log = log
        delivery = Delivery(
            store: store, channels: channels, transport: transport, time: time,
            settings: .init(
                userAgent: "aasa-monitor/test", groupWait: groupWait, wallClock: { noon }, jitter: { 0 }),
            logger: Logger(label: "test") { _ in log.handler() }, owner: "me")
        routes = Routes(channels: channels, cdnBaseURL: "https://cdn.test/a/v1")
    }

    var testMessage: TestMessage {
        TestMessage(transport: transport, userAgent: "aasa-monitor/test", wallClock: { noon })
    }

    func enqueue(_ events: [Event]) async throws {
        try await store.enqueue(routes.drafts(for: events, domain: Domain("example.com")))
        delivery.wake()
    }

    /// Each event once the one before it is settled.
    func tell(_ events: [Event]) async throws {
        for event in events {
            try await enqueue([event])
            try await eventually { try await isEmpty() }
        }
    }

    /// Runs the delivery for as long as the body takes.
    func running(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await delivery.run() }
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
        try store.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Lets time pass, from one wake-up to the next, until the condition holds. It stands still while a loop is at work.
    func pass(until condition: () async throws -> Bool) async throws {
        try await eventually {
            if try await condition() { return true }
            // Others than the loops may sleep too.
            if let rest = delivery.rest, let wake = [rest.next, time.nextWake].compactMap(\.self).min() {
                time.advance(to: wake)
            }
            return false
        }
    }

    func states() async throws -> [String: OutboxRow.State] {
        let rows = try await store.messages(domain: nil, limit: 99)
        return Dictionary(rows.map { ("\($0.channel) \($0.type.rawValue)", $0.state) }) { first, _ in first }
    }

    func isEmpty() async throws -> Bool {
        try await store.messages(domain: nil, limit: 99).allSatisfy { $0.settledAt != nil }
    }

    func offsets(_ channel: String) -> [Int] {
        transport.sent(to: channel).map { Int($0.at.timeIntervalSince(noon).rounded()) }
    }
}

/// All that was logged, as text.
final class LogBook: Sendable {
    private let lines = Mutex<[String]>([])

    var text: [String] { lines.withLock(\.self) }

    func handler() -> any LogHandler { Handler(book: self) }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            book.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}

extension AlertingSuite {
    @Suite("Delivery")
    struct DeliveryTests {
        @Test("what was owed before the start and what comes later is delivered, once")
        func delivers() async throws {
            let world = try World()
            try await world.enqueue([event()])
            try await world.running {
                try await eventually { try await world.isEmpty() }
                try await world.enqueue([event(.resolved, sequence: 2)])
                try await eventually { try await world.isEmpty() && world.transport.sent.count == 2 }
            }
            #expect(world.transport.sent.map(\.type) == ["incident.firing", "incident.resolved"])
            #expect(world.transport.sent.first?.request.userAgent == "aasa-monitor/test")
            #expect(world.delivery.counts() == [DeliveryCount(channel: "hook", outcome: "delivered", attempts: 2)])
        }

        @Test("failures are repeated by the schedule, with one id and the same bytes")
        func retries() async throws {
            let world = try World(script: [
                "hook": [.status(500), .fault(.network), .status(502, "no"), .status(408), .status(503), .status(500)]
            ])
            try await world.enqueue([event()])
            try await world.running { try await world.pass { try await world.isEmpty() } }
            #expect(world.offsets("hook") == [0, 5, 20, 65, 185, 485, 1085])
            #expect(Set(world.transport.sent.map(\.id)).count == 1)
            #expect(Set(world.transport.sent.map(\.request.body)).count == 1)
        }

        @Test("the resolve waits for the firing, whatever that takes; another incident does not wait")
        func order() async throws {
            let world = try World(script: ["hook": [.status(500), .status(200), .status(200), .status(500)]])
            try await world.enqueue([event(), event(incident: "b", severity: .warning, at: noon)])
            try await world.running {
                try await eventually { world.transport.sent.count == 2 }
                try await world.enqueue([event(.resolved, sequence: 2, at: noon)])
                try await world.pass { try await world.isEmpty() }
            }
            let order = world.transport.sent.map { sent in
                let incident =
                    ((try? object(sent.request.body))?["data"] as? [String: Any])?["incident"] as? [String: Any]
                return "\(incident?["id"] ?? "") \(sent.type ?? "")"
            }
            #expect(
                order == [
                    "a1 incident.firing", "b incident.firing", "a1 incident.firing", "a1 incident.resolved",
                    "a1 incident.resolved",
                ])
        }

        @Test("Retry-After holds the whole channel and is no attempt")
        func throttled() async throws {
            let world = try World(
                script: ["hook": [.status(429, retryAfter: "40"), .status(429), .status(429)]],
                channels: [channel("hook"), channel("ops")])
            try await world.enqueue([event(), event(incident: "b")])
            try await world.running {
                try await eventually { world.transport.sent(to: "ops").count == 2 }
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.offsets("hook") == [0, 40, 55, 100, 100])
            #expect(world.offsets("ops") == [0, 0])
            #expect(world.delivery.health()["hook"]?.failures == 0)
        }

        @Test("a channel that hangs delays no other")
        func hangs() async throws {
            let world = try World(script: ["hook": [.hang]], channels: [channel("hook"), channel("ops", .slack)])
            try await world.enqueue([event(), event(incident: "b")])
            try await world.running {
                try await eventually { world.transport.sent(to: "ops").count == 2 }
                try await eventually { try await world.states()["ops incident.firing"] == .delivered }
                #expect(world.transport.sent(to: "hook").count == 1)
            }
        }

        @Test("what was under way when the process ended goes out again, with the same id and bytes")
        func restarts() async throws {
            let world = try World(script: ["hook": [.hang]])
            try await world.enqueue([event()])
            let former = Delivery(
                store: world.store, channels: [try channel("hook")], transport: world.transport, time: world.time,
                settings: .init(userAgent: "x"), logger: Logger(label: "x") { _ in SwiftLogNoOpLogHandler() },
                owner: "former")
            // Its lease and its frozen bytes are all that a killed process leaves.
            let row = try #require(
                try await world.store.claim(channel: "hook", owner: "former", now: noon, lease: .seconds(600)))
            _ = try await world.store.freeze(row, owner: "former", bytes: Data(#"{"frozen":1}"#.utf8))
            withExtendedLifetime(former) {}
            let transport = world.transport
            try await world.running {
                try await eventually { !transport.sent.isEmpty }
            }
            #expect(transport.sent.map(\.id) == [row.messageKey])
            #expect(transport.sent.first?.request.body == Data(#"{"frozen":1}"#.utf8))
        }

        @Test("a refused message is tried once in its plainest form, then given up; the next one goes out")
        func refusedMessage() async throws {
            let change = Change(kind: .added, summary: "x", pointer: "/x")
            let world = try World(script: ["hook": [.status(400, "too odd"), .status(422)]])
            try await world.enqueue([event(changes: [change]), event(.reminder, sequence: 2)])
            try await world.running { try await world.pass { try await world.isEmpty() } }
            #expect(world.offsets("hook") == [0, 0, 0])
            #expect(world.transport.sent.first?.request.body != world.transport.sent.dropFirst().first?.request.body)
            #expect(world.transport.sent.last?.type == "incident.reminder")
        }

        @Test(
            "a refusing channel gets a second look after a minute, then seldom ones; its messages wait",
            arguments: [401, 403, 404, 302])
        func refusedChannel(status: Int) async throws {
            let world = try World(script: ["hook": [.status(status), .status(status), .status(status)]])
            try await world.enqueue([event(), event(incident: "b")])
            try await world.running { try await world.pass { try await world.isEmpty() } }
            #expect(world.offsets("hook") == [0, 60, 21_660, 43_260, 43_260])
            #expect(world.log.text.filter { $0.hasPrefix("error") }.count == 1)
        }

        @Test("410 is believed at once")
        func gone() async throws {
            let world = try World(script: ["hook": [.status(410)]])
            try await world.enqueue([event()])
            try await world.running { try await world.pass { try await world.isEmpty() } }
            #expect(world.offsets("hook") == [0, 6 * 3600])
        }

        @Test("an untrusted certificate is forgiven three times")
        func certificate() async throws {
            let world = try World(script: ["hook": Array(repeating: .fault(.certificate), count: 4)])
            try await world.enqueue([event()])
            try await world.running { try await world.pass { try await world.isEmpty() } }
            #expect(world.offsets("hook") == [0, 5, 20, 65, 125])
            #expect(world.delivery.counts().contains { $0.outcome == "channel_refused" && $0.attempts == 1 })
        }

        @Test("a message that never goes through expires, and frees its successor")
        func expires() async throws {
            let world = try World(script: ["hook": Array(repeating: .status(500), count: 110)])
            try await world.enqueue([event()])
            try await world.running {
                try await eventually { !world.transport.sent.isEmpty }
                try await world.enqueue([event(.resolved, sequence: 2)])
                try await world.pass { try await world.states()["hook incident.firing"] == .expired }
            }
            #expect(world.time.now() >= noon + 86_400)
            #expect(world.log.text.contains { $0.hasPrefix("error gave up messages") })
        }

        @Test("after five failures in a row one message at a time is tried")
        func degrades() async throws {
            let world = try World(script: ["hook": Array(repeating: .status(500), count: 8)])
            try await world.enqueue((0..<8).map { try event(incident: "i\($0)") })
            try await world.running { try await world.pass { world.transport.sent.count >= 8 } }
            #expect(world.offsets("hook").prefix(8) == [0, 0, 0, 0, 0, 30, 60, 90])
        }

        @Test("a reload takes new channels in and drops the queue of removed ones")
        func reload() async throws {
            let world = try World(script: ["hook": [.status(401)]], channels: [channel("hook"), channel("gone")])
            try await world.running {
                try await world.enqueue([event()])
                try await eventually { world.transport.sent.count == 2 }
                try await eventually { world.delivery.health()["hook"]?.isRefusing == true }
                try await world.store.enqueue(
                    Routes(channels: [channel("former")], cdnBaseURL: "https://cdn.test").drafts(
                        for: [event()], domain: Domain("example.com")))
                try await world.delivery.replace(channels: [channel("hook"), channel("ops", .slack)])
                #expect(try await world.states()["former incident.firing"] == .dead)
                // The hold ended with the reload; the message has its own minute to wait.
                try await world.pass { try await world.states()["hook incident.firing"] == .delivered }
                let routes = Routes(channels: [try channel("ops", .slack)], cdnBaseURL: "https://cdn.test")
                try await world.store.enqueue(routes.drafts(for: [event(incident: "c")], domain: Domain("example.com")))
                world.delivery.wake()
                try await eventually { world.transport.sent(to: "ops").count == 1 }
            }
        }

        @Test("secrets are in no log and in no row, even when the receiver quotes them")
        func secrets() async throws {
            let world = try World(script: [
                "hook": [
                    .status(500, "cannot POST /services/T0SECRET/B0SECRET"),
                    .fault(.network, "no route to https://hook.test/services/T0SECRET/B0SECRET"),
                    .status(404, "T0SECRET is unknown"),
                ]
            ])
            try await world.enqueue([event()])
            try await world.running {
                try await world.pass { try await world.isEmpty() }
                let rows = try await world.store.messages(domain: nil, limit: 9)
                #expect(!"\(rows)".contains("SECRET"))
            }
            #expect(world.log.text.count == 4)
            #expect(!world.log.text.joined().contains("SECRET"))
            #expect(world.log.text.first?.contains("hook") == true)
        }

        @Test("a test message is marked as one and tells what came back")
        func testMessage() async throws {
            let world = try World(script: ["hook": [.status(403, "go away")]])
            let domain = try Domain("example.com")
            let facts = AlertFacts.test(domain: domain, links: world.routes.links(for: domain), now: noon)
            let report = try await world.testMessage.send(facts, to: channel("hook"))
            #expect(report.outcome == .permanentChannel(gone: false))
            #expect(report.words == "go away")
            #expect(world.transport.sent.first?.type == "test")
        }
    }
}
