// The entry point to libcurl: any task submits a transfer, and one thread (`DriverLoop`) runs them all. This file
// covers submission, waiting and cancellation.

import CCurl
import Facts
import Foundation
import Synchronization

/// Runs transfers on one dedicated thread.
///
/// End it with `shutdown()`. A driver that is released without it also ends its thread, but nobody waits for the end.
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
    ///   - resolver: looks up the names of hosts, but not that of a proxy.
    ///   - maximumConcurrent: transfers at once, at least 1; those that have waited for their servers longer than
    ///     `slotTimeout` do not count. The others wait in order of arrival.
    ///   - slotTimeout: how long a transfer that waits for its server holds its slot.
    ///   - keptConnections: idle connections that stay open for reuse, in addition to busy ones.
    /// - Throws: `.badSettings` if `network` does not parse, `.outOfMemory`.
    package init(
        network: NetworkSettings = NetworkSettings(), resolver: Resolver = .shared, maximumConcurrent: Int = 64,
        slotTimeout: Duration = .milliseconds(100), keptConnections: Int = 16
    ) throws(CurlError) {
        try network.validate()
        let places = max(1, maximumConcurrent)
        let loop = try DriverLoop(maximumConcurrent: places, keptConnections: max(1, keptConnections))
        self.loop = loop
        self.network = network
        self.resolver = resolver
        thread = try DriverThread { loop.run(network: network, maximumConcurrent: places, slotTimeout: slotTimeout) }
    }

    deinit { loop.stop() }

    /// Runs one transfer to a known address, or through a proxy.
    func transfer(_ request: TransferRequest) async throws -> TransferResult {
        let ticket = CancellationToken()
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

    /// Cancels running and waiting transfers, closes idle connections, and waits until the thread ends. May be called
    /// again, and by several tasks.
    package func shutdown() async {
        await withCheckedContinuation { continuation in
            loop.stop(then: continuation)
        }
        // The thread has finished its work and ends in a moment. A process that exits while it still runs can crash in
        // the TLS library.
        thread.join()
    }

    /// Shuts down after `work`, whether it returns or throws.
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

    /// The versions of libcurl and its libraries: "libcurl/7.88.1 OpenSSL/3.0.19 ...".
    package static var version: String { curl_version().map { String(cString: $0) } ?? "libcurl" }
}

/// Identifies a submission, and remembers a cancellation that comes before the submission reaches the loop.
final class CancellationToken: Sendable {
    let number: UInt64
    private let cancelled = Atomic(false)
    private static let issued = Atomic<UInt64>(0)

    init() { number = Self.issued.add(1, ordering: .relaxed).newValue }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// A submitted request. Its continuation gets nil if the request is cancelled.
struct Job: Sendable {
    let request: TransferRequest
    let ticket: CancellationToken
    let continuation: CheckedContinuation<TransferResult?, Never>

    var id: UInt64 { ticket.number }
}

/// Where the requests to a host go.
package struct Destination: Sendable {
    package let route: NetworkSettings.Route
    /// Of any family, in the order to try them; empty if a proxy looks them up.
    package var all: [String] = []
    /// Those of the requested family.
    package var addresses: [String] = []
    /// Why there are no addresses; nil for a proxy.
    package var failure: Failure?
}

/// Names are looked up before libcurl gets a request. libcurl would wait for dead name servers in threads that nothing
/// can end, and does not say why a name has no address.
extension CurlDriver {
    /// Applies the user's own rules first, as libcurl does, then asks the resolver. `host` is in URL form. `proxy`
    /// replaces the driver's own. `isRecentEnough` accepts an answer from the last minute, and an older one if the name
    /// servers fail. Throws `CancellationError` only.
    package func destination(
        of host: String, port: Int, family: TransferRequest.AddressFamily, proxy: String? = nil, isRecentEnough: Bool,
        timeout: Duration
    ) async throws -> Destination {
        var found = Destination(route: network.with(proxy: proxy).route(host: host, port: port))
        switch found.route {
        case .proxy: return found
        case .addresses(let listed): found.all = listed
        case .name(let name, _):
            switch try await resolver.addresses(of: name, isRecentEnough: isRecentEnough, timeout: timeout) {
            case .success(let addresses): found.all = addresses
            case .failure(let failure): found.failure = failure
            }
        }
        found.addresses = found.all.filter { family.accepts($0) }
        if found.failure == nil, found.addresses.isEmpty, let number = family.number {
            found.failure = Failure(
                lookUp: number == 4 ? .noIPv4Address : .noIPv6Address,
                "\(host) has no IPv\(number) address, only \(found.all.prefix(4).joined(separator: ", "))")
        }
        return found
    }

    /// Runs one transfer and returns its outcome, including a failure. Never blocks the caller's thread.
    ///
    /// - Throws: only `CancellationError`, if the task is cancelled or the driver shuts down before the transfer ends.
    package func perform(_ request: TransferRequest) async throws -> TransferResult {
        var request = request
        guard let url = CurlURL.inASCII(request.url) else {
            return TransferResult(
                failed: CurlError(code: .badURL, phase: .resolving, message: "the URL names no host that DNS knows"),
                after: .zero)
        }
        request.url = url
        guard request.address == nil, let parts = CurlURL.components(url) else { return try await transfer(request) }
        let start = ContinuousClock.now
        let found = try await destination(
            of: parts.host, port: parts.port, family: request.family, proxy: request.proxy,
            isRecentEnough: request.keepsConnection,
            timeout: min(request.limits.connectTimeout, request.limits.totalTimeout))
        let spent = start.duration(to: .now)
        if let failure = found.failure { return TransferResult(failed: CurlError(failure), after: spent) }
        guard case .name(let name, let port) = found.route else { return try await transfer(request) }
        // The plus sign lets the entry expire.
        let addresses = found.addresses.map(HostAddress.inURL)
        request.lookedUp = ["+\(name):\(port):" + addresses.joined(separator: ",")]
        request.limits.connectTimeout = max(.milliseconds(1), request.limits.connectTimeout - spent)
        request.limits.totalTimeout = max(.milliseconds(1), request.limits.totalTimeout - spent)
        var result = try await transfer(request)
        result.begin(after: spent)
        if name == parts.host { result.resolved = found.all }
        return result
    }
}

extension TransferResult {
    fileprivate init(failed error: CurlError, after spent: Duration) {
        self.init(error: error, connection: Connection(timings: Timings(total: spent / .milliseconds(1))))
    }

    /// Adds the name lookup as the first step.
    fileprivate mutating func begin(after spent: Duration) {
        let spent = spent / .milliseconds(1)
        var timings = connection.timings
        if !isReused { timings.dns = spent }
        timings.connect = timings.connect.map { $0 + spent }
        timings.tls = timings.tls.map { $0 + spent }
        timings.firstByte = timings.firstByte.map { $0 + spent }
        timings.total += spent
        connection.timings = timings
    }
}
