// `kinds` of a channel: which kinds of incidents it is notified of.

package struct ChannelKinds {
    let reading: Reading

    /// All kinds of incidents. A test keeps the list equal to `IncidentKind`, which this module does not know.
    package static let all = [
        "cdn.divergent", "cdn.missing", "cdn.stale", "cdn.wide", "certificate.expiring", "expectation.failed",
        "monitor.degraded", "origin.broken", "origin.inconsistent", "origin.unreachable",
    ]

    private static let patterns = Set(all.compactMap { $0.split(separator: ".").first }.map { "\($0).*" })

    /// Empty where the key is absent: all kinds.
    func read(_ channel: Section) -> [String] {
        guard let nodes = channel.list("kinds") else { return [] }
        if nodes.isEmpty {
            reading.error(
                "'kinds' \(channel.title) names no kind; leave it out for all kinds",
                at: channel.entry("kinds")?.position ?? channel.position)
        }
        return nodes.compactMap { node in
            guard let kind = channel.text(node, "kinds", "a kind of incident such as cdn.stale, or cdn.*") else {
                return nil
            }
            if Self.patterns.contains(kind.value) || Self.all.contains(kind.value) { return kind.value }
            let known = Self.all + Self.patterns.sorted()
            let hint = kind.isSubstituted ? "" : Spelling.suggestion(for: kind.value, among: known)
            reading.error(
                "unknown kind \(kind.quoted) \(channel.title)"
                    + (hint.isEmpty ? "; known: \(known.joined(separator: ", "))" : hint), at: kind.position)
            return nil
        }
    }
}
