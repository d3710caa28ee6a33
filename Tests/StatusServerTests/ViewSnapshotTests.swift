// What each page shows, whole, in Snapshots/NAME.txt. AASA_REWRITE_EXPECTATIONS=1 writes them anew; the difference is then for a
// person to read.

import Evidence
import Foundation
import Monitoring
import Stage
import Storage
import Testing

@testable import StatusServer

extension StatusServerSuite {
    @Suite("Snapshots of what pages show")
    struct ViewSnapshotTests {
        private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")
        private let time = PageTime(now: StageTime.instant)

        private func stage(_ scene: String) async throws -> (scratch: ScratchStore, context: PageContext) {
            let scratch = try ScratchStore()
            let sites = StageScenes.named(scene, now: time.now)
            let watched = try await StageScenes.play(sites, scene, into: scratch.store, now: time.now)
            let list = WatchList(watched)
            let context = try PageContext(
                store: scratch.store, timekeeper: StageTime(), logger: LineLog().logger, watched: list,
                windows: WindowList([]), refusedReload: RefusedReload(), key: AccessKey(nil), version: "1.2.3",
                cdnBaseURL: "https://cdn.test/a/v1", health: { MonitorHealth(channels: 3) })
            try await list.show(in: scratch.store, at: time)
            return (scratch, context)
        }

        private func hold(_ view: Any, _ name: String) throws {
            let text = ModelText.of(view)
            let file = Self.folder.appending(path: "\(name).txt")
            if ProcessInfo.processInfo.environment["AASA_REWRITE_EXPECTATIONS"] == "1" {
                try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
            let stored = try String(contentsOf: file, encoding: .utf8)
            let lines = zip(text.split(separator: "\n"), stored.split(separator: "\n")).first { $0 != $1 }
            #expect(text == stored, "\(name) is another one; the first line that differs: \(String(describing: lines))")
        }

        @Test("the overview", arguments: ["0", "single", "empty", "twelve", "300"])
        func overview(scene: String) async throws {
            let (scratch, context) = try await stage(scene)
            defer { withExtendedLifetime(scratch) {} }
            try hold(try await OverviewRoute(context: context).page(FrontQuery([:]), time), "overview-\(scene)")
        }

        @Test("the page of a stale domain, with a URL that is tried")
        func domain() async throws {
            let (scratch, context) = try await stage("twelve")
            defer { withExtendedLifetime(scratch) {} }
            let watched = try #require(context.watched.index[try Domain("links.travel.example")])
            let route = DomainPageRoute(context: context, isChecking: { _ in false })
            let view = try await route.view(watched, DomainQuery(["url": "/trips/lisbon"]), time)
            try hold(view, "domain-stale")
        }

        @Test("incidents, and the page of one")
        func incidents() async throws {
            let (scratch, context) = try await stage("twelve")
            let route = IncidentPagesRoute(context: context)
            try hold(try await route.list(IncidentsQuery([:]), time), "incidents")
            let open = try await scratch.store.unresolvedIncidents(IncidentFilter(kind: .cdnStale), limit: 1)
            let id = try #require(open.first?.incident.id)
            try hold(try #require(try await route.view(id, isPaused: false, time)), "incident")
        }
    }
}

/// A value as lines of `name: text`, what is inside of it indented. What is absent, empty or false is left out.
private enum ModelText {
    /// The version of the files beside a page.
    private static let volatile: Set<String> = ["assets"]

    static func of(_ value: Any) -> String {
        var lines: [String] = []
        add(value, name: nil, depth: 0, to: &lines)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func add(_ value: Any, name: String?, depth: Int, to lines: inout [String]) {
        let indentation = String(repeating: "  ", count: depth)
        let mirror = Mirror(reflecting: value)
        func line(_ text: String) { lines.append(indentation + (name.map { "\($0): " } ?? "- ") + text) }
        switch value {
        case let text as String:
            guard !text.isEmpty else { return }
            let rows = text.split(separator: "\n", omittingEmptySubsequences: false)
            line(String(rows[0]))
            lines += rows.dropFirst().map { "\(indentation)  | \($0)" }
            return
        case let flag as Bool:
            if flag { line("true") }
            return
        case let number as Int: return line("\(number)")
        case let item as Frame.HealthItem where item.name == "Store": return
        default: break
        }
        switch mirror.displayStyle {
        case .optional:
            if let wrapped = mirror.children.first { add(wrapped.value, name: name, depth: depth, to: &lines) }
        case .collection:
            guard !mirror.children.isEmpty else { return }
            lines.append(indentation + (name.map { "\($0):" } ?? "-"))
            for child in mirror.children { add(child.value, name: nil, depth: depth + 1, to: &lines) }
        case .enum: line(String(describing: value))
        default:
            var inside: [String] = []
            for child in mirror.children {
                guard let label = child.label, !volatile.contains(label) else { continue }
                add(child.value, name: label, depth: depth + 1, to: &inside)
            }
            // Short ones on one line.
            let flat = inside.map { $0.trimmingCharacters(in: .whitespaces) }
            if inside.allSatisfy({ $0.prefix(2 * depth + 3).last != " " && !$0.hasSuffix(":") }),
                flat.joined(separator: ", ").count < 110
            {
                line("{\(flat.joined(separator: ", "))}")
            } else {
                if depth > 0 { lines.append(indentation + (name.map { "\($0):" } ?? "-")) }
                lines += inside
            }
        }
    }
}
