// One pass over many domains, origin and Apple's copy of each: `check @FILE`, beside a bare loop over libcurl, and beside Prometheus'
// blackbox_exporter, which only asks. And the CPU of a program that does one small thing.

import Foundation

struct SweepBenchmark {
    let premises: Premises
    let settings: LoadSettings

    /// Odd, so that the median is a run that took place.
    private static let rounds = 5
    private static let concurrency = 16

    func run() async throws {
        let tools = try Tools()
        let program = try settings.program()
        let authority = try PrivateAuthority(premises: premises, openssl: tools.openssl)
        let server = try await LoadServer(premises: premises, nginx: tools.nginx, identity: authority.identity)
        let names = LoadBenchmark.names(settings)
        let exporter = try await BlackboxExporter(premises: premises, caFile: authority.trustStore)
        Output.line(
            """
            aasa-monitor-bench: CPU of one pass over \(names.count) domains, the origin's file and Apple's copy of each

            machine: \(Machine.words)
            monitor: \(program)
            server:  \(server.version) on loopback, on the same cores
            runs:    \(Self.rounds) of each, interleaved; median (least to greatest)
            again:   aasa-monitor-bench sweep --domains \(names.count)

            """)
        let list = try premises.write(Data(names.joined(separator: "\n").utf8), to: "targets")
        let loop = BareLoop(port: server.port, caFile: authority.trustStore)
        var costs: [[Double]] = [[], [], []]
        for _ in 0..<Self.rounds {
            costs[0].append(try loop.run(names, checks: names.count))
            costs[1].append(try check(["@\(list)"], program, server, authority.trustStore).cpu / Double(names.count))
            if let exporter {
                costs[2].append(try exporter.probe(names, port: server.port, curl: tools.curl) / Double(names.count))
            }
        }
        var table = PlainTable(heads: ["contender", "CPU ms a domain", "ratio"])
        let heads = ["bare loop over libcurl", "check --depth light @FILE", "blackbox_exporter, two probes"]
        let least = Spread(costs[0]).median
        for (head, seconds) in zip(heads, costs) where !seconds.isEmpty {
            table.add([
                head, PlainTable.text(Spread(seconds.map { $0 * 1000 }), digits: 2),
                PlainTable.number(Spread(seconds).median / least, digits: 2) + "x",
            ])
        }
        Output.line(table.text + "\n")
        if exporter == nil {
            Output.line("blackbox_exporter not measured: prometheus-blackbox-exporter is not installed\n")
        }
        try single(names[0], program, server, authority.trustStore, tools)
    }

    /// Programs that end soon: what they cost is mostly their start.
    private func single(
        _ name: String, _ program: String, _ server: LoadServer, _ caFile: String, _ tools: Tools
    ) throws {
        let file = try premises.write(ServedFile.content, to: "file.json")
        let url = "https://\(name)\(Workload.path)"
        let runs: [(String, () throws -> Double)] = [
            ("curl --version", { try run(tools.curl, ["--version"]) }),
            (
                "curl, the origin's file",
                {
                    try run(
                        tools.curl,
                        ["-q", "-s", "--cacert", caFile, "--connect-to", "::127.0.0.1:\(server.port)", url])
                }
            ),
            ("aasa-monitor --version", { try run(program, ["--version"]) }),
            ("aasa-monitor lint FILE", { try run(program, ["lint", file]) }),
            (
                "aasa-monitor check --depth light",
                { try check([name], program, server, premises.path("root.pem")).cpu }
            ),
        ]
        var costs: [[Double]] = runs.map { _ in [] }
        for _ in 0..<(4 * Self.rounds + 1) {
            for (index, (_, body)) in runs.enumerated() { costs[index].append(try body() * 1000) }
        }
        var table = PlainTable(heads: ["program", "CPU ms"])
        for ((name, _), cost) in zip(runs, costs) { table.add([name, PlainTable.text(Spread(cost), digits: 0)]) }
        Output.line(table.text + "\n")
    }

    /// - Returns: seconds of CPU.
    private func run(_ program: String, _ arguments: [String]) throws -> Double {
        let outcome = try premises.run(program, arguments)
        guard outcome.code == 0 else {
            throw BenchFault("\(program) ended with \(outcome.code): \(outcome.firstComplaint)")
        }
        return outcome.cpu / .seconds(1)
    }

    private func check(
        _ targets: [String], _ program: String, _ server: LoadServer, _ caFile: String
    ) throws -> (cpu: Double, wall: Double) {
        let outcome = try premises.run(
            program,
            [
                "check", "--depth", "light", "--format", "jsonl", "--cacert", caFile,
                "--connect-to", "::127.0.0.1:\(server.port)", "--cdn-url", "https://\(LoadServer.cdn)/a/v1",
            ] + targets)
        guard outcome.code == 0 else {
            throw BenchFault("check ended with \(outcome.code): \(outcome.firstComplaint)")
        }
        return (outcome.cpu / .seconds(1), outcome.wall / .seconds(1))
    }
}
