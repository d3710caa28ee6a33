// Everything that people and programs see of a domain in each state is in Golden/states/STATE/SURFACE. The pages of
// many domains are in Golden/scenes. `make golden` rewrites the files; a person reviews the difference.

import Evidence
import Foundation
import Monitoring
import Stage
import Storage
import Synchronization
import TestSupport
import TestTraits
import Testing

@Suite("Golden files", .computing, .timeLimit(.minutes(120)))
struct GoldenTests {
    @Test(
        "every surface equals its golden file, agrees with the others, and fits openapi.json",
        arguments: StageState.all.map(\.name))
    func state(_ name: String) async throws {
        let monitor = try await GoldenMonitor(try #require(StageState.all.first { $0.name == name }))
        try await monitor.play()
        let surfaces = try await Surfaces(monitor)
        try Golden.hold(surfaces.files, in: "states/\(name)")
        let said = try SurfaceReader(surfaces.files).said
        #expect(said.disagreements == [])
        #expect(Duty.omissions(in: said) == [])
        #expect(try surfaces.undescribed == [])
    }

    /// Pages that depend on the number of domains, or on a long history.
    static let pages: [(scene: String, paths: [String: String])] = [
        ("0", ["domains": "/"]), ("single", ["domains": "/"]), ("empty", ["domains": "/"]),
        (
            "twelve",
            [
                "domains": "/", "stale": "/domains/links.travel.example?url=/trips/lisbon", "incidents": "/incidents",
                "incident": "/incidents/STALE",
            ]
        ),
        ("100", ["domains": "/"]),
    ]

    @Test("each folder belongs to a state", .enabled(if: !GoldenFile.isRewriting))
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Golden.root.appending(path: "states").path)
        #expect(folders.sorted() == StageState.all.map(\.name).sorted())
    }

    /// Reads the stored files: rewrite them first.
    @Test("the surfaces side by side, and what fires is calm on none")
    func sideBySide() throws {
        let states = StageState.all.map(\.name).sorted().map {
            SideBySide($0, in: Golden.root.appending(path: "states/\($0)"))
        }
        let rows = [SideBySide.heads] + states.map(\.cells)
        let widths = SideBySide.heads.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: " | ")
                .replacing(/\ +$/, with: "")
        }
        let table = Golden.root.appending(path: "side-by-side.txt")
        if let difference = try GoldenFile.difference(between: lines.joined(separator: "\n") + "\n", and: table) {
            Issue.record("\(difference)\n`make golden` accepts this, the second time")
        }
        #expect(states.compactMap(\.calm) == [])
    }

    /// Reads the stored files, too.
    @Test(
        "a surface that differs from the others is found", .enabled(if: !GoldenFile.isRewriting),
        arguments: Breakage.all)
    func breakage(_ breakage: Breakage) throws {
        let found = try #require(
            try breakage.found(in: Golden.files(of: breakage.state)), "the surface does not contain the text")
        #expect(
            found.contains { $0.hasPrefix("\(breakage.property) of ") && $0.contains(breakage.surface) }, "\(found)")
    }

    @Test("the pages of many domains equal their golden files", arguments: pages.map(\.scene))
    func scene(_ name: String) async throws {
        let paths = try #require(Self.pages.first { $0.scene == name }?.paths)
        let scratch = try ScratchStore(StageTime())
        let sites = StageScenes.named(name, now: StageTime.instant)
        let watched = try await StageScenes.play(sites, name, into: scratch.store, now: StageTime.instant)
        let stale = try await scratch.store.incidents(IncidentQuery(kind: .cdnStale, state: .open, limit: 1)).first
        let files = Mutex<[String: String]>([:])
        try await serve(scratch.store, watched) { port in
            for (page, path) in paths {
                let answer = try await ask(port, path.replacing("STALE", with: stale?.incident.id ?? ""))
                #expect(answer.status == 200)
                files.withLock { $0["\(page).html"] = Readable.html(answer.body) }
            }
        }
        try Golden.hold(files.withLock(\.self), in: "scenes/\(name)")
    }
}

/// The accepted files.
private enum Golden {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    /// The surfaces of a state.
    static func files(of state: String) throws -> [String: String] {
        let folder = root.appending(path: "states/\(state)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).reduce(into: [:]) { files, name in
            // The file adds the last line break.
            files[name] = String(try String(contentsOf: folder.appending(path: name), encoding: .utf8).dropLast())
        }
    }

    /// Compares texts with the files of a folder. Keys are file names.
    static func hold(_ texts: [String: String], in folder: String) throws {
        let texts = texts.mapValues { $0 + "\n" }
        for difference in try GoldenFile.differences(between: texts, and: root.appending(path: folder)) {
            Issue.record("\(difference)\n`make golden` accepts this")
        }
    }
}
