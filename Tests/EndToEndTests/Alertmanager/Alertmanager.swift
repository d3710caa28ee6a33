import Foundation
import Lab
import TestSupport

/// Debian's Alertmanager on loopback, with its own store.
struct Alertmanager: Sendable {
    static let binary = URL(filePath: "/usr/bin/prometheus-alertmanager")
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: binary.path) }

    let url: String
    let process: MonitorProcess
    private let stage: Stage

    /// Starts it and waits until it is ready; it ends with the stage.
    /// `receiver`: the URL that it notifies, also of resolved alerts.
    static func start(on stage: Stage, receiver: String) async throws -> Alertmanager {
        try await start(on: stage, receiver: receiver, name: "alertmanager", cluster: ["--cluster.listen-address="])
    }

    /// A cluster of two that share their notification log; returns when each knows the other.
    static func pair(on stage: Stage, receiver: String) async throws -> [Alertmanager] {
        let ports = [try stage.port(), try stage.port()]
        var pair: [Alertmanager] = []
        for (own, other) in [(ports[0], ports[1]), (ports[1], ports[0])] {
            pair.append(
                try await start(
                    on: stage, receiver: receiver, name: "alertmanager-\(own)",
                    cluster: [
                        "--cluster.listen-address=127.0.0.1:\(own)", "--cluster.advertise-address=127.0.0.1:\(own)",
                        "--cluster.peer=127.0.0.1:\(other)", "--cluster.gossip-interval=50ms",
                        "--cluster.pushpull-interval=1s", "--cluster.peer-timeout=8s",
                        "--cluster.reconnect-interval=1s",
                    ]))
        }
        for one in pair { try await one.metric("alertmanager_cluster_members", isAtLeast: 2) }
        return pair
    }

    private static func start(
        on stage: Stage, receiver: String, name: String, cluster: [String]
    ) async throws -> Alertmanager {
        try stage.write(
            "\(name).yml",
            """
            route: {receiver: all, group_by: ["..."], group_wait: 1s, group_interval: 1s, repeat_interval: 1h}
            receivers:
              - name: all
                webhook_configs: [{url: "\(receiver)", send_resolved: true}]
            """)
        let port = try stage.port()
        let process = try stage.tool(
            binary.path,
            [
                "--config.file=\(stage.path("\(name).yml"))", "--storage.path=\(stage.path(name))",
                "--web.listen-address=127.0.0.1:\(port)",
            ] + cluster)
        let alertmanager = Alertmanager(url: "http://127.0.0.1:\(port)", process: process, stage: stage)
        try await until("Alertmanager", every: .milliseconds(50), seen: { process.errors }) {
            if process.end != nil { throw NeverCame(what: "Alertmanager", seen: process.errors) }
            return try await alertmanager.get("/-/ready") == "OK"
        }
        return alertmanager
    }

    /// Its active alerts.
    func alerts() async throws -> [JSONValue] { try JSONValue(try await get("/api/v2/alerts")).elements }

    /// Asks until the alerts meet the condition.
    func alerts(_ what: String, until isWanted: ([JSONValue]) -> Bool) async throws -> [JSONValue] {
        var last: [JSONValue] = []
        try await until(what, every: .milliseconds(100), seen: { "\(last)" }) {
            last = try await alerts()
            return isWanted(last)
        }
        return last
    }

    /// Waits until one of its own metrics, named with its labels, reaches a value.
    func metric(_ name: String, isAtLeast least: Double) async throws {
        var seen = ""
        try await until("\(name) \(least)", every: .milliseconds(50), seen: { seen + process.errors }) {
            let line = try await get("/metrics").split(separator: "\n").last { $0.hasPrefix(name + " ") }
            seen = line.map(String.init) ?? ""
            return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0 >= least
        }
    }

    private func get(_ path: String) async throws -> String {
        let curl = try stage.tool("curl", ["-q", "-sS", "--max-time", Stage.patience, url + path])
        try await curl.ended()
        return curl.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
