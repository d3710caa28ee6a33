import Foundation
import Lab

/// Debian's Alertmanager on loopback, alone and with a store of its own.
struct Alertmanager: Sendable {
    static let binary = URL(filePath: "/usr/bin/prometheus-alertmanager")
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: binary.path) }

    let url: String
    private let stage: Stage

    /// Starts it and waits until it is ready; it ends with the stage.
    /// `receiver`: a URL that it notifies, of ends too.
    static func start(on stage: Stage, receiver: String) async throws -> Alertmanager {
        try stage.write(
            "alertmanager.yml",
            """
            route: {receiver: all, group_by: ["..."], group_wait: 1s, group_interval: 1s, repeat_interval: 1h}
            receivers:
              - name: all
                webhook_configs: [{url: "\(receiver)", send_resolved: true}]
            """)
        let port = try stage.port()
        let alertmanager = Alertmanager(url: "http://127.0.0.1:\(port)", stage: stage)
        let process = try stage.tool(
            binary.path,
            [
                "--config.file=\(stage.path("alertmanager.yml"))", "--storage.path=\(stage.path("alertmanager"))",
                "--web.listen-address=127.0.0.1:\(port)", "--cluster.listen-address=",
            ])
        for _ in 0..<400 {
            if try await alertmanager.get("/-/ready") == "OK" { return alertmanager }
            if process.end != nil { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw NeverCame(what: "Alertmanager", seen: process.errors)
    }

    /// The alerts that it holds for active.
    func alerts() async throws -> [JSONValue] { try JSONValue(try await get("/api/v2/alerts")).elements }

    /// Asks until the alerts are as wanted.
    func alerts(_ what: String, until isWanted: ([JSONValue]) -> Bool) async throws -> [JSONValue] {
        var last: [JSONValue] = []
        for _ in 0..<400 {
            last = try await alerts()
            if isWanted(last) { return last }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw NeverCame(what: what, seen: "\(last)")
    }

    private func get(_ path: String) async throws -> String {
        let curl = try stage.tool("curl", ["-q", "-sS", "--max-time", "5", url + path])
        try await curl.ended()
        return curl.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
