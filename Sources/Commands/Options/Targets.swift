import Evidence

/// Reads TARGET arguments: domains, URLs, entitlements, `@FILE` and `-` with one target per line.
enum Targets {
    /// Targets in the order given, each once. `asLinks`: keeps the path of a URL. It may also follow a bare domain, as
    /// copied from an address bar.
    /// - Throws: `CommandFailure` with every target that cannot be read, not only the first.
    static func read(_ arguments: [String], asLinks: Bool = false) throws -> [Target] {
        var targets: [Target] = []
        var seen: Set<Target> = []
        var faults: [String] = []
        for entry in try ListedArguments(noun: "targets", hasCommentsAtLineEnds: true).read(arguments) {
            do {
                var target = try Target(parsing: asLinks ? Self.whole(entry.text) : entry.text)
                if !asLinks { target.path = nil }
                if seen.insert(target).inserted { targets.append(target) }
            } catch {
                let meant = AssociatedDomain.correction(ofTarget: entry.text).map { "; write \($0)" } ?? ""
                faults.append(entry.fault("\(error)\(meant)"))
            }
        }
        guard faults.isEmpty else { throw CommandFailure(.usage, faults.joined(separator: "\n")) }
        guard !targets.isEmpty else {
            throw CommandFailure(.usage, "there is no target; name a domain, such as example.com")
        }
        return targets
    }

    /// Adds the scheme to `example.com/path`. A text with a colon may be an entitlement and stays.
    private static func whole(_ text: String) -> String {
        let host = text.prefix { $0 != "/" }
        let isLink = host.endIndex != text.endIndex && host.contains(".") && !host.contains { ":?#@*".contains($0) }
        return isLink ? "https://" + text : text
    }
}
