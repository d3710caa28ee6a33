import Evidence

/// Watches of several domains, side by side.
struct WatchGroup: Sendable {
    let watches: [DomainWatch]

    /// Runs them until the last has ended, or a signal ends all.
    /// - Returns: how each ended, in the order of `watches`.
    func run() async -> [DomainWatch.End] {
        let interrupts = Interrupts()
        defer { interrupts.end() }
        let signals = interrupts.signals
        var ends = [DomainWatch.End](repeating: .interrupted, count: watches.count)
        await withTaskGroup(of: (index: Int, end: DomainWatch.End)?.self) { group in
            for (index, watch) in watches.enumerated() {
                group.addTask { (index, await watch.run()) }
            }
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            var left = watches.count
            for await result in group {
                if let result {
                    ends[result.index] = result.end
                    left -= 1
                }
                // A signal ends the watches, and the last watch ends the wait for a signal. An interrupted watch still
                // has the last word.
                if result == nil || left == 0 { group.cancelAll() }
            }
        }
        return ends
    }

    /// Of several domains: how many are in sync, and which are not.
    func summary(of ends: [DomainWatch.End]) -> String {
        let missing = zip(watches, ends).filter { !$1.isInSync }
        let start = "\(ends.count - missing.count) of \(ends.count) domains in sync"
        guard !missing.isEmpty else { return start }
        return "\(start); not in sync: "
            + missing.map { "\($0.domain) (\(Self.words(for: $1)))" }.joined(separator: ", ")
    }

    private static func words(for end: DomainWatch.End) -> String {
        switch end {
        case .watched(let event):
            event.edges == 0 ? "no edge was asked" : WatchWording.count(event.inSync, of: event.edges)
        case .nothing(let nothing): nothing.brief
        case .silentOrigin: "the origin did not answer"
        case .interrupted: "the origin was not read yet"
        }
    }
}
