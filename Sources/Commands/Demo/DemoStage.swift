// The stage of the demo: the lab with its sites, their common clock, and a configuration file for the real daemon.

import Foundation
import Lab
import MonitorConfiguration
import Monitoring
import Synchronization

struct DemoStage: Sendable {
    let time: AcceleratedTime
    let cue: DemoCue
    let lab: Lab
    let chat: LabReceiver
    let folder: URL

    static let changing = "links.travel.example"
    static let refusing = "app.bank.example"
    static let misconfigured = "pay.market.example"
    static let healthy = ["news.example", "shop.example"]
    static var all: [String] { healthy + [changing, refusing, misconfigured] }

    static func build(factor: Double) async throws -> DemoStage {
        let cue = DemoCue()
        let time = AcceleratedTime(factor: factor, anchor: morning) { cue.due }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "aasa-monitor-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let stage = DemoStage(
            time: time, cue: cue,
            lab: try await Lab.start(caFile: folder.appending(path: "ca.pem"), now: { time.now() }),
            chat: try await LabReceiver.start(), folder: folder)
        // ntfy answers with the id that it gave the message.
        stage.chat.script.usual = .reply(LabReply(body: Array(#"{"id": "demo"}"#.utf8)))
        for host in all { stage.lab.origin(host).serve(file(host, paths: ["/open/*"])) }
        return stage
    }

    func tearDown() async {
        await chat.shutdown()
        await lab.shutdown()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Eight in the morning: each run shows the same times.
    private static var morning: Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.startOfDay(for: Date()) + 8 * 3600
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
            defaults:
              interval: 30m
              stale_after: 24h
              full_every: 24h # the clock stops during a check
              timeout: 60s # for a busy machine
              ignore: [{rule: origin.slow, reason: the demo's servers run on this machine}]
            domains: [\(Self.all.joined(separator: ", "))]
            network:
              ca_file: \(lab.caFile)
              connect_to: ["\(lab.connectTo)"]
            cdn: {base_url: "\(lab.cdnBaseURL)"}
            alerts:
              remind_every: null # a day passes in twelve seconds: reminders would get between the scenes
              group_wait: 0s # each alert is its own scene
              channels:
                - {name: mobile-alerts, type: ntfy, topic: demo, url: "http://127.0.0.1:\(chat.port)"}
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

    /// No check runs in between: time stands still while the demo acts.
    func admitCrawler() {
        lab.origin(Self.refusing).on(userAgentContaining: "AASA-Bot", nil)
        lab.cdn.refresh(Self.refusing)
    }

    func installWrongCertificate() { lab.origin(Self.misconfigured).certificate = .wrongName }

    func installRightCertificate() { lab.origin(Self.misconfigured).certificate = .valid }
}

// MARK: - Time

extension DemoStage {
    /// Lets time pass until an instant, or until a message arrives that was not shown yet.
    /// - Throws: `CommandFailure` if the daemon is stuck; `CancellationError`.
    func wait(until end: Date, shown: Int) async throws {
        cue.wait { [chat] in chat.received.count > shown ? .distantPast : end }
        defer { cue.act() }
        while true {
            let before = time.now()
            let isOver = await withTaskGroup(of: Bool.self) { group in
                group.addTask { (try? await time.sleep(until: end)) != nil }
                group.addTask { (try? await chat.wait(for: shown + 1, within: DemoPace.timeout)) ?? false }
                defer { group.cancelAll() }
                return await group.next() ?? false
            }
            try Task.checkCancellation()
            if isOver { return }
            guard time.now() > before else {
                throw CommandFailure(.software, "the daemon is stuck: its clock has stopped")
            }
        }
    }
}

/// Whether the demo acts, while time stands still for it, or waits.
final class DemoCue: Sendable {
    private let state = Mutex<@Sendable () -> Date>({ .distantPast })

    /// When the demo continues; long ago while it acts.
    var due: Date { state.withLock(\.self)() }

    func act() { state.withLock { $0 = { .distantPast } } }
    func wait(_ due: @escaping @Sendable () -> Date) { state.withLock { $0 = due } }
    /// The demo does nothing more.
    func end() { wait { .distantFuture } }
}
