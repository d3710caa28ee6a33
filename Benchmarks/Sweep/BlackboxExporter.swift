// Prometheus' blackbox_exporter, asked for each URL as Prometheus does. It only fetches: the peer for what asking costs.

import Foundation

struct BlackboxExporter {
    private let premises: Premises
    private let process: pid_t
    private let port: Int

    /// Returns once it takes connections; nil where it is not installed.
    init?(premises: Premises, caFile: String) async throws {
        guard let program = Tools.find("prometheus-blackbox-exporter") else { return nil }
        self.premises = premises
        let settings = """
            modules:
              file:
                prober: http
                timeout: 20s
                http:
                  preferred_ip_protocol: ip4
                  tls_config: {ca_file: \(caFile)}
            """
        let path = try premises.write(Data(settings.utf8), to: "blackbox.yml")
        port = try LocalServer.freePorts().0
        process = try premises.start(
            program,
            ["--config.file=\(path)", "--web.listen-address=127.0.0.1:\(port)", "--log.level=error"])
        for _ in 1...200 {
            if LocalServer.accepts(port) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw BenchFault("prometheus-blackbox-exporter does not start")
    }

    /// Lets it ask for the file and the copy of each domain. Its answer is checked: `probe_success 1`.
    /// - Returns: seconds of its CPU.
    func probe(_ names: [String], port server: Int, curl: String) throws -> Double {
        let urls = names.flatMap { name in
            [(name, Workload.path), (LoadServer.cdn, "/a/v1/\(name)")].map { host, path in
                "url = \"http://127.0.0.1:\(port)/probe?module=file&hostname=\(host)&target=https://127.0.0.1:\(server)\(path)\""
            }
        }
        let list = try premises.write(Data(urls.joined(separator: "\n").utf8), to: "probes")
        guard let before = ProcessUsage(of: process)?.cpu else { throw BenchFault("blackbox_exporter has ended") }
        let outcome = try premises.run(
            curl, ["-q", "-s", "--parallel", "--parallel-max", "16", "--max-time", "30", "--config", list])
        guard let after = ProcessUsage(of: process)?.cpu else { throw BenchFault("blackbox_exporter has ended") }
        let successes = outcome.output.split(separator: "\n").count { $0 == "probe_success 1" }
        guard successes == urls.count else {
            throw BenchFault("blackbox_exporter fetched \(successes) of \(urls.count) files")
        }
        return after - before
    }
}
