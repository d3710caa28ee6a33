// The real process is killed again and again while sites break and recover and receivers fail. The test compares the
// deliveries in the store with the received messages.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

/// Runs alone, because it can run longer than the other suites.
@Suite(.timeLimit(.minutes(120)), .inTurn(first: true))
struct KillLoopTests {
    /// `make kills KILLS=200` runs more.
    private static let kills = ProcessInfo.processInfo.environment["AASA_KILLS"].flatMap(Int.init) ?? 10

    /// xorshift64: the same moments in every run.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64 = 0x5EED

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    @Test("kill -9 in a loop under load loses no message, and a repeat has the same key")
    func killLoop() async throws {
        try await Stage.with { stage in
            let hosts = (0..<max(20, Self.kills * 2)).map { "site\($0).test" }
            for host in hosts { stage.lab.origin(host).serve(file()) }
            let receivers = [try await LabReceiver.start(), try await LabReceiver.start()]
            let watch = try Watch(
                stage, hosts,
                Watch.Settings(
                    interval: "1s", staleAfter: Watch.soon,
                    channels: receivers.enumerated().map {
                        Watch.webhook($0.element.url("/in"), name: "hook\($0.offset)")
                    }))
            var dice = Dice()
            var broken: Set<String> = []
            var breaks: [String: Int] = [:]
            for life in 0..<Self.kills {
                // Some processes are killed during the start, the others after checks have begun.
                let isShort = life % 4 == 3
                let process = isShort ? try watch.start() : try await watch.started().0
                // A site breaks at most twice: from the fifth change within an hour, notifications pause.
                let some = hosts.dropFirst(life * 2 % hosts.count).prefix(6)
                for host in some where !broken.contains(host) && breaks[host, default: 0] < 2 {
                    stage.lab.origin(host).behaviour = .reply(.status(503))
                    broken.insert(host)
                    breaks[host, default: 0] += 1
                }
                for host in broken.sorted() where !some.contains(host) || Int.random(in: 0..<3, using: &dice) == 0 {
                    stage.lab.origin(host).serve(file())
                    broken.remove(host)
                }
                for receiver in receivers where Int.random(in: 0..<3, using: &dice) == 0 {
                    receiver.next([Bool.random(using: &dice) ? .reply(.status(500)) : .fault(.reset)])
                }
                if !isShort {
                    // Just after an arrival is the moment between the receiver's answer and its record in the store.
                    let goal = receivers.map(\.received.count).reduce(0, +) + Int.random(in: 1...9, using: &dice)
                    await Self.wait(atMost: .seconds(15)) {
                        receivers.map(\.received.count).reduce(0, +) >= goal
                    }
                }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &dice)))
                try await process.kill9()
            }

            for host in hosts {
                stage.lab.origin(host).serve(file())
                // Apple's crawler remembers for an hour that there was no file.
                stage.lab.cdn.refresh(host)
            }
            let (process, _) = try await watch.started()
            try await until("the end of every incident", seen: { process.errors }) {
                receivers.allSatisfy { Self.isCalm($0.messages) }
            }
            try await watch.checks(4, of: hosts)
            try await Self.waitUntilAtRest(stage)
            try await watch.checks(2, of: hosts)
            process.signal(SIGTERM)
            #expect(try await process.ended() == .exit(0))

            let books = try await Self.books(stage)
            #expect(books.isAtRest, "\(books)")
            let received = receivers.flatMap(\.messages)
            // Throws if one key came with two bodies.
            let distinct = try received.distinct()
            let delivered = Set(books.deliveries.filter { $0.outcome == "delivered" }.map(\.key))
            let lost = delivered.subtracting(distinct.map(\.id))
            #expect(lost.isEmpty, "logged as delivered and never received: \(lost)")
            let unknown = Set(distinct.map(\.id)).subtracting(books.deliveries.map(\.key))
            #expect(unknown.isEmpty, "received and not in the log: \(unknown)")
            let open = books.lastWords.filter { $0.value != "incident.resolved" }
            #expect(open.isEmpty, "the last accepted message is not RESOLVED: \(open)")
            #expect(receivers.allSatisfy { Self.isCalm($0.messages) })
            // A run without messages proves nothing.
            #expect(delivered.count > Self.kills)
            print(
                "kills \(Self.kills): \(books.fired.count) incidents at \(receivers.count) channels, "
                    + "\(delivered.count) messages delivered, \(books.deliveries.count - delivered.count) abandoned, "
                    + "\(lost.count) lost, \(received.count - distinct.count) requests more than messages")
            for receiver in receivers { await receiver.shutdown() }
        }
    }

    /// Waits for something that may not happen.
    private static func wait(atMost limit: Duration, _ condition: () -> Bool) async {
        let end = ContinuousClock.now + limit
        while !condition(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(2)) }
    }

    /// Whether the last message about each incident is its end.
    private static func isCalm(_ messages: [Message]) -> Bool {
        let last = Dictionary(messages.map { ($0.incident, $0.type) }) { _, last in last }
        return last.values.allSatisfy { $0 == "incident.resolved" }
    }

    /// The store's incidents and their notifications.
    private struct Books: CustomStringConvertible {
        let json: JSONValue

        /// Incidents that ever fired.
        var fired: [JSONValue] { json["fired"].elements }

        /// Every incident has ended, every channel was notified, and nothing is pending.
        var isAtRest: Bool {
            ["unresolved", "knowing", "pending", "messages", "members"].allSatisfy { json[$0] == .array([]) }
        }

        /// The log, in order.
        var deliveries: [(channel: String, incident: String, type: String, key: String, outcome: String)] {
            json["deliveries"].elements.map { row in
                let cells = row.elements.map { $0.string ?? "" }
                return cells.count == 5 ? (cells[0], cells[1], cells[2], cells[3], cells[4]) : ("", "", "", "", "")
            }
        }

        /// The type of the last message that each channel accepted about each incident.
        var lastWords: [String: String] {
            let taken = deliveries.filter { $0.outcome == "delivered" }
            return Dictionary(taken.map { ("\($0.channel) \($0.incident)", $0.type) }) { _, last in last }
        }

        var description: String {
            json.keys.subtracting(["deliveries", "fired"]).sorted().map { "\($0): \(json[$0])" }
                .joined(separator: "\n")
        }
    }

    private static func books(_ stage: Stage) async throws -> Books {
        let program = """
            import json, sqlite3
            store = sqlite3.connect('monitor.db', timeout=30)
            def rows(query): return [list(row) for row in store.execute(query)]
            print(json.dumps({
                'fired': rows("SELECT id FROM incident WHERE version > 0"),
                'unresolved': rows("SELECT id, kind, state FROM incident WHERE version > 0 AND state <> 'resolved'"),
                'knowing': rows("SELECT channel, incident_id FROM notification WHERE state = 'firing' OR maybe_delivered"),
                'pending': rows("SELECT channel, incident_id, reason FROM notification "
                    "WHERE pending_since IS NOT NULL OR message_id IS NOT NULL"),
                'messages': rows("SELECT key FROM message"),
                'members': rows("SELECT value ->> 'incident' FROM message, json_each(members)"),
                'deliveries': rows("SELECT channel, incident_id, type, key, outcome FROM delivery ORDER BY id"),
            }))
            """
        let python = try stage.tool("python3", ["-c", program])
        try await python.ended()
        return Books(json: try python.json())
    }

    private static func waitUntilAtRest(_ stage: Stage) async throws {
        var seen = ""
        try await until("no open incident or pending message", every: .milliseconds(500), seen: { seen }) {
            let now = try await Self.books(stage)
            seen = "\(now)"
            return now.isAtRest
        }
    }
}
