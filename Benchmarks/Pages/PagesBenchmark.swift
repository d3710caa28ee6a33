// What an answer of the status server costs, with many domains and a year behind them, while they are checked: the real program,
// asked by wrk on the same cores.

import Foundation

struct PagesBenchmark {
    let premises: Premises
    let settings: LoadSettings

    private static let paths = [
        "/", "/domains/d%06d.\(LoadServer.domain)", "/incidents", "/api/v1/domains", "/metrics",
    ]
    /// How long each path is asked. Before that nothing is asked for as long, and what the daemon takes then is no answer's.
    private static let seconds = 10

    func run() async throws {
        let tools = try Tools()
        let wrk = try Wrk(premises: premises)
        let program = try settings.program()
        let authority = try PrivateAuthority(premises: premises, openssl: tools.openssl)
        let server = try await LoadServer(
            premises: premises, nginx: tools.nginx, identity: authority.identity, isTroubled: true)
        Output.line(
            """
            aasa-monitor-bench: the pages of \(settings.domains) domains with a year of history, while each is checked every \
            \(settings.interval) s

            machine: \(Machine.words)
            monitor: \(program)
            server:  \(server.version) on loopback, on the same cores
            trouble: an error of the origin at one domain of 100, another file in Apple's copy at another
            again:   aasa-monitor-bench pages --domains \(settings.domains) --interval \(settings.interval)

            """)
        func started() throws -> LoadedMonitor {
            try LoadedMonitor(
                premises: premises, program: program, settings: settings, server: server, caFile: authority.trustStore,
                channels: [])
        }
        let first = try started()
        try await wait(first, atMost: 1200) { LoadReading(path: premises.path(LoadedMonitor.store)) }
        _ = try await first.stop()
        try LoadHistory.add(to: premises.path(LoadedMonitor.store))
        let monitor = try started()
        // Each domain once more: the first checks after a start find everything cold.
        try await pass(Double(settings.interval) + 10, monitor)

        var stretches: [(begin: Date, end: Date)] = []
        var results: [(idle: Double, asked: Double, wrk: Wrk.Result)] = []
        for path in Self.paths {
            // Its first answers fill what the server keeps. On a busy machine none may come within that time.
            _ = try? wrk.ask(monitor.address, path, upTo: settings.domains, seconds: 2)
            let before = try usage(monitor).cpu
            try await pass(Double(Self.seconds), monitor)
            let (idle, begin) = (try usage(monitor).cpu, Date())
            let result = try wrk.ask(monitor.address, path, upTo: settings.domains, seconds: Self.seconds)
            stretches.append((begin, Date()))
            results.append((idle - before, try usage(monitor).cpu - idle, result))
        }
        let end = try await monitor.stop()
        // nginx writes its log once a second.
        try await Task.sleep(for: .seconds(2))
        let lateness = try Lateness(server.requests(), settings: settings)
        Output.line(table(results, stretches, lateness).text)
        let calm = stretches.flatMap { lateness.seconds(from: $0.begin - Double(Self.seconds), to: $0.begin) }.sorted()
        Output.line(
            """

            with nobody asking: \(PlainTable.number(100 * results.map(\.idle).reduce(0, +) / Double(Self.seconds * results.count), digits: 0)) \
            % of a core, checks late by p50 \(PlainTable.number(calm.quantile(0.5), digits: 3)) s, \
            p99 \(PlainTable.number(calm.quantile(0.99), digits: 3)) s
            SIGTERM: \(PlainTable.number(end.seconds, digits: 1)) s, \(end.how)
            """)
    }

    private func table(
        _ results: [(idle: Double, asked: Double, wrk: Wrk.Result)], _ stretches: [(begin: Date, end: Date)],
        _ lateness: Lateness
    ) -> PlainTable {
        var table = PlainTable(heads: [
            "path", "CPU ms", "p50 ms", "p99 ms", "answers/s", "KiB", "checks", "late p50 s", "p99 s",
        ])
        for (index, result) in results.enumerated() {
            let late = lateness.seconds(from: stretches[index].begin, to: stretches[index].end)
            table.add([
                Self.paths[index].replacing("d%06d.\(LoadServer.domain)", with: "DOMAIN"),
                PlainTable.number(1000 * (result.asked - result.idle) / Double(result.wrk.answers), digits: 2),
                PlainTable.number(result.wrk.median, digits: 1), PlainTable.number(result.wrk.ninetyNinth, digits: 1),
                PlainTable.number(result.wrk.perSecond, digits: 0),
                PlainTable.number(Double(result.wrk.bytes) / 1024, digits: 1), "\(late.count)",
                PlainTable.number(late.quantile(0.5), digits: 3), PlainTable.number(late.quantile(0.99), digits: 3),
            ])
        }
        return table
    }

    private func wait(_ monitor: LoadedMonitor, atMost seconds: Double, for reading: () -> LoadReading?) async throws {
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < .seconds(seconds) {
            try await pass(2, monitor)
            if try (reading()?.checked() ?? 0) >= settings.domains { return }
        }
        throw BenchFault("the first checks took longer than \(Int(seconds)) s")
    }

    private func pass(_ seconds: Double, _ monitor: LoadedMonitor) async throws {
        try await Task.sleep(for: .seconds(seconds))
        _ = try usage(monitor)
    }

    private func usage(_ monitor: LoadedMonitor) throws -> ProcessUsage {
        guard monitor.isRunning, let usage = monitor.usage() else {
            throw BenchFault("the monitor has ended:\n\(monitor.lastWords())")
        }
        return usage
    }
}
