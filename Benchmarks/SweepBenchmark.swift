// One pass over many domains, the origin's file and Apple's copy of each: `check @FILE`, a bare loop over libcurl, and Prometheus'
// blackbox_exporter, which only fetches. Then single small commands.

import Foundation

struct SweepBenchmark {
    let workspace: Workspace
    let options: Options

    private static let rounds = 5

    func run() async throws {
        let program = try options.program()
        let curl = try Workspace.tool("curl")
        let server = try await OriginServer(workspace)
        let names = OriginServer.names(options.domains)
        Output.heading(
            "CPU of one pass over \(names.count) domains, the origin's file and Apple's copy of each",
            [
                ("monitor", program), ("server", "\(server.version) on loopback, on the same cores"),
                ("runs", "\(Self.rounds) of each, interleaved; median (least to greatest)"),
                ("again", "aasa-monitor-bench sweep --domains \(names.count)"),
            ])
        let list = try workspace.write(names.joined(separator: "\n"), to: "targets")
        let loop = BareLoop(server: server)
        var contenders: [(name: String, cpu: () throws -> Double)] = [
            ("bare loop over libcurl", { try loop.run(names, checks: names.count) }),
            (
                "check --depth light @FILE",
                { try check("@\(list)", program, server, caFile: server.caFile) / Double(names.count) }
            ),
        ]
        if let exporter = try await BlackboxExporter(workspace, caFile: server.caFile, curl: curl) {
            contenders.append(
                (
                    "blackbox_exporter, two probes",
                    { try exporter.probe(names, port: server.port) / Double(names.count) }
                ))
        } else {
            Output.line("blackbox_exporter not measured: prometheus-blackbox-exporter is not installed\n")
        }
        let costs = try measure(contenders, rounds: Self.rounds)
        var table = Table(["contender", "CPU ms a domain", "ratio"])
        for (name, cost) in costs {
            table.add([name, cost.text(2), (cost.median / costs[0].cost.median).text(2) + "x"])
        }
        Output.line(table.text + "\n")

        let file = try workspace.write(ServedFile.text, to: "file.json")
        let url = "https://\(names[0])\(OriginServer.path)"
        let route = ["--cacert", server.caFile, "--connect-to", "::127.0.0.1:\(server.port)"]
        let single = try measure(
            [
                ("curl --version", { try run(curl, ["--version"]) }),
                ("curl, the origin's file", { try run(curl, ["-q", "-s"] + route + [url]) }),
                ("aasa-monitor --version", { try run(program, ["--version"]) }),
                ("aasa-monitor lint FILE", { try run(program, ["lint", file]) }),
                (
                    "aasa-monitor check --depth light",
                    { try check(names[0], program, server, caFile: server.rootFile) }
                ),
            ], rounds: 4 * Self.rounds + 1)
        var programs = Table(["program", "CPU ms"])
        for (name, cost) in single { programs.add([name, cost.text(0)]) }
        Output.line(programs.text + "\n")
    }

    /// Interleaved (A B C A B C ...): a slow moment of the machine must affect all. In milliseconds.
    private func measure(
        _ contenders: [(name: String, cpu: () throws -> Double)], rounds: Int
    ) throws -> [(name: String, cost: Spread)] {
        var costs: [[Double]] = contenders.map { _ in [] }
        for _ in 0..<rounds {
            for (index, contender) in contenders.enumerated() { costs[index].append(try contender.cpu() * 1000) }
        }
        return zip(contenders, costs).map { ($0.name, Spread($1)) }
    }

    private func check(_ target: String, _ program: String, _ server: OriginServer, caFile: String) throws -> Double {
        try run(
            program,
            [
                "check", "--depth", "light", "--format", "jsonl", "--cacert", caFile,
                "--connect-to", "::127.0.0.1:\(server.port)", "--cdn-url", "https://\(OriginServer.cdn)/a/v1", target,
            ])
    }

    /// - Returns: seconds of CPU.
    private func run(_ program: String, _ arguments: [String]) throws -> Double {
        let outcome = try workspace.run(program, arguments)
        guard outcome.code == 0 else {
            throw BenchFault("\(program) ended with \(outcome.code): \(outcome.firstError)")
        }
        return outcome.cpu / .seconds(1)
    }
}

/// Gets one request for each URL, as from Prometheus.
private struct BlackboxExporter {
    private let workspace: Workspace
    private let process: pid_t
    private let port: Int
    private let curl: String

    /// Returns when it accepts connections; nil if it is not installed.
    init?(_ workspace: Workspace, caFile: String, curl: String) async throws {
        guard let program = Workspace.find("prometheus-blackbox-exporter") else { return nil }
        let settings = """
            modules:
              file:
                prober: http
                timeout: 20s
                http:
                  preferred_ip_protocol: ip4
                  tls_config: {ca_file: \(caFile)}
            """
        let path = try workspace.write(settings, to: "blackbox.yml")
        (self.workspace, self.curl) = (workspace, curl)
        port = try Loopback.freePort()
        process = try workspace.start(
            program, ["--config.file=\(path)", "--web.listen-address=127.0.0.1:\(port)", "--log.level=error"])
        for _ in 1...200 {
            if Loopback.accepts(port) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw BenchFault("prometheus-blackbox-exporter does not start")
    }

    /// Fetches the file and the copy of each domain through it.
    /// - Returns: seconds of its CPU.
    func probe(_ names: [String], port server: Int) throws -> Double {
        let urls = names.flatMap { name in
            [(name, OriginServer.path), (OriginServer.cdn, "/a/v1/\(name)")].map { host, path in
                "url = \"http://127.0.0.1:\(port)/probe?module=file&hostname=\(host)&target=https://127.0.0.1:\(server)\(path)\""
            }
        }
        let list = try workspace.write(urls.joined(separator: "\n"), to: "probes")
        let before = ProcessUsage(of: process)?.cpu
        let outcome = try workspace.run(
            curl, ["-q", "-s", "--parallel", "--parallel-max", "16", "--max-time", "30", "--config", list])
        guard let before, let after = ProcessUsage(of: process)?.cpu else {
            throw BenchFault("blackbox_exporter has ended")
        }
        let successes = outcome.output.split(separator: "\n").count { $0 == "probe_success 1" }
        guard successes == urls.count else {
            throw BenchFault("blackbox_exporter fetched \(successes) of \(urls.count) files")
        }
        return after - before
    }
}
