// Watches side by side, and the signals that end them.

import Dispatch
import Foundation
import Glibc

/// Watches of several domains, side by side.
struct WatchGroup: Sendable {
    let watches: [DomainWatch]

    /// Runs them until the last has ended, or a signal ends all.
    /// - Returns: how each ended, in the order of `watches`.
    func run() async -> [WatchEvent] {
        let interrupts = Interrupts()
        defer { interrupts.end() }
        let signals = interrupts.signals
        var ends = watches.map { WatchEvent(kind: .interrupted, at: $0.begin, elapsed: 0) }
        await withTaskGroup(of: (index: Int, end: WatchEvent)?.self) { group in
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
    func summary(of ends: [WatchEvent]) -> String {
        let missing = zip(watches, ends).filter { $1.kind != .inSync }
        let start = "\(ends.count - missing.count) of \(ends.count) domains in sync"
        guard !missing.isEmpty else { return start }
        return "\(start); not in sync: "
            + missing.map { "\($0.domain) (\(Self.words(for: $1)))" }.joined(separator: ", ")
    }

    private static func words(for end: WatchEvent) -> String {
        switch end.kind {
        case .nothingToWaitFor: end.detail ?? ""
        case .silentOrigin: "the origin did not answer"
        case .interrupted where end.goal == nil: "the origin was not read yet"
        default: end.edges == 0 ? "no edge was asked" : WatchWording.count(end.inSync, of: end.edges)
        }
    }
}

/// Ctrl-C, and the signal that ends a service: while it lives, SIGINT and SIGTERM do not end the process by themselves.
struct Interrupts {
    /// The signals as they come.
    let signals: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
    }

    /// A later signal ends the process again.
    func end() {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
