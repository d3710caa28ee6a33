// The stage of the demo: the lab with its sites, and a configuration file for the real daemon.

import Foundation
import Lab
import MonitorConfiguration

struct DemoStage: Sendable {
    let lab: Lab
    let chat: LabReceiver
    let folder: URL

    static let changing = "links.travel.example"
    static let refusing = "app.bank.example"
    static let misconfigured = "pay.market.example"
    static let healthy = ["news.example", "shop.example"]
    static var all: [String] { healthy + [changing, refusing, misconfigured] }

    static func build() async throws -> DemoStage {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "aasa-monitor-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let stage = DemoStage(
            lab: try await Lab.start(directory: folder), chat: try await LabReceiver.start(), folder: folder)
        for host in all { stage.lab.origin(host).serve(file(host, paths: ["/open/*"])) }
        return stage
    }

    func tearDown() async {
        await chat.shutdown()
        await lab.shutdown()
        try? FileManager.default.removeItem(at: folder)
    }

    static func file(_ host: String, paths: [String]) -> String {
        let name = host.split(separator: ".").reversed().joined(separator: ".")
        let components = paths.map { "        { \"/\": \"\($0)\" }" }.joined(separator: ",\n")
        return """
            {
              "applinks": {
                "details": [{
                  "appIDs": ["DEMO123456.\(name)"],
                  "components": [
            \(components)
                  ]
                }]
              }
            }
            """
    }

    /// The configuration as a user would write it, read by the same loader.
    func configuration(port: Int) throws -> ConfigurationFile {
        let text = """
            version: 1
            defaults: {interval: 30m, stale_after: 24h, timeout: 5s}
            domains: [\(Self.all.joined(separator: ", "))]
            network:
              ca_file: \(lab.caFile)
              connect_to: ["\(lab.connectTo)"]
            cdn: {base_url: "\(lab.cdnBaseURL)"}
            alerts:
              remind_every: null # a day passes in twelve seconds: reminders would get between the scenes
              group_wait: 0s # each alert is a scene of its own
              channels:
                - {name: mobile-alerts, type: slack, url: "\(chat.url("/services/demo"))"}
            store: {path: \(folder.appendingPathComponent("demo.db").path)}
            server: {listen: "127.0.0.1:\(port)"}
            """
        return try ConfigurationLoader.parse(text, file: "demo.yaml", environment: [:]) { _ in "" }.0
    }

    // MARK: - What happens

    func deployNewFile() {
        lab.origin(Self.changing).serve(Self.file(Self.changing, paths: ["/help/*", "/open/*", "/trips/*"]))
    }

    func cdnPicksUpNewFile() { lab.cdn.refresh(Self.changing) }

    func refuseCrawler() {
        lab.origin(Self.refusing).on(userAgentContaining: "AASA-Bot", .reply(.status(403)))
        lab.cdn.refresh(Self.refusing)
    }

    /// Apple's copy comes back before a check can see the crawler admitted: in between, the missing copy would be a story of its own.
    func admitCrawler(after checks: Duration) async throws {
        lab.origin(Self.refusing).on(userAgentContaining: "AASA-Bot", nil)
        lab.cdn.refresh(Self.refusing)
        lab.origin(Self.refusing).on(userAgentContaining: "AASA-Bot", .reply(.status(403)))
        try await Task.sleep(for: checks)
        lab.origin(Self.refusing).on(userAgentContaining: "AASA-Bot", nil)
    }

    func installWrongCertificate() { lab.origin(Self.misconfigured).certificate = .wrongName }

    func installRightCertificate() { lab.origin(Self.misconfigured).certificate = .valid }
}
