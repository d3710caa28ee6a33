// What was said of the store's trouble must outlive the process, and cannot be said by the store itself.

import Evidence
import Foundation
import Glibc

/// Remembers across restarts that a store in trouble was notified.
package struct StoreTroubleMarker: Sendable {
    /// What was notified, and when.
    package struct Content: Codable, Equatable, Sendable {
        /// Of the incident: pagers keep it open under it.
        package let id: String
        package let since: Date
        /// When a channel last took it.
        package var notifiedAt: Date
    }

    /// The first that can be written is used; none: nothing is remembered.
    let places: [String]

    /// In `$RUNTIME_DIRECTORY`, which systemd keeps over restarts of the service and which needs no disk. Without it beside the
    /// store, and where just that cannot be written, in the system's folder for temporary files.
    package init(
        storePath: String, environment: [String: String] = ProcessInfo.processInfo.environment,
        temporary: String = FileManager.default.temporaryDirectory.path
    ) {
        // systemd lists several folders apart by colons; the first is ours.
        if let folder = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first {
            places = ["\(folder)/store-trouble.json"]
        } else {
            let name = ContentHash(of: "\(geteuid())\n\(storePath)".utf8).hex.prefix(16)
            places = ["\(storePath).trouble.json", "\(temporary)/aasa-monitor-store-trouble-\(name).json"]
        }
    }

    /// The latest of them.
    var content: Content? {
        places.filter(Self.isOwn).compactMap { path in
            FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Content.self, from: $0) }
        }.max { $0.notifiedAt < $1.notifiedAt }
    }

    func write(_ content: Content) {
        guard let bytes = try? JSONEncoder().encode(content) else { return }
        for path in places {
            // Atomic: a full disk leaves no half of it, and a link of somebody else's is replaced.
            if (try? bytes.write(to: URL(filePath: path), options: .atomic)) != nil { return }
        }
    }

    /// Forgets that trouble, unless another one has taken its place.
    func remove(id: String) {
        guard content?.id == id else { return }
        for path in places where Self.isOwn(path) { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Whoever else may write to the folder must not keep us silent.
    private static func isOwn(_ path: String) -> Bool {
        // Of a link they are its own.
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path) else { return false }
        return facts[.type] as? FileAttributeType == .typeRegular
            && (facts[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid()
    }
}
