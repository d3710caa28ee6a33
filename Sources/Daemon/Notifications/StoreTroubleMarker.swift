import Foundation

/// Remembers across restarts that a store in trouble was notified: a file beside the store may be just what cannot be written.
package struct StoreTroubleMarker: Sendable {
    /// What was notified, and when.
    package struct Content: Codable, Equatable, Sendable {
        /// Of the incident: pagers keep it open under it.
        package let id: String
        package let since: Date
        /// When a channel last took it.
        package var notifiedAt: Date
    }

    /// nil: nothing is remembered.
    let path: String?

    /// In `$RUNTIME_DIRECTORY`, which systemd keeps over restarts of the service and which needs no disk.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        // systemd lists several folders apart by colons; the first is ours.
        path = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map { "\($0)/store-trouble.json" }
    }

    var content: Content? {
        guard let path, let bytes = FileManager.default.contents(atPath: path) else { return nil }
        return try? JSONDecoder().decode(Content.self, from: bytes)
    }

    func write(_ content: Content) {
        guard let path else { return }
        try? JSONEncoder().encode(content).write(to: URL(filePath: path), options: .atomic)
    }

    func remove() {
        if let path { try? FileManager.default.removeItem(atPath: path) }
    }
}
