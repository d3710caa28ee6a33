// Texts that tests expect, whole, in files of the repository. AASA_REWRITE_EXPECTATIONS=1 writes them again; a person reads the
// difference.

import Foundation

package enum GoldenFile {
    package static let isRewriting = ProcessInfo.processInfo.environment["AASA_REWRITE_EXPECTATIONS"] == "1"

    /// Writes the text where expectations are rewritten, and compares it with the file otherwise.
    /// - Returns: nil where both are the same; else the lines that differ, those of the file with `-`, those of the text with `+`.
    package static func difference(between text: String, and file: URL) throws -> String? {
        if isRewriting {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            return nil
        }
        guard let stored = try? String(contentsOf: file, encoding: .utf8) else { return "\(file.path) is missing" }
        // By bytes: to `==` two spellings of one accented letter are equal.
        guard !stored.utf8.elementsEqual(text.utf8) else { return nil }
        let lines = changedLines(from: stored, to: text)
        return "\(file.path) says otherwise:\n" + (lines.isEmpty ? "(in the Unicode form of its letters)" : lines)
    }

    /// The same for a folder that has these files, by their names, and no others.
    package static func differences(between texts: [String: String], and folder: URL) throws -> [String] {
        let stored = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var differences: [String] = []
        for file in Set(stored).subtracting(texts.keys).sorted().map({ folder.appending(path: $0) }) {
            if isRewriting {
                try FileManager.default.removeItem(at: file)
            } else {
                differences.append("\(file.path) is no longer written")
            }
        }
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            try difference(between: text, and: folder.appending(path: name)).map { differences.append($0) }
        }
        return differences
    }

    /// The first lines that differ, with their numbers in each text.
    static func changedLines(from old: String, to new: String, atMost limit: Int = 30) -> String {
        var old = old.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var new = new.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let first = old.first, first == new.first {
            old.removeFirst()
            new.removeFirst()
        }
        while let last = old.last, last == new.last {
            old.removeLast()
            new.removeLast()
        }
        // Comparing takes as long as the lines times the changes; what follows so many lines is not shown anyway.
        let (left, right) = (old.prefix(1000), new.prefix(1000))
        let changes = right.difference(from: left).map { change in
            switch change {
            case .remove(let offset, let line, _): (left.startIndex + offset + 1, "-", line)
            case .insert(let offset, let line, _): (right.startIndex + offset + 1, "+", line)
            }
        }
        let lines = changes.sorted { ($0.0, $1.1) < ($1.0, $0.1) }.map { "\($1) \($0): \($2)" }
        return lines.prefix(limit).joined(separator: "\n") + (lines.count > limit ? "\n…" : "")
    }
}
