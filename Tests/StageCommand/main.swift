// Serves the pages of a store with invented content, for browser tests and charts.
//
//   aasa-monitor-stage SCENE [--port N] [--token TEXT]
//
// SCENE: twelve, fleet, single, empty, hostile, a state of StageState, or a number of domains. It prints its address
// and serves until its standard input closes.

import Evidence
import Foundation
import Logging
import Monitoring
import Stage
import StatusServer
import Storage

func option(_ name: String, _ arguments: [String]) -> String? {
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
    return arguments[place + 1]
}
let port = option("--port", CommandLine.arguments).flatMap(Int.init) ?? 0
let token = option("--token", CommandLine.arguments)
let scene = CommandLine.arguments.dropFirst().first ?? "twelve"
let time = StageTime()
let now = time.systemTime()
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("aasa-stage-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let store = try Store(path: folder.appendingPathComponent("stage.db").path)
let sites = StageScenes.named(scene, now: now)
let watched = try await StageScenes.play(sites, scene, into: store, now: now)
let site = StatusSite(
    settings: StatusServerSettings(
        port: port, access: AccessPolicy(token: token), version: "0.2.0", watched: watched,
        cdnBaseURL: "https://app-site-association.cdn-apple.com/a/v1"),
    store: store, timekeeper: time, logger: Logger(label: "stage") { _ in SwiftLogNoOpLogHandler() },
    actions: StageChecks(sites, store).actions(now: now),
    health: { MonitorHealth(channels: 3, configuredAt: now - 30 * 3600) },
    onListening: { port in
        // Not `print`, which may keep the line in a buffer.
        FileHandle.standardOutput.write(Data("http://127.0.0.1:\(port)/\n".utf8))
    })
let serving = Task { try await site.run() }
// The standard input closes when the caller ends. Uses a separate thread: a blocking read must not occupy a thread of
// the pool.
let (ends, end) = AsyncStream.makeStream(of: Void.self)
Thread.detachNewThread {
    while readLine() != nil {}
    end.finish()
}
for await _ in ends {}
serving.cancel()
try? await serving.value
