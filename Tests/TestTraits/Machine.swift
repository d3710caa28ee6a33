// Tests wait far longer than they compute. If all ran at once, they would be too slow for the limits of seconds that
// some of them test.

import Foundation

/// The share of the machine that a test needs to keep its times.
package enum MachineShare: Int, Sendable {
    /// It mostly waits for a limit of seconds. These tests begin together, but more at once would slow the servers.
    case waiting = 2
    case small = 5
    /// Tens of hosts, or servers that send endlessly.
    case large = 20
}

/// Hands out shares of the machine: first to long tests, then in the order of the calls.
actor Machine {
    /// As many small tests as keep the cores busy. With fewer, cores idle. With more, each test takes longer.
    static let shared = Machine(smallTests: 5 * cores)
    /// One test that computes for each core. With more, each step of a test waits behind whole steps of the others,
    /// and a request to a server within the test gets no answer in time.
    static let computing = Machine(smallTests: cores)

    private var free: Int

    private init(smallTests: Int) { free = smallTests * MachineShare.small.rawValue }

    /// The number of cores for this process.
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
