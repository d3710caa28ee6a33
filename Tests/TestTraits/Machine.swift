// Tests wait far more than they compute. All of them at once would be so slow that limits of seconds, which are what some tests
// are about, no longer hold.

import Foundation

/// How much of the machine a test needs to keep its times.
package enum MachineShare: Int, Sendable {
    /// Nearly all of its time passes until a limit of seconds is over. They begin together: more at once make the servers slow.
    case waiting = 2
    case small = 5
    /// Tens of hosts, or servers that send without end.
    case large = 20
}

/// Hands out shares of the machine: first to the tests that take long, then in the order of the calls.
actor Machine {
    static let shared = Machine()

    /// As many small tests as keep the cores busy: with fewer these idle, with more each test takes longer, and none ends sooner.
    private var free = 5 * MachineShare.small.rawValue * cores

    /// How many there are for this process.
    static var cores: Int { max(2, ProcessInfo.processInfo.activeProcessorCount) }
    private var waiting: [(share: Int, isFirst: Bool, go: CheckedContinuation<Void, Never>)] = []

    nonisolated func withShare(_ share: MachineShare, first isFirst: Bool, _ body: () async throws -> Void) async throws
    {
        await take(share, first: isFirst)
        do {
            try await body()
        } catch {
            await give(share)
            throw error
        }
        await give(share)
    }

    private func take(_ share: MachineShare, first isFirst: Bool) async {
        if waiting.isEmpty, free >= share.rawValue {
            free -= share.rawValue
            return
        }
        await withCheckedContinuation { go in
            let end = waiting.endIndex
            let place = isFirst ? waiting.firstIndex { !$0.isFirst } ?? end : end
            waiting.insert((share.rawValue, isFirst, go), at: place)
        }
    }

    private func give(_ share: MachineShare) {
        free += share.rawValue
        while let next = waiting.first, next.share <= free {
            free -= next.share
            waiting.removeFirst().go.resume()
        }
    }
}
