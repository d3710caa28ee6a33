// All origins fail at once, recover, and fail again while the monitor gets SIGTERM. Runs the real program, one server for all
// origins and Apple's CDN, and three receivers of messages.

import Foundation
import Lab
import LabFaults

struct LoadBenchmark {
    let workspace: Workspace
    let options: Options

    private static let chats = ["webhook", "slack"]

    func run() async throws {
        let server = try await OriginServer(workspace)
        var receivers: [String: LabReceiver] = [:]
        for type in Self.chats + ["pagerduty"] { receivers[type] = try await LabReceiver.start() }
        Output.heading(
            "\(options.domains) origins fail at once; a check every \(options.interval) s, two failed checks confirm",
            [
                ("monitor", try options.program()), ("server", "\(server.version) on loopback, on the same cores"),
                ("again", "aasa-monitor-bench load --domains \(options.domains) --interval \(options.interval)"),
            ])
        let monitor = try MonitorProcess(
            workspace, options, server,
            channels: receivers.sorted { $0.key < $1.key }
                .map { ($0.key, $0.value.url($0.key == "pagerduty" ? "" : "/\($0.key)")) })
        var watch = Watch(monitor: monitor, store: workspace.path(MonitorProcess.store), receivers: receivers)
        let (domains, interval) = (options.domains, Double(options.interval))
        try await watch.phase("first checks", atMost: 1200 + interval) { try $0.checked() >= domains }
        try await watch.phase("calm", atLeast: interval, atMost: interval) { _ in true }

        // The phases do not wait for the pager: it gets one message per incident, two per second.
        try server.fail(true)
        try await watch.phase("failing", atLeast: 2 * interval, atMost: 3 * interval + 900) { store in
            guard try store.incidents().fired >= domains else { return false }
            return try Self.chats.allSatisfy { try store.delays(channel: $0, ofEnds: false).each.count >= domains }
        }
        try server.fail(false)
        try await watch.phase("recovering", atLeast: interval, atMost: 3 * interval + 900) { store in
            let (fired, resolved) = try store.incidents()
            guard resolved == fired else { return false }
            return try Self.chats.allSatisfy { try store.delays(channel: $0, ofEnds: true).each.count >= fired }
        }
        let channels = try watch.channels()
        let global = try watch.store?.ofTheGlobal() ?? []

        // SIGTERM in the middle of the confirmations: the first failures are confirmed after a minute.
        try server.fail(true)
        let moment = min(interval, 60) + 30
        try await watch.phase("failing again", atLeast: moment, atMost: moment) { _ in true }
        let end = await monitor.stop()
        let lateness = try await Lateness(server, options)
        Output.line(watch.phases(lateness).text + "\n\n" + channels.text + "\n")
        Output.line("global incidents: \(global.isEmpty ? "none" : global.joined(separator: ", "))")
        Output.line("SIGTERM while failing again: \(end)\n")
        for receiver in receivers.values { await receiver.shutdown() }
    }
}

/// Follows the monitor through the phases.
private struct Watch {
    private struct Phase {
        let name: String
        let begin = Date()
        var end = Date()
        var isComplete = false
        var cpu = 0.0
        var resident = 0
        /// Messages in this phase, by channel.
        var messages: [String: Int] = [:]
    }

    let monitor: MonitorProcess
    private let path: String
    private let receivers: [String: LabReceiver]
    private(set) var store: MonitorStore?
    private var past: [Phase] = []

    init(monitor: MonitorProcess, store: String, receivers: [String: LabReceiver]) {
        (self.monitor, path, self.receivers) = (monitor, store, receivers)
    }

    /// Waits until the store meets a condition.
    mutating func phase(
        _ name: String, atLeast: Double = 0, atMost: Double, until isDone: (MonitorStore) throws -> Bool
    ) async throws {
        var phase = Phase(name: name)
        let (before, received) = (try monitor.usage().cpu, counts())
        var passed = 0.0
        while !phase.isComplete, passed < atMost {
            try await Task.sleep(for: .seconds(2))
            let usage = try monitor.usage()
            passed = Date().timeIntervalSince(phase.begin)
            Output.progress("\(name): \(Int(passed)) s, \(usage.resident >> 20) MiB")
            phase.cpu = usage.cpu - before
            phase.resident = max(phase.resident, usage.resident)
            if store == nil { store = MonitorStore(reading: path) }
            guard passed >= atLeast else { continue }
            // One failed query says nothing about the monitor.
            phase.isComplete = store.map { (try? isDone($0)) ?? false } ?? false
        }
        Output.progress("")
        phase.end = Date()
        phase.messages = counts().merging(received) { $0 - $1 }
        past.append(phase)
    }

    func phases(_ lateness: Lateness) -> Table {
        var table = Table([
            "phase", "seconds", "reached", "checks due", "late p50 s", "p99 s", "max s", "CPU", "RSS MiB",
        ])
        for (index, phase) in past.enumerated() {
            let seconds = phase.end.timeIntervalSince(phase.begin)
            // The first checks begin at once, not on schedule.
            let late = index == 0 ? [] : lateness.seconds(from: phase.begin, to: phase.end)
            table.add([
                phase.name, seconds.text(0), phase.isComplete ? "yes" : "NO", "\(late.count)",
                late.quantile(0.5).text(2), late.quantile(0.99).text(1), (late.last ?? .nan).text(1),
                (100 * phase.cpu / seconds).text(0) + "%", "\(phase.resident >> 20)",
            ])
        }
        return table
    }

    /// The messages of each channel so far, and their number of incidents.
    func channels() throws -> Table {
        var table = Table([
            "channel", "what", "messages", "incidents", "without", "first s", "delay p50 s", "p99 s", "max s",
        ])
        guard let store else { return table }
        let (fired, resolved) = try store.incidents()
        for channel in receivers.keys.sorted() {
            for (what, phase, count, ofEnds) in [
                ("firing", "failing", fired, false), ("resolved", "recovering", resolved, true),
            ] {
                let (delays, first) = try store.delays(channel: channel, ofEnds: ofEnds)
                let messages = past.first { $0.name == phase }?.messages[channel] ?? 0
                table.add([
                    channel, what, "\(messages)", "\(count)", "\(count - delays.count)", (first ?? .nan).text(1),
                    delays.quantile(0.5).text(1), delays.quantile(0.99).text(1), (delays.last ?? .nan).text(1),
                ])
            }
        }
        return table
    }

    /// The receivers keep 10,000 messages each, more than a run sends.
    private func counts() -> [String: Int] { receivers.mapValues(\.received.count) }
}
