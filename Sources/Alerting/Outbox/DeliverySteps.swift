// The delivery a step at a time, for those who hold the clock themselves: `Delivery.run` without its tasks and naps.

import Foundation
import Synchronization

package final class DeliverySteps: Sendable {
    private let delivery: Delivery
    /// How often in a row each receiver asked to wait.
    private let throttles = Mutex<[String: Int]>([:])

    package enum Next: Equatable, Sendable {
        /// Something was done; there may be more.
        case now
        /// Nothing is to be done before that instant, unless something new is committed; nil: nothing waits at all.
        case at(Date?)
    }

    package init(_ delivery: Delivery) { self.delivery = delivery }

    /// What the delivery does at its start.
    package func begin() async throws { try await delivery.begin() }

    /// What one channel's loop does in one turn. Of one channel, one turn at a time.
    /// - Throws: what the loop would log and outlive; the pause after it is the caller's.
    package func step(_ name: String) async throws -> Next {
        guard let channel = delivery.channel(named: name) else { return .at(nil) }
        var count = throttles.withLock { $0[name] ?? 0 }
        let step = try await ChannelLoop(delivery: delivery, name: name).step(channel, &count)
        throttles.withLock { [count] in $0[name] = count }
        return switch step {
        case .sent: .now
        case .idle(let due): .at(due)
        }
    }
}
