// The door to libcurl: any task may ask for a transfer, one thread makes them all. What that thread does is in
// `DriverLoop`; here is how a task hands its request over, waits, and changes its mind.

import CCurl
import Foundation
import Synchronization

/// Runs transfers on one dedicated thread of its own.
///
/// End it with `shutdown()`. A driver that is dropped without it ends its thread as well, without anybody waiting for that.
package final class CurlDriver: Sendable {
    private let loop: DriverLoop
    private let thread: DriverThread
    /// Applied to every transfer.
    package let network: NetworkSettings
    package let resolver: Resolver

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - network: applied to every transfer.
    ///   - resolver: looks up the names of hosts; not that of a proxy.
    ///   - maximumConcurrent: how many transfers run at once, at least 1, without those that have waited for their servers
    ///     longer than `patience`; the others wait in the order of their coming.
    ///   - patience: how long a transfer that waits keeps the next one from starting.
    ///   - keptConnections: how many idle connections of `.kept` transfers stay open beside all busy ones.
    /// - Throws: `.badSettings` where `network` does not parse, `.outOfMemory`.
    package init(
        network: NetworkSettings = NetworkSettings(), resolver: Resolver = .shared, maximumConcurrent: Int = 64,
        patience: Duration = .milliseconds(100), keptConnections: Int = 16
    ) throws(CurlError) {
        do {
            try network.validate()
        } catch {
            throw CurlError(code: .badSettings, phase: .resolving, message: error.description)
        }
        let loop = try DriverLoop(
            network: network, maximumConcurrent: max(1, maximumConcurrent), patience: patience,
            keptConnections: max(1, keptConnections))
        self.loop = loop
        self.network = network
        self.resolver = resolver
        thread = try DriverThread { loop.run() }
    }

    deinit { loop.stop() }

    /// Makes one transfer to an address that is known, or through a proxy.
    func transfer(_ request: TransferRequest) async throws -> TransferResult {
        let ticket = Ticket()
        let result: TransferResult? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.submit(Job(request: request, ticket: ticket, continuation: continuation))
            }
        } onCancel: {
            loop.cancel(ticket)
        }
        guard let result else { throw CancellationError() }
        return result
    }

    /// Cancels what runs and what waits, closes the kept connections, ends the thread and waits for that. May be called
    /// again, and by several tasks.
    package func shutdown() async {
        await withCheckedContinuation { continuation in
            loop.stop(then: continuation)
        }
        // It is done with all work, and ends within the moment. A process that exits under a thread of the TLS library's can
        // crash.
        thread.join()
    }

    /// Shuts down when the work is done, however it ends.
    package func shutdown<Value>(after work: () async throws -> Value) async throws -> Value {
        let value: Value
        do {
            value = try await work()
        } catch {
            await shutdown()
            throw error
        }
        await shutdown()
        return value
    }

    /// Of the loaded libcurl and its libraries: "libcurl/7.88.1 OpenSSL/3.0.19 ...".
    package static var version: String { curl_version().map { String(cString: $0) } ?? "libcurl" }
}

/// Tells one submission from all others, and knows whether it was cancelled before it reached the loop.
final class Ticket: Sendable {
    let number: UInt64
    private let cancelled = Atomic(false)
    private static let issued = Atomic<UInt64>(0)

    init() { number = Self.issued.add(1, ordering: .relaxed).newValue }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// A request on its way through the driver; `nil` is sent to its continuation for a cancelled one.
struct Job: Sendable {
    let request: TransferRequest
    let ticket: Ticket
    let continuation: CheckedContinuation<TransferResult?, Never>

    var id: UInt64 { ticket.number }
}
