// The package's image, built and unpacked by Tests/Image/test.sh (`make image-test`).

import Foundation
import Lab
import TestSupport
import Testing

/// A container of the image with its shipped configuration. crun runs it as kubernetes.yaml does: a read-only root, no
/// capabilities, a volume. It uses the machine's network.
struct Image: Sendable {
    /// Contains `bundle`, the image as umoci unpacked it.
    static let folder = ProcessInfo.processInfo.environment["AASA_IMAGE"]
    static let container = "aasa"

    let token = UUID().uuidString
    /// The address of its page, without a scheme.
    let address: String
    private let stage: Stage
    private let unpacked: String

    /// `chat`: where its channel sends. `more`: more lines of the configuration.
    init(on stage: Stage, watching domains: [String], chat: String, _ more: String) throws {
        self.stage = stage
        unpacked = try #require(Self.folder)
        address = "127.0.0.1:\(try stage.port())"
        for name in ["configuration", "secrets", "volume"] {
            try FileManager.default.createDirectory(
                at: stage.folder.appending(path: name), withIntermediateDirectories: true)
        }
        // The ID of its user, as in the Dockerfile.
        try FileManager.default.setAttributes(
            [.ownerAccountID: 963, .groupOwnerAccountID: 963], ofItemAtPath: stage.path("volume"))
        try FileManager.default.copyItem(atPath: stage.lab.caFile, toPath: stage.path("configuration/ca.pem"))
        let shipped = URL(filePath: #filePath).appending(path: "../../../../deploy/container/monitor.yaml").standardized
        let settings = try String(contentsOf: shipped, encoding: .utf8).replacing(once: [
            ("\ndomains: [] ", "\ndomains: [\(domains.joined(separator: ", "))] "), ("0.0.0.0:9630", address),
            // A second incident of the same kind would wait for five minutes.
            ("\nalerts:\n", "\nalerts:\n  group_interval: 1s\n"),
        ])
        try stage.write(
            "configuration/monitor.yaml",
            """
            \(settings)
            network: {ca_file: /etc/aasa-monitor/ca.pem, connect_to: ["\(stage.lab.connectTo)"], canaries: []}
            cdn: {base_url: "\(stage.lab.cdnBaseURL)", requests_per_second: 1000}
            \(more)
            """)
        try stage.write("secrets/aasa-token", token)
        try stage.write("secrets/aasa-slack-url", chat)
    }

    /// Starts the container, and waits until it is ready. Returns crun, which runs as long as the container and ends
    /// with its exit code.
    func started() async throws -> MonitorProcess {
        let tools = URL(filePath: #filePath).appending(path: "../../../Image").standardized
        let bundle = try stage.tool(
            "python3",
            [
                tools.appending(path: "bundle.py").path, "\(unpacked)/bundle",
                "\(stage.path("configuration")):/etc/aasa-monitor:ro", "\(stage.path("secrets")):/run/secrets:ro",
                "\(stage.path("volume")):/var/lib/aasa-monitor",
            ])
        try #require(try await bundle.ended() == .exit(0), "\(bundle.errors)")
        let process = try engine("run", Self.container)
        try await until("the container", every: .milliseconds(100), seen: { process.errors }) {
            if process.end != nil { throw NeverCame(what: "the container", seen: process.errors) }
            return try await page("readyz", "-f", "-o", "/dev/null", "-w", "%{http_code}") == "200"
        }
        return process
    }

    /// Ends the container by a signal.
    /// - Returns: how its program ended.
    func end(_ process: MonitorProcess, by signal: String) async throws -> MonitorProcess.End {
        try await engine("kill", Self.container, signal).ended()
        let end = try await process.ended()
        try await engine("delete", "--force", Self.container).ended()
        return end
    }

    /// Runs a command inside.
    func inside(_ command: String...) async throws -> MonitorProcess {
        let process = try engine(["exec", Self.container] + command)
        try await process.ended()
        return process
    }

    /// The open incidents, in the order of their ids.
    func incidents() async throws -> [JSONValue] {
        try JSONValue(try await page("api/v1/incidents"))["incidents"].elements
            .filter { $0["state"].string == "firing" }
            .sorted { ($0["id"].string ?? "") < ($1["id"].string ?? "") }
    }

    private func page(_ path: String, _ options: String...) async throws -> String {
        let curl = try stage.tool(
            "curl",
            ["-q", "-sS", "--max-time", Stage.patience, "-H", "Authorization: Bearer \(token)"] + options
                + ["http://\(address)/\(path)"])
        try await curl.ended()
        return curl.output
    }

    private func engine(_ arguments: String...) throws -> MonitorProcess { try engine(arguments) }

    private func engine(_ arguments: [String]) throws -> MonitorProcess {
        let script = URL(filePath: #filePath).appending(path: "../../../Image/engine.sh").standardized
        return try stage.tool(script.path, [unpacked] + arguments)
    }
}
