// An origin that serves now this file, now that: servers behind one name that were not all brought up to date. Each check
// meets one of them by chance, and what Apple's CDN holds is as good as any.

import Evidence

/// The contents between which the origin went back and forth at the last checks.
package struct OriginAlternation: Equatable, Sendable {
    /// In the order in which they were first met; at least two.
    package let contents: [ContentHash]
    /// How many checks these were.
    package let checks: Int
    package let changes: Int

    /// nil where fewer than two of the changes led back to a content that was left before. One step back alone is
    /// somebody who reverts a change.
    init?(_ seen: [ContentHash]) {
        var runs: [ContentHash] = []
        for content in seen where content != runs.last { runs.append(content) }
        var contents: [ContentHash] = []
        for run in runs where !contents.contains(run) { contents.append(run) }
        guard runs.count - contents.count >= 2 else { return nil }
        self.contents = contents
        checks = seen.count
        changes = runs.count - 1
    }

    var cause: Cause { .origin(.alternates(files: contents.count, changes: changes, checks: checks)) }

    var finding: Finding {
        Finding(
            .origin(.alternates(files: contents.count, changes: changes, checks: checks)),
            evidence: [
                "changes": "\(changes)", "checks": "\(checks)",
                "meanings": contents.map { String($0.hex.prefix(12)) }.joined(separator: ", "),
            ])
    }
}

extension DomainState {
    package var originAlternation: OriginAlternation? { OriginAlternation(recentContents) }

    /// Whether every check that is still remembered found the same file.
    var isOriginCalm: Bool { Set(recentContents).count <= 1 }
}
