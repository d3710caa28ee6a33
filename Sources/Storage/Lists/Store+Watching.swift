// Which domains lists show: those of the running configuration, with their labels.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Takes other domains, by their labels. Only what differs is written.
    package func watch(_ domains: [Domain: [String: String]], now: Date) async throws {
        let wanted = Dictionary(uniqueKeysWithValues: domains.map { ($0.key.name, Self.keys($0.key, $0.value)) })
        try await write { database in
            let watched = Set(try String.fetchAll(database, cached: "SELECT name FROM brief WHERE watched = 1"))
            for name in watched.subtracting(wanted.keys) {
                try database.execute(cached: "UPDATE brief SET watched = 0 WHERE name = ?", arguments: [name])
                try database.execute(cached: "DELETE FROM brief_key WHERE name = ?", arguments: [name])
            }
            var known: [String: Set<String>] = [:]
            for row in try Row.fetchAll(database, cached: "SELECT name, key FROM brief_key") {
                known[row["name"], default: []].insert(row["key"])
            }
            for (name, keys) in wanted {
                if !watched.contains(name) {
                    try database.execute(
                        cached: """
                            INSERT INTO brief (name, watched, rank) VALUES (?, 1, ?)
                            ON CONFLICT (name) DO UPDATE SET watched = 1
                            """, arguments: [name, DomainStatus.waiting.rawValue])
                }
                let former = known[name] ?? []
                for key in former.subtracting(keys) {
                    try database.execute(
                        cached: "DELETE FROM brief_key WHERE key = ? AND name = ?", arguments: [key, name])
                }
                for key in keys.subtracting(former) {
                    try database.execute(
                        cached: "INSERT INTO brief_key (key, name) VALUES (?, ?)", arguments: [key, name])
                }
            }
            try BriefRow.noteCounts(at: now, database)
        }
    }

    /// The name, what follows each of its dots but the last, and each label.
    private static func keys(_ domain: Domain, _ labels: [String: String]) -> Set<String> {
        let parts = domain.name.split(separator: ".")
        let names = (0..<max(1, parts.count - 1)).map { parts[$0...].joined(separator: ".") }
        return Set(names + labels.map { "=\($0.key)=\($0.value)" })
    }
}
