import Foundation
import TestSupport

/// Debian's Prometheus on loopback, with its own store.
struct Prometheus: Sendable {
    static let binary = URL(filePath: "/usr/bin/prometheus")
    static let tool = "/usr/bin/promtool"
    static var isInstalled: Bool {
        [binary.path, tool].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The rules and dashboards in the repository.
    static let folder = URL(filePath: #filePath).appending(path: "../../../../deploy/prometheus").standardized

    let url: String
    let process: MonitorProcess
    private let stage: Stage

    /// Starts it with a configuration, and waits until it is ready; it ends with the stage.
    static func start(on stage: Stage, _ configuration: String) async throws -> Prometheus {
        try stage.write("prometheus.yml", configuration)
        let port = try stage.port()
        let process = try stage.tool(
            binary.path,
            [
                "--config.file=\(stage.path("prometheus.yml"))", "--storage.tsdb.path=\(stage.path("prometheus"))",
                "--web.listen-address=127.0.0.1:\(port)",
            ])
        let prometheus = Prometheus(url: "http://127.0.0.1:\(port)", process: process, stage: stage)
        try await until("Prometheus", every: .milliseconds(50), seen: { process.errors }) {
            if process.end != nil { throw NeverCame(what: "Prometheus", seen: process.errors) }
            return try await prometheus.get(["/-/ready"]).contains("Ready")
        }
        return prometheus
    }

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    /// The samples of an expression now.
    /// - Throws: `Refused` if Prometheus cannot evaluate it.
    func samples(_ expression: String) async throws -> [JSONValue] {
        let answer = try JSONValue(
            try await get(["/api/v1/query", "--get", "--data-urlencode", "query=\(expression)"]))
        guard answer["status"].string == "success" else {
            throw Refused(description: "\(expression): \(answer["error"].string ?? "no answer")")
        }
        return answer["data"]["result"].elements
    }

    /// Waits until an expression has a sample.
    /// - Throws: `Refused`.
    func sample(_ expression: String) async throws -> JSONValue {
        var first: JSONValue?
        try await until("a sample of \(expression)", every: .milliseconds(100)) {
            first = try await samples(expression).first
            return first != nil
        }
        return first ?? .absent
    }

    /// The names of the alerts that fire.
    func firing() async throws -> Set<String> {
        Set(try await samples(#"ALERTS{alertstate="firing"}"#).compactMap { $0["metric"]["alertname"].string })
    }

    private func get(_ arguments: [String]) async throws -> String {
        let curl = try stage.tool(
            "curl", ["-q", "-sS", "--max-time", Stage.patience, url + arguments[0]] + arguments.dropFirst())
        try await curl.ended()
        return curl.output
    }
}
