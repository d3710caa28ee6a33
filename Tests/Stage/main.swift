// Serves the pages over a store that was filled by hand, for the browser's tests and for pictures.
//
//   aasa-monitor-stage SCENE [--port N] [--token TEXT]
//
// SCENE: twelve, single, empty, hostile, or a number of domains. It prints the address, and serves until its input ends.

import Evidence
import Foundation
import Logging
import Monitoring
import StatusServer
import Storage

/// Time that stands still, so that two pictures are alike.
struct StillTime: Timekeeper {
    static let instant = Date(timeIntervalSince1970: 1_795_357_927)  // 2026-11-22T14:32:07Z
    func now() -> Date { Self.instant }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

func option(_ name: String, _ arguments: [String]) -> String? {
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
    return arguments[place + 1]
}
let port = option("--port", CommandLine.arguments).flatMap(Int.init) ?? 0
let token = option("--token", CommandLine.arguments)
let scene = CommandLine.arguments.dropFirst().first ?? "twelve"
let time = StillTime()
let now = time.now()
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("aasa-stage-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let store = try Store(path: folder.appendingPathComponent("stage.db").path)
let sites =
    switch scene {
    case "twelve", "empty": StageScenes.twelve(now: now)
    case "single": StageScenes.single(now: now)
    case "hostile": StageScenes.hostile(now: now)
    default: StageScenes.many(Int(scene) ?? 50, now: now)
    }
let watched = try sites.map {
    WatchedDomainInfo(domain: try Domain($0.name), labels: $0.labels, interval: .seconds(300), mode: $0.mode)
}
try await store.watch(
    Dictionary(uniqueKeysWithValues: watched.map { ($0.domain, $0.labels) }), now: now - 86400)
if scene != "empty" {
    // All checks of all sites in the order of time would be nicer; counts over the last day are nobody's proof here.
    for site in sites { try await site.play(into: store, until: now - Double(site.name.count % 5) * 50) }
    if scene == "twelve" { try await StageMessages.send(into: store, now: now) }
}
let site = StatusSite(
    settings: StatusServerSettings(
        port: port, token: token, version: "0.2.0", watched: watched,
        cdnBaseURL: "https://app-site-association.cdn-apple.com/a/v1"),
    store: store, timekeeper: time, logger: Logger(label: "stage") { _ in SwiftLogNoOpLogHandler() },
    actions: StageChecks(sites, store).actions(now: now),
    health: { MonitorHealth(lateness: .zero, channels: 3, configuredAt: now - 30 * 3600) },
    onListening: { port in
        // Not `print`: nothing may wait in a buffer.
        FileHandle.standardOutput.write(Data("http://127.0.0.1:\(port)/\n".utf8))
    })
let serving = Task { try await site.run() }
// The end of the input is the end of who asked for it. A thread of its own: what waits here must not take one of the pool.
let (ends, end) = AsyncStream.makeStream(of: Void.self)
Thread.detachNewThread {
    while readLine() != nil {}
    end.finish()
}
for await _ in ends {}
serving.cancel()
try? await serving.value
