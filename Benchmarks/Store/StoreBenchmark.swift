// What a check costs in the store: many domains that nothing happens to, and many that fail and recover while three channels
// are notified. Beside them, SQLite with one small transaction a check.

import Evidence
import Foundation
import Monitoring
import Synchronization

struct StoreBenchmark {
    static let domains = 2000
    /// Checks under way at the same time.
    static let writers = 64
    /// Odd, so that the median is a run that took place.
    static let rounds = 5
    static let cycles = 3
    private static let channels = ["first", "second", "third"]
    private static let interval: TimeInterval = 200
    /// Checks of each domain before anything is measured: until then a state gets longer by each check. The hour that
    /// passes between two full checks is not over when all rounds are.
    private static let warmUp = 11

    let premises: Premises

    static func name(_ number: Int) -> String { String(format: "d%05d.bench.test", number) }

    func run() async throws {
        StatementCounter.install()
        Output.line(
            """
            aasa-monitor-bench: what a check costs in the store: \(Self.domains) domains, \(Self.writers) checks at once, \
            \(Self.channels.count) channels

            machine: \(Machine.words)
            store:   \(premises.folder), SQLite in WAL mode with synchronous = FULL
            runs:    \(Self.rounds) rounds of one check of each domain, \(Self.cycles) cycles of three; median (least to greatest)
            again:   make bench, or aasa-monitor-bench store

            """)
        let (calm, bytes) = try await unchanged()
        let floor = try plain(bytes: bytes)
        let (cycles, ends) = try await failing()
        var table = PlainTable(heads: [
            "work", "checks/s", "ratio", "CPU ms", "wchar", "write_bytes", "growth", "statements", "writing",
            "transactions",
        ])
        let reference = Spread(floor.map { $0.perSecond }).median
        for (name, samples) in [
            ("one row of \(bytes) bytes in a transaction", floor), ("unchanged, light", calm),
            ("fails twice and recovers", cycles), ("the messages after that", ends),
        ] where !samples.isEmpty {
            table.add([name] + cells(samples, reference))
        }
        Output.line(table.text + "\n")
        for sample in cycles { Output.line(sample.words) }
        Output.line("")
    }

    /// What ran in a scene, where AASA_BENCH_SQL asks for it.
    private func detail(_ scene: String, checks: Int) {
        for (text, count) in StatementCounter.common(30) {
            let each = PlainTable.number(Double(count) / Double(checks), digits: 2)
            Output.line("\(scene): \(each) a check: \(text.prefix(110))")
        }
    }

    /// One round, or one cycle of two failures and a recovery.
    private struct Measured {
        let checks: Int
        let cost: StoreCost
        var transactions = 0
        var words = ""

        var perSecond: Double { Double(checks) / (cost.wall / .seconds(1)) }
        func each(_ value: Int) -> Double { Double(value) / Double(checks) }
    }

    private func cells(_ samples: [Measured], _ reference: Double) -> [String] {
        let speed = Spread(samples.map(\.perSecond))
        func each(_ digits: Int, _ value: (Measured) -> Int) -> String {
            PlainTable.number(Spread(samples.map { $0.each(value($0)) }).median, digits: digits)
        }
        return [
            PlainTable.text(speed, digits: 0), PlainTable.number(speed.median / reference, digits: 2) + "x",
            PlainTable.text(Spread(samples.map { $0.cost.cpu / .milliseconds(1) / Double($0.checks) }), digits: 2),
            each(0, \.cost.written), each(0, \.cost.toDisk), each(0, \.cost.growth), each(1, \.cost.statements),
            each(1, \.cost.writing), each(3, \.transactions),
        ]
    }

    // MARK: - The scenes

    /// Also returns the bytes of a stored state.
    private func unchanged() async throws -> ([Measured], Int) {
        let bench = try await Bench(path: premises.path("calm.db"))
        var samples: [Measured] = []
        for round in 1...Self.rounds {
            Output.progress("unchanged: round \(round) of \(Self.rounds)")
            samples.append(try await bench.measure { try await bench.round() })
        }
        Output.progress("")
        detail("unchanged", checks: (Self.rounds + Self.warmUp) * Self.domains)
        let bytes = try bench.parts.stateBytes()
        try await bench.close()
        return (samples, bytes)
    }

