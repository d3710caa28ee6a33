// Whole expected texts, in files of the repository. AASA_REWRITE_EXPECTATIONS=1 writes them again. Review the diff.

import Foundation

package enum GoldenFile {
    package static let isRewriting = ProcessInfo.processInfo.environment["AASA_REWRITE_EXPECTATIONS"] == "1"

    /// Compares the text with the file, or writes the file if expectations are being rewritten.
    /// - Returns: nil if both are equal. Otherwise the differing lines: `-` for the file, `+` for the text.
    package static func difference(between text: String, and file: URL) throws -> String? {
        if isRewriting {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            return nil
        }
        guard let stored = try? String(contentsOf: file, encoding: .utf8) else { return "\(file.path) is missing" }
        // Compared as bytes: `==` treats two normal forms of one accented letter as equal.
        guard !stored.utf8.elementsEqual(text.utf8) else { return nil }
        let lines = changedLines(from: stored, to: text)
        return "\(file.path) differs:\n" + (lines.isEmpty ? "(in the Unicode form of its letters)" : lines)
    }

    /// The same for a folder that must contain exactly these files.
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

    /// The first lines that differ, with their line numbers in each text.
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
        // Comparing costs lines times changes. The lines after these would not be shown anyway.
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
