// All domains are well, as on most days: what the real program takes of the machine, how punctual it is, and how soon it is
// back after a restart. Beside it a bare loop over libcurl that makes the same requests.

import Foundation
import Lab

struct SteadyBenchmark {
    let premises: Premises
    let settings: LoadSettings

    func run() async throws {
        let tools = try Tools()
        let program = try settings.program()
        let authority = try PrivateAuthority(premises: premises, openssl: tools.openssl)
        let (silent, _) = try LocalServer.freePorts()
        let hole = try LabHole(.halfOpen, address: "127.0.0.1", port: silent)
        defer { hole.close() }
        let server = try await LoadServer(
            premises: premises, nginx: tools.nginx, identity: authority.identity, silent: silent)
        Output.line(
            """
            aasa-monitor-bench: \(settings.domains) healthy domains, origin and Apple's copy, each every \
            \(settings.interval) s\(settings.hanging > 0 ? "; beside \(settings.hanging) that never answer" : "")

            machine: \(Machine.words)
            monitor: \(program)
            server:  \(server.version) on loopback, on the same cores
            again:   aasa-monitor-bench steady --domains \(settings.domains) --interval \(settings.interval) \
            --full-every \(settings.fullEvery) --settle \(settings.settle)\
            \(settings.hanging > 0 ? " --hanging \(settings.hanging)" : "")\
            \(settings.soak > 0 ? " --soak \(settings.soak)" : "")

            """)
        let loop = BareLoop(port: server.port, caFile: authority.trustStore)
        let names = LoadBenchmark.names(settings)
        let bare = try loop.run(names, checks: 1000, isWarm: true)
        let rate = Double(settings.domains) / Double(settings.interval)
        let paced = try loop.run(names, checks: min(1000, Int(rate * 20) + 1), perSecond: rate, isWarm: true)
        let begin = Date()
        let monitor = try started(program, server, authority)
        let first = try await watched(monitor, for: Double(4 * settings.interval) + 60) { isReady(server, begin) }
        Output.line(
            "first verdicts: all within \(number(Date().timeIntervalSince(begin), 1)) s, peak \(mib(first.peak))")
        monitor.forgetPeak()

        _ = try await watched(monitor, for: Double(settings.settle * settings.interval)) { false }
        let (from, before, size) = (Date(), try usage(monitor), storeSize)
        let after = try await watched(monitor, for: Double(2 * settings.interval)) { false }
        let to = Date()
        let grown = storeSize - size
        // nginx writes its log once a second.
        try await Task.sleep(for: .seconds(2))
        let lateness = try Lateness(server.requests(), settings: settings).seconds(from: from, to: to)
        // A full check asks the origin several times: requests are no count of checks.
        let checks = Double(lateness.count)
        let cost = (after.cpu - before.cpu) / checks
        Output.line(
            """
            resident:       \(mib(after.resident)), peak \(mib(after.peak))
            CPU a check:    \(number(cost * 1000, 2)) ms; \(number(100 * (after.cpu - before.cpu) / to.timeIntervalSince(from), 0)) % of a core
            the bare loop:  \(number(bare * 1000, 2)) ms, \(number(paced * 1000, 2)) ms at the same pace; the monitor takes \
            \(number(cost / bare, 2)) and \(number(cost / paced, 2)) times that
            late:           p50 \(number(lateness.quantile(0.5), 3)) s, p99 \(number(lateness.quantile(0.99), 3)) s, \
            max \(number(lateness.last ?? .nan, 3)) s, of \(lateness.count) checks
            written:        \(number(Double(after.handed - before.handed) / checks, 0)) bytes a check, \
            \(number(Double(after.written - before.written) / checks, 0)) to the disk
            store:          \(mib(storeSize)), \(number(Double(storeSize) / Double(settings.domains), 0)) bytes a domain; \
            grew by \(number(Double(grown) / checks, 0)) bytes a check
            """)
        if settings.soak > 0 { try await soak(monitor) }
        let end = try await monitor.stop()
        Output.line("SIGTERM:        \(number(end.seconds, 1)) s, \(end.how)")
        let ready = try await restarted(program, server, authority)
        Output.line("ready again:    \(number(ready.seconds, 2)) s after the start, \(mib(ready.peak))")
        try LoadHistory.add(to: premises.path(LoadedMonitor.store))
        let old = try await restarted(program, server, authority)
        Output.line("… a year later: \(number(old.seconds, 2)) s, a store of \(mib(storeSize))\n")
        try settings.note([
            "domains": Double(settings.domains), "interval": Double(settings.interval),
            "hanging": Double(settings.hanging), "full_every": Double(settings.fullEvery),
            "resident": Double(after.resident), "peak": Double(max(first.peak, after.peak)),
            "cpu": cost, "bare": paced, "late_p50": lateness.quantile(0.5), "late_p99": lateness.quantile(0.99),
            "late_max": lateness.last ?? .nan, "written": Double(after.handed - before.handed) / checks,
            "store": Double(size) / Double(settings.domains), "ready": ready.seconds, "ready_year": old.seconds,
        ])
    }

    private func soak(_ monitor: LoadedMonitor) async throws {
        var sizes = [try usage(monitor).resident]
        for _ in 0..<12 {
            sizes.append(try await watched(monitor, for: Double(settings.soak) * 5) { false }.resident)
        }
        Output.line(
            "soak:           \(settings.soak) min, resident \(sizes.map { "\($0 >> 20)" }.joined(separator: " ")) MiB, "
                + "store \(mib(storeSize))")
    }

    /// Starts the monitor on the store that is there, and ends it.
    private func restarted(
        _ program: String, _ server: LoadServer, _ authority: PrivateAuthority
    ) async throws -> (seconds: Double, peak: Int) {
        let begin = Date()
        let monitor = try started(program, server, authority)
        while !monitor.isListening, monitor.isRunning { try await Task.sleep(for: .milliseconds(10)) }
        let ready = (Date().timeIntervalSince(begin), try usage(monitor).peak)
        _ = try await monitor.stop()
        return ready
    }

    private func started(_ program: String, _ server: LoadServer, _ authority: PrivateAuthority) throws -> LoadedMonitor
    {
        try LoadedMonitor(
            premises: premises, program: program, settings: settings, server: server, caFile: authority.trustStore,
            channels: [])
    }

    /// Waits, at most so long, until something is so.
    private func watched(
        _ monitor: LoadedMonitor, for seconds: Double, until isDone: () -> Bool
    ) async throws -> ProcessUsage {
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < .seconds(seconds), !isDone() {
            try await Task.sleep(for: .milliseconds(500))
            Output.progress(
                "\(Int((ContinuousClock.now - begin) / .seconds(1))) s, \(mib(try usage(monitor).resident))")
        }
        Output.progress("")
        return try usage(monitor)
    }

    private func usage(_ monitor: LoadedMonitor) throws -> ProcessUsage {
        guard monitor.isRunning, let usage = monitor.usage() else {
            throw BenchFault("the monitor has ended:\n\(monitor.lastWords())")
        }
        return usage
    }

    private func isReady(_ server: LoadServer, _ begin: Date) -> Bool {
        let reading = LoadReading(path: premises.path(LoadedMonitor.store))
        return reading.map { ((try? $0.checked()) ?? 0) >= settings.domains } ?? false
    }

    /// The file and its log.
    private var storeSize: Int {
        ["", "-wal"].reduce(0) { sum, end in
            let path = premises.path(LoadedMonitor.store + end)
            return sum + (((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0)
        }
    }

    private func number(_ value: Double, _ digits: Int) -> String { PlainTable.number(value, digits: digits) }

    private func mib(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }
}
