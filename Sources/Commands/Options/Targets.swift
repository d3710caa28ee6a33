import Evidence

/// Reads TARGET arguments: domains, URLs, entitlements, `@FILE` and `-` with one target a line.
enum Targets {
    /// Targets in the order given, each once.
    /// - Throws: `CommandFailure` with every target that cannot be read, not only the first.
    static func read(_ arguments: [String]) throws -> [Target] {
        var targets: [Target] = []
        var seen: Set<Target> = []
        var faults: [String] = []
        for entry in try ListedArguments(noun: "targets", hasCommentsAtLineEnds: true).read(arguments) {
            do {
                let target = try Target(parsing: entry.text)
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
}