    private func plain(bytes: Int) throws -> [Measured] {
        let path = premises.path("plain.db")
        let plain = try PlainTransactions(path: path, rows: Self.domains, bytes: bytes)
        let samples = try (1...Self.rounds).map { round in
            let meter = try StoreMeter(path: path)
            try plain.run(bytes: bytes, turn: round)
            return Measured(checks: Self.domains, cost: try meter.cost(), transactions: Self.domains)
        }
        try plain.close()
        return samples
    }

    /// The checks, and the sending that is left over when they are done.
    private func failing() async throws -> ([Measured], [Measured]) {
        let bench = try await Bench(path: premises.path("failing.db"))
        var samples: [Measured] = []
        var ends: [Measured] = []
        for cycle in 1...Self.cycles {
            Output.progress("failing: cycle \(cycle) of \(Self.cycles)")
            let before = (bench.sites.messages, try bench.parts.notifications())
            var sample = try await bench.measure(rounds: 3) {
                bench.sites.fail(true)
                try await bench.round()
                try await bench.round()
                bench.sites.fail(false)
                try await bench.round()
            }
            let during = bench.sites.messages
            let end = try await bench.measure(rounds: 3) { try await bench.settle() }
            let after = (bench.sites.messages, try bench.parts.notifications())
            sample.words =
                "cycle \(cycle): \(after.0.count - before.0.count) messages of "
                + "\((after.0.bytes - before.0.bytes) / max(1, after.0.count - before.0.count)) bytes with "
                + "\(after.1 - before.1) notifications; \(during.count - before.0.count) of them during the checks"
            samples.append(sample)
            ends.append(end)
            // Far enough for the next failure to be an incident of its own.
            bench.clock.advance(by: 26 * 3600)
        }
        Output.progress("")
        detail("failing", checks: (3 * Self.cycles + Self.warmUp) * Self.domains)
        try await bench.close()
        return (samples, ends)
    }

    /// A monitor in the middle of its work.
    private final class Bench: Sendable {
        let sites = FakeSites()
        let clock = SteppedClock(start: Date(timeIntervalSince1970: 1_795_244_400))
        let parts: MonitorParts
        private let path: String
        private let domains: [Domain]
        private let states: Mutex<[DomainState]>
        /// The domain whose turn it is.
        private let next = Atomic<Int>(0)
        private let sending: Task<Void, Never>

        init(path: String) async throws {
            self.path = path
            let domains = try (0..<StoreBenchmark.domains).map { try Domain(StoreBenchmark.name($0)) }
            let parts = try MonitorParts(
                path: path, domains: domains, channels: StoreBenchmark.channels, interval: .seconds(Int(interval)),
                sites: sites, time: clock)
            var states: [DomainState] = []
            for domain in domains { states.append(try await parts.firstState(domain)) }
            (self.domains, self.parts) = (domains, parts)
            self.states = Mutex(states)
            sending = Task { await parts.deliver() }
            for _ in 0..<StoreBenchmark.warmUp { try await round() }
        }

        /// One check of each domain, spread over one interval of the clock.
        func round() async throws {
            next.store(0, ordering: .relaxed)
            try await withThrowingTaskGroup { group in
                for _ in 0..<StoreBenchmark.writers {
                    group.addTask { [self] in
                        while true {
                            let number = next.add(1, ordering: .relaxed).oldValue
                            guard number < domains.count else { return }
                            let state = states.withLock { $0[number] }
                            let after = try await parts.check(number, state)
                            guard after.lastCheckedAt != state.lastCheckedAt else {
                                throw BenchFault("a check could not be stored")
                            }
                            states.withLock { $0[number] = after }
                            clock.advance(by: StoreBenchmark.interval / Double(domains.count))
                            if number % 13 == 0 { parts.evaluateFleet(at: clock.now()) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        /// Lets the clock run until nothing is sent for 20 minutes of it; an hour and a half at most.
        func settle() async throws {
            var quiet = 0
            var sent = sites.messages.count
            for _ in 0..<5400 where quiet < 1200 {
                clock.advance(by: 1)
                parts.evaluateFleet(at: clock.now())
                try await Task.sleep(for: .milliseconds(4))
                let count = sites.messages.count
                quiet = count == sent ? quiet + 1 : 0
                sent = count
            }
        }

        func measure(rounds: Int = 1, _ work: () async throws -> Void) async throws -> Measured {
            let transactions = parts.transactions
            let meter = try StoreMeter(path: path)
            try await work()
            return Measured(
                checks: rounds * domains.count, cost: try meter.cost(), transactions: parts.transactions - transactions)
        }

        func close() async throws {
            sending.cancel()
            await sending.value
            try parts.close()
        }
    }
}
