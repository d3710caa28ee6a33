// All watched domains at once, one task each. How many look at the network at the same time is the driver's limit.

import Alerting
import Evidence
import ServiceLifecycle
import Synchronization

/// Keeps the watches of the running configuration, and lets single ones end and begin while the others go on.
final class WatchBoard: Service {
    private struct Watching {
        let watch: DomainWatch
        let stop = Bell()
        var isRunning = false
    }

    private let watches: Mutex<[Domain: Watching]>
    private let news = Bell()
    private let ends = Bell()

    init(_ watches: [DomainWatch]) {
        self.watches = Mutex(
            Dictionary(watches.map { ($0.order.domain, Watching(watch: $0)) }, uniquingKeysWith: { first, _ in first }))
    }

    /// What is watched at present, and how.
    var orders: [Domain: WatchOrder] { watches.withLock { $0.mapValues(\.watch.order) } }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    let rings = self.news.rings
                    for watching in self.takeIdle() { group.addTask { await self.keep(watching) } }
                    await self.news.wait(past: rings)
                }
            }
        }
    }

    /// Begins to watch.
    func start(_ more: [DomainWatch]) {
        watches.withLock { watches in
            for watch in more { watches[watch.order.domain] = Watching(watch: watch) }
        }
        news.ring()
    }

    /// Ends the watches of these domains. Once it returns, what a last check saw is committed or never happened.
    func stop(_ domains: Set<Domain>) async {
        for domain in domains {
            watches.withLock { watches in
                watches[domain]?.stop.ring()
                // Nobody else would take away what was never begun.
                if watches[domain]?.isRunning == false { watches[domain] = nil }
            }
        }
        while !Task.isCancelled {
            let rings = ends.rings
            if watches.withLock({ watches in domains.allSatisfy { watches[$0] == nil } }) { return }
            await ends.wait(past: rings)
        }
    }

    private func takeIdle() -> [Watching] {
        watches.withLock { watches in
            let idle = watches.filter { !$0.value.isRunning }
            for domain in idle.keys { watches[domain]?.isRunning = true }
            return Array(idle.values)
        }
    }

    private func keep(_ watching: Watching) async {
        await withTaskGroup(of: Void.self) { group in
            // It ends by cancellation only. A check that this cuts off was not committed: it never happened.
            group.addTask { try? await watching.watch.run() }
            group.addTask { await watching.stop.wait(past: 0) }
            await group.next()
            group.cancelAll()
        }
        watches.withLock { $0[watching.watch.order.domain] = nil }
        ends.ring()
    }
}
