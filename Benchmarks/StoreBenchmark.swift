// What a check costs in the store: many domains that do not change, and many that fail and recover while three channels are
// notified. Compared with one small SQLite transaction for each check.

import Foundation
import GRDB
import Glibc

struct StoreBenchmark {
    let workspace: Workspace

    private static let domains = 2000
    /// Concurrent checks.
    private static let writers = 64
    private static let rounds = 5
    private static let cycles = 3
    private static let channels = ["first", "second", "third"]
    /// Checks of each domain before the measurement, because each of them makes the state longer. All rounds end within the
    /// hour between two full checks.
    private static let warmUp = 11

    func run() async throws {
        Output.heading(
            "what a check costs in the store: \(Self.domains) domains, \(Self.writers) checks at once, \(Self.channels.count) channels",
            [
                ("store", "\(workspace.folder), SQLite in WAL mode with synchronous = NORMAL"),
                (
                    "runs",
                    "\(Self.rounds) rounds of one check of each domain, \(Self.cycles) cycles of three; median (least to greatest)"
                ),
                ("again", "aasa-monitor-bench store"),
            ])
        let (calm, bytes) = try await unchanged()
        let floor = try plain(bytes: bytes)
        let (cycles, ends) = try await failing()
        var table = Table([
            "work", "checks/s", "ratio", "CPU ms", "wchar", "write_bytes", "growth",
        ])
        let reference = Spread(floor.map(\.perSecond)).median
        for (name, samples) in [
            ("one row of \(bytes) bytes in a transaction", floor), ("unchanged, light", calm),
            ("fails twice and recovers", cycles), ("the messages after that", ends),
        ] {
            let speed = Spread(samples.map(\.perSecond))
            let numbers: [(digits: Int, number: (Reading) -> Int)] = [
                (0, { $0.usage.written }), (0, { $0.usage.toDisk }), (0, { $0.size }),
            ]
            table.add(
                [
                    name, speed.text(0), (speed.median / reference).text(2) + "x",
                    Spread(samples.map(\.cpu)).text(2),
                ] + numbers.map { digits, number in Spread(samples.map { $0.each(number) }).median.text(digits) })
        }
        Output.line(table.text + "\n")
    }

    // MARK: - Scenes

    /// Also returns the size of a stored state in bytes.
    private func unchanged() async throws -> ([Sample], Int) {
        let parts = try await started("calm.db")
        var samples: [Sample] = []
        for round in 1...Self.rounds {
            Output.progress("unchanged: round \(round) of \(Self.rounds)")
            samples.append(try await measure("calm.db", parts) { try await parts.round(writers: Self.writers) })
        }
        Output.progress("")
        try await parts.close()
        let queue = try DatabaseQueue(path: workspace.path("calm.db"))
        let bytes = try await queue.read { try Int.fetchOne($0, sql: "SELECT avg(length(state)) FROM domain") ?? 0 }
        try queue.close()
        return (samples, bytes)
    }

    /// The checks, and the messages that are left to send after them.
    private func failing() async throws -> ([Sample], [Sample]) {
        let parts = try await started("failing.db")
        var (samples, ends): ([Sample], [Sample]) = ([], [])
        for cycle in 1...Self.cycles {
            Output.progress("failing: cycle \(cycle) of \(Self.cycles)")
            samples.append(
                try await measure("failing.db", parts, rounds: 3) {
                    for isFailing in [true, true, false] {
                        parts.sites.fail(isFailing)
                        try await parts.round(writers: Self.writers)
                    }
                })
            ends.append(try await measure("failing.db", parts, rounds: 3) { try await parts.settle() })
            // Long enough for the next failure to be a new incident.
            parts.clock.advance(by: 26 * 3600)
        }
        Output.progress("")
        try await parts.close()
        return (samples, ends)
    }

    private func started(_ file: String) async throws -> StoreParts {
        let parts = try await StoreParts(
            path: workspace.path(file), domains: (0..<Self.domains).map(Self.name), channels: Self.channels,
            interval: 200)
        for _ in 0..<Self.warmUp { try await parts.round(writers: Self.writers) }
        return parts
    }

    /// The lower limit: each transaction only updates one row.
    private func plain(bytes: Int) throws -> [Sample] {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        let queue = try DatabaseQueue(path: workspace.path("plain.db"), configuration: configuration)
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE plain (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL)")
            for row in 0..<Self.domains {
                try database.execute(
                    sql: "INSERT INTO plain VALUES (?, zeroblob(?))", arguments: [Self.name(row), bytes])
            }
        }
        let samples = try (1...Self.rounds).map { round in
            let before = try reading("plain.db")
            let value = Data(repeating: UInt8(round), count: bytes)
            for row in 0..<Self.domains {
                try queue.write { database in
                    try database.cachedStatement(sql: "UPDATE plain SET value = ? WHERE name = ?")
                        .execute(arguments: [value, Self.name(row)])
                }
            }
            return Sample(
                checks: Self.domains, from: before, to: try reading("plain.db"))
        }
        try queue.close()
        return samples
    }

    private static func name(_ number: Int) -> String { String(format: "d%05d.bench.test", number) }

    // MARK: - Measurement

    /// The resources that this process has used so far.
    private struct Reading {
        let time = ContinuousClock.now
        let cpu = rusage.cpuOfSelf
        let usage: ProcessUsage
        let size: Int
    }

    private func reading(_ file: String) throws -> Reading {
        guard let usage = ProcessUsage(of: getpid()) else { throw BenchFault("/proc/self cannot be read") }
        return Reading(usage: usage, size: workspace.databaseSize(file))
    }

    /// The difference between two readings, for a number of checks.
    private struct Sample {
        let checks: Int
        let from: Reading
        let to: Reading

        var perSecond: Double { Double(checks) / ((to.time - from.time) / .seconds(1)) }
        var cpu: Double { (to.cpu - from.cpu) / .milliseconds(1) / Double(checks) }
        func each(_ number: (Reading) -> Int) -> Double { Double(number(to) - number(from)) / Double(checks) }
    }

    private func measure(
        _ file: String, _ parts: StoreParts, rounds: Int = 1, _ work: () async throws -> Void
    ) async throws -> Sample {
        let before = try reading(file)
        try await work()
        return Sample(
            checks: rounds * Self.domains, from: before, to: try reading(file))
    }
}
