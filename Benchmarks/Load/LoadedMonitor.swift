// The real program as a process of its own, and what the kernel says about it.

import Foundation
import Glibc

struct LoadedMonitor {
    private let premises: Premises
    let process: pid_t
    private let page: Int
    /// Its log's, without `.err` and `.out`.
    private let name: String

    /// `channels`: type and URL of each; the type is its name.
    /// - Throws: `BenchFault` where it cannot be started.
    init(
        premises: Premises, program: String, settings: LoadSettings, server: LoadServer, caFile: String,
        channels: [(type: String, url: String)]
    ) throws {
        let names = (LoadBenchmark.names(settings) + LoadBenchmark.hanging(settings)).joined(separator: "\n")
        let domains = try premises.write(Data(names.utf8), to: "domains.txt")
        let list = channels.map { type, url in
            let key = type == "pagerduty" ? ", routing_key: \(String(repeating: "A", count: 32))" : ""
            return "    - {name: \(type), type: \(type), url: \"\(url)\"\(key)}"
        }
        page = try LocalServer.freePorts().0
        let alerts = list.isEmpty ? "" : "alerts:\n  channels:\n\(list.joined(separator: "\n"))"
        let text = """
            version: 1
            defaults: {interval: \(settings.interval)s, failure_threshold: 2, timeout: 10s, full_every: \(settings.fullEvery)h}
            network: {ca_file: \(caFile), connect_to: [":443:127.0.0.1:\(server.port)"]}
            cdn: {base_url: "https://\(LoadServer.cdn)/a/v1", requests_per_second: 1000}
            \(alerts)
            store: {path: \(premises.path(Self.store))}
            server: {listen: "127.0.0.1:\(page)"}
            domains_from: \(domains)

            """
        let path = try premises.write(Data(text.utf8), to: "monitor.yaml")
        self.premises = premises
        name = URL(filePath: program).lastPathComponent
        process = try premises.start(program, ["run", "--config", path])
    }

    static let store = "load.db"

    var isRunning: Bool { premises.isRunning(process) }

    /// Whether its status page takes connections, so that it has read what it must know of the store.
    var isListening: Bool { LocalServer.accepts(page) }

    /// Where it serves its pages.
    var address: String { "http://127.0.0.1:\(page)" }

    /// What it has written to its log last.
    func lastWords() -> String {
        let log = ["err", "out"].map {
            (try? String(contentsOfFile: premises.path("\(name).\($0)"), encoding: .utf8)) ?? ""
        }
        return log.joined().split(separator: "\n").suffix(5).joined(separator: "\n")
    }

    /// Asks it to end.
    /// - Returns: seconds until it did, and how it ended.
    func stop() async throws -> (seconds: Double, how: String) {
        let begin = ContinuousClock.now
        kill(process, SIGTERM)
        let status = await premises.end(of: process, within: .seconds(60))
        return ((ContinuousClock.now - begin) / .seconds(1), Self.words(status))
    }

    private static func words(_ status: Int32?) -> String {
        guard let status else { return "killed after 60 s" }
        let signal = status & 0x7f
        return signal == 0 ? "exit code \((status >> 8) & 0xff)" : "signal \(signal)"
    }
}
