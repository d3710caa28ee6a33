// All watched domains at once, one task each. How many look at the network at the same time is the driver's limit.

import Logging
import ServiceLifecycle

struct CheckService: Service {
    let watches: [DomainWatch]

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            do {
                try await withThrowingDiscardingTaskGroup { group in
                    for watch in watches { group.addTask { try await watch.run() } }
                }
            } catch is CancellationError {
                // The end that was asked for. A check that it cut off was not committed: it never happened.
            }
        }
    }
}
