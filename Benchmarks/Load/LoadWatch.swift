// Follows the monitor through the phases of the load, and sums them up.

import Foundation

struct LoadWatch {
    private struct Phase {
        let name: String
        let begin: Date
        var end: Date
        var isComplete = false
        var cpu = 0.0
        var resident = 0
        /// Messages in this phase, by channel.
        var messages: [String: Int] = [:]
    }

    private let monitor: LoadedMonitor
    private let store: String
    private let inboxes: [String: Inbox]
    private(set) var reading: LoadReading?
    private var past: [Phase] = []

    init(monitor: LoadedMonitor, store: String, inboxes: [String: Inbox]) {
        self.monitor = monitor
        self.store = store
        self.inboxes = inboxes
    }

    /// Waits until something is so, by the store; it is asked every few seconds.
    /// - Throws: `BenchFault` where the monitor has ended.
    mutating func phase(
        _ name: String, atLeast: Double = 0, atMost: Double, until isDone: (LoadReading) throws -> Bool
    ) async throws {
        var phase = Phase(name: name, begin: Date(), end: Date())
        let before = monitor.usage()?.cpu ?? 0
        let received = counts()
        let clock = ContinuousClock()
        let begin = clock.now
        while true {
            try await Task.sleep(for: .seconds(2))
            guard monitor.isRunning, let usage = monitor.usage() else {
                throw BenchFault("the monitor has ended while it was \(name):\n\(monitor.lastWords())")
            }
            let passed = (clock.now - begin) / .seconds(1)
            Output.progress("\(name): \(Int(passed)) s, \(usage.resident >> 20) MiB")
            phase.cpu = usage.cpu - before
            phase.resident = max(phase.resident, usage.resident)
            if reading == nil { reading = LoadReading(path: store) }
            guard passed >= atLeast else { continue }
            // A query that fails once says nothing about the monitor.
            phase.isComplete = reading.map { (try? isDone($0)) ?? false } ?? false
            if phase.isComplete || passed >= atMost { break }
        }
        Output.progress("")
        phase.end = Date()
        phase.messages = counts().merging(received) { $0 - $1 }
        past.append(phase)
    }

    func phases(_ lateness: Lateness) -> PlainTable {
        var table = PlainTable(heads: [
            "phase", "seconds", "reached", "checks due", "late p50 s", "p99 s", "max s", "CPU", "RSS MiB",
        ])
        for phase in past {
            let seconds = phase.end.timeIntervalSince(phase.begin)
            // First checks come at once, whatever the schedule says.
            let late = phase.begin == past.first?.begin ? [] : lateness.seconds(from: phase.begin, to: phase.end)
            table.add([
                phase.name, PlainTable.number(seconds, digits: 0), phase.isComplete ? "yes" : "NO", "\(late.count)",
                PlainTable.number(late.quantile(0.5), digits: 2), PlainTable.number(late.quantile(0.99), digits: 1),
                PlainTable.number(late.last ?? .nan, digits: 1),
                PlainTable.number(100 * phase.cpu / seconds, digits: 0) + "%", "\(phase.resident >> 20)",
            ])
        }
        return table
    }

    /// What each channel got for how many incidents, so far.
    func channels(domains: Int) throws -> PlainTable {
        var table = PlainTable(heads: [
            "channel", "what", "messages", "incidents", "without", "first s", "delay p50 s", "p99 s", "max s",
        ])
        guard let reading else { return table }
        let (fired, resolved) = try reading.incidents()
        for channel in inboxes.keys.sorted() {
            for (what, phase, count, ofEnds) in [
                ("firing", "failing", fired, false), ("resolved", "recovering", resolved, true),
            ] {
                let delays = try reading.delays(channel: channel, ofEnds: ofEnds).sorted()
                let messages = past.first { $0.name == phase }?.messages[channel] ?? 0
                table.add([
                    channel, what, "\(messages)", "\(count)", "\(count - delays.count)",
                    PlainTable.number(try reading.first(channel: channel, ofEnds: ofEnds) ?? .nan, digits: 1),
                    PlainTable.number(delays.quantile(0.5), digits: 1),
                    PlainTable.number(delays.quantile(0.99), digits: 1),
                    PlainTable.number(delays.last ?? .nan, digits: 1),
                ])
            }
        }
        return table
    }

    private func counts() -> [String: Int] { inboxes.mapValues(\.messages) }
}
