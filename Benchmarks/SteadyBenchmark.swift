// All domains are healthy, as on most days: what the real program uses, how late its checks are, and how fast it restarts.
// Compared with a bare loop over libcurl that makes the same requests.

import Foundation

struct SteadyBenchmark {
    let workspace: Workspace
    let options: Options

    func run() async throws {
        let server = try await OriginServer(workspace)
        Output.heading(
            "\(options.domains) healthy domains, the origin's file and Apple's copy of each every \(options.interval) s",
            [
                ("monitor", try options.program()), ("server", "\(server.version) on loopback, on the same cores"),
                (
                    "again",
                    "aasa-monitor-bench steady --domains \(options.domains) --interval \(options.interval) "
                        + "--settle \(options.settle)" + (options.soak > 0 ? " --soak \(options.soak)" : "")
                ),
            ])
        let interval = Double(options.interval)
        let loop = BareLoop(server: server)
        let names = OriginServer.names(options.domains)
        let bare = try loop.run(names, checks: 1000, isWarm: true)
        let rate = Double(options.domains) / interval
        let paced = try loop.run(names, checks: min(1000, Int(rate * 20) + 1), perSecond: rate, isWarm: true)

        let begin = Date()
        let monitor = try MonitorProcess(workspace, options, server)
        let first = try await watch(monitor, for: 4 * interval + 60) {
            ((try? MonitorStore(reading: store)?.checked()) ?? 0) >= options.domains
        }
        Output.line("first verdicts: all within \(Date().timeIntervalSince(begin).text(1)) s, peak \(mib(first.peak))")
        monitor.forgetPeak()

        try await watch(monitor, for: Double(options.settle) * interval)
        let (from, before, size) = (Date(), try monitor.usage(), storeSize)
        let after = try await watch(monitor, for: 2 * interval)
        let (to, grown) = (Date(), storeSize - size)
        let late = try await Lateness(server, options).seconds(from: from, to: to)
        // The number of requests is not the number of checks: a full check asks the origin several times.
        let checks = Double(late.count)
        let cpu = after.cpu - before.cpu
        let (cost, written) = (cpu / checks, Double(after.written - before.written) / checks)
        Output.line(
            """
            resident:       \(mib(after.resident)), peak \(mib(after.peak))
            CPU a check:    \((cost * 1000).text(2)) ms; \((100 * cpu / to.timeIntervalSince(from)).text(0)) % of a core
            the bare loop:  \((bare * 1000).text(2)) ms, \((paced * 1000).text(2)) ms at the same pace; the monitor takes \
            \((cost / bare).text(2)) and \((cost / paced).text(2)) times that
            late:           p50 \(late.quantile(0.5).text(3)) s, p99 \(late.quantile(0.99).text(3)) s, \
            max \((late.last ?? .nan).text(3)) s, of \(late.count) checks
            written:        \(written.text(0)) bytes a check, \
            \((Double(after.toDisk - before.toDisk) / checks).text(0)) to the disk
            store:          \(mib(storeSize)), \((Double(storeSize) / Double(options.domains)).text(0)) bytes a domain; \
            grew by \((Double(grown) / checks).text(0)) bytes a check
            """)
        if options.soak > 0 { try await soak(monitor) }
        Output.line("SIGTERM:        \(await monitor.stop())")
        let ready = try await restart(server)
        Output.line("ready again:    \(ready.text(2)) s after the start")
        try MonitorStore.addYear(to: store)
        let old = try await restart(server)
        Output.line("… a year later: \(old.text(2)) s, a store of \(mib(storeSize))\n")
        try options.note([
            "domains": Double(options.domains), "interval": interval, "resident": Double(after.resident),
            "peak": Double(max(first.peak, after.peak)), "cpu": cost, "bare": paced, "late_p50": late.quantile(0.5),
            "late_p99": late.quantile(0.99), "late_max": late.last ?? .nan, "written": written,
            "store": Double(size) / Double(options.domains), "ready": ready, "ready_year": old,
        ])
    }

    private func soak(_ monitor: MonitorProcess) async throws {
        var sizes = [try monitor.usage().resident]
        for _ in 0..<12 { sizes.append(try await watch(monitor, for: Double(options.soak) * 5).resident) }
        Output.line(
            "soak:           \(options.soak) min, resident \(sizes.map { "\($0 >> 20)" }.joined(separator: " ")) MiB, "
                + "store \(mib(storeSize))")
    }

    /// Starts the monitor on the existing store, and stops it.
    /// - Returns: seconds until it is ready.
    private func restart(_ server: OriginServer) async throws -> Double {
        let begin = Date()
        let monitor = try MonitorProcess(workspace, options, server)
        while !monitor.isListening {
            _ = try monitor.usage()
            try await Task.sleep(for: .milliseconds(10))
        }
        let seconds = Date().timeIntervalSince(begin)
        await monitor.stop()
        return seconds
    }

    /// Waits until `isDone`, at most that many seconds.
    @discardableResult
    private func watch(
        _ monitor: MonitorProcess, for seconds: Double, until isDone: () -> Bool = { false }
    ) async throws -> ProcessUsage {
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < .seconds(seconds), !isDone() {
            try await Task.sleep(for: .milliseconds(500))
            let passed = Int((ContinuousClock.now - begin) / .seconds(1))
            Output.progress("\(passed) s, \(mib(try monitor.usage().resident))")
        }
        Output.progress("")
        return try monitor.usage()
    }

    private var store: String { workspace.path(MonitorProcess.store) }

    private var storeSize: Int { workspace.databaseSize(MonitorProcess.store) }

    private func mib(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }
}
