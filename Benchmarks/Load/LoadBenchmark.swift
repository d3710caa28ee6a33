// Many origins fail at once, recover, and fail again while the monitor gets SIGTERM: the real program, beside an nginx that
// plays all origins and Apple's CDN, with three receivers.

import Foundation

struct LoadBenchmark {
    let premises: Premises
    let settings: LoadSettings

    /// The pager gets a message for each incident, two a second, and so is not waited for.
    private static let types = chats + ["pagerduty"]
    private static let chats = ["webhook", "slack"]

    static func names(_ settings: LoadSettings) -> [String] {
        (1...settings.domains).map { String(format: "d%06d.\(LoadServer.domain)", $0) }
    }

    static func hanging(_ settings: LoadSettings) -> [String] {
        (0..<settings.hanging).map { String(format: "h%06d.\(LoadServer.domain)", $0 + 1) }
    }

    func run() async throws {
        let tools = try Tools()
        let program = try settings.program()
        let authority = try PrivateAuthority(premises: premises, openssl: tools.openssl)
        let server = try await LoadServer(premises: premises, nginx: tools.nginx, identity: authority.identity)
        var inboxes: [String: Inbox] = [:]
        for type in Self.types { inboxes[type] = try await Inbox() }
        Output.line(
            """
            aasa-monitor-bench: \(settings.domains) origins fail at once; a check every \(settings.interval) s, two failed \
            checks confirm

            machine: \(Machine.words)
            monitor: \(program)
            server:  \(server.version) on loopback, on the same cores
            again:   aasa-monitor-bench load --domains \(settings.domains) --interval \(settings.interval)

            """)
        let monitor = try LoadedMonitor(
            premises: premises, program: program, settings: settings, server: server, caFile: authority.trustStore,
            channels: Self.types.map { ($0, inboxes[$0]?.url($0 == "pagerduty" ? "" : "/\($0)") ?? "") })
        var watch = LoadWatch(monitor: monitor, store: premises.path(LoadedMonitor.store), inboxes: inboxes)
        let (domains, interval) = (settings.domains, Double(settings.interval))
        try await watch.phase("first checks", atMost: 1200 + interval) { reading in try reading.checked() >= domains }
        try await watch.phase("calm", atLeast: interval, atMost: interval) { _ in true }

        try server.fail(true)
        try await watch.phase("failing", atLeast: 2 * interval, atMost: 3 * interval + 900) { reading in
            guard try reading.incidents().fired >= domains else { return false }
            return try Self.chats.allSatisfy { try reading.delays(channel: $0, ofEnds: false).count >= domains }
        }
        try server.fail(false)
        try await watch.phase("recovering", atLeast: interval, atMost: 3 * interval + 900) { reading in
            let (fired, resolved) = try reading.incidents()
            guard resolved == fired else { return false }
            return try Self.chats.allSatisfy { try reading.delays(channel: $0, ofEnds: true).count >= fired }
        }
        let channels = try watch.channels(domains: domains)
        let fleet = try watch.reading?.ofTheFleet() ?? []

        try server.fail(true)
        // In the middle of confirming: what fails first is confirmed after a minute.
        try await watch.phase("failing again", atLeast: min(interval, 60) + 30, atMost: min(interval, 60) + 30) { _ in
            true
        }
        let end = try await monitor.stop()
        // nginx writes its log once a second.
        try await Task.sleep(for: .seconds(2))
        let lateness = try Lateness(server.requests(), settings: settings)
        Output.line(watch.phases(lateness).text + "\n\n" + channels.text + "\n")
        Output.line("incidents of the fleet: \(fleet.isEmpty ? "none" : fleet.joined(separator: ", "))")
        Output.line("SIGTERM while failing again: \(PlainTable.number(end.seconds, digits: 1)) s, \(end.how)\n")
        for inbox in inboxes.values { await inbox.close() }
    }
}
