// The real process, killed again and again while sites break and mend and the receiver is in trouble. What the store says
// was owed is compared with what arrived.

import Foundation
import Lab
import Testing

/// By itself, since it may be asked to go on for longer than the other suites may.
@Suite(.timeLimit(.minutes(60)))
struct KillLoopTests {
    /// `make kills KILLS=200` asks for more.
    private static let kills = ProcessInfo.processInfo.environment["AASA_KILLS"].flatMap(Int.init) ?? 12

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

    @Test("kill -9 in a loop under load loses no message, and repeats one only under its own key")
    func killLoop() async throws {
        try await Stage.with(share: .whole) { stage in
            let hosts = (0..<max(20, Self.kills * 2)).map { "site\($0).test" }
            for host in hosts { stage.lab.origin(host).serve(file()) }
            let receivers = [try await LabReceiver.start(), try await LabReceiver.start()]
            let watch = try Watch(
                stage, hosts,
                Watch.Settings(
                    interval: "300ms", timeout: "10s",
                    channels: receivers.enumerated().map {
                        Watch.webhook($0.element.url("/in"), name: "hook\($0.offset)")
                    }))
            var dice = Dice()
            var broken: Set<String> = []
            var breaks: [String: Int] = [:]
            for life in 0..<Self.kills {
                // Some lives end while they begin, the others have begun to check.
                let isShort = life % 4 == 3
                let process = isShort ? try watch.start() : try await watch.started().0
                // Two breaks of a site at most: from the fifth turn within an hour on, nothing is told until it is calm.
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
                    // Right behind an arrival lies the moment between the receiver's yes and the mark.
                    let goal = receivers.map(\.received.count).reduce(0, +) + Int.random(in: 1...9, using: &dice)
                    await Self.wait(atMost: .seconds(4)) {
                        receivers.map(\.received.count).reduce(0, +) >= goal
                    }
                }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &dice)))
                try await process.kill9()
            }

            for host in hosts {
                stage.lab.origin(host).serve(file())
                // Apple's crawler remembers for an hour that there was nothing.
                stage.lab.cdn.refresh(host)
            }
            let (process, _) = try await watch.started()
            try await until("the end of every incident", within: .seconds(400), seen: { process.errors }) {
                receivers.allSatisfy { Self.isCalm($0.messages) }
            }
            try await watch.checks(4, of: hosts)
            var open = try await stage.run(["outbox", "list", "--format", "json", "--state", "queued"])
            while try open.json().elements.isEmpty == false {
                try await Task.sleep(for: .milliseconds(200))
                open = try await stage.run(["outbox", "list", "--format", "json", "--state", "queued"])
            }
            try await watch.checks(2, of: hosts)
            process.signal(SIGTERM)
            #expect(try await process.ended() == .exit(0))

            let rows = try await Self.rows(stage)
            let received = receivers.flatMap(\.messages)
            let distinct = try received.distinct()
            let delivered = Set(rows.filter { $0.value == "delivered" }.keys)
            let lost = delivered.subtracting(distinct.map(\.id))
            #expect(lost.isEmpty, "marked delivered and never received: \(lost)")
            #expect(Set(distinct.map(\.id)).subtracting(rows.keys).isEmpty, "received and never stored")
            let unsent = rows.filter { !["delivered", "superseded"].contains($0.value) }
            #expect(unsent.isEmpty, "neither delivered nor made pointless: \(unsent)")
            #expect(receivers.allSatisfy { Self.isCalm($0.messages) })
            // A run in which nothing is owed shows nothing.
            #expect(delivered.count > Self.kills)
            print(
                "kills \(Self.kills): \(rows.count) messages owed, \(delivered.count) delivered, "
                    + "\(rows.count - delivered.count) superseded, \(lost.count) lost, "
                    + "\(received.count - distinct.count) requests more than messages")
            for receiver in receivers { await receiver.shutdown() }
        }
    }

    /// Waits for what may well not come.
    private static func wait(atMost limit: Duration, _ condition: () -> Bool) async {
        let end = ContinuousClock.now + limit
        while !condition(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(2)) }
    }

    /// Whether the last word on each incident is its end.
    private static func isCalm(_ messages: [Message]) -> Bool {
        let last = Dictionary(messages.map { ($0.incident, $0.type) }) { _, last in last }
        return last.values.allSatisfy { $0 == "incident.resolved" }
    }

    /// States of all messages in the store, by key.
    private static func rows(_ stage: Stage) async throws -> [String: String] {
        let program = """
            import sqlite3
            for row in sqlite3.connect('monitor.db').execute('SELECT message_key, state FROM outbox'): print(*row)
            """
        let python = try stage.tool("python3", ["-c", program])
        try await python.ended()
        let pairs = python.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }
}
