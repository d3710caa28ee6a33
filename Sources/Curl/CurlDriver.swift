// The door to libcurl: any task may ask for a transfer, one thread makes them all. What that thread does is in
// `DriverLoop`; here is how a task hands its request over, waits, and changes its mind.

import CCurl
import Facts
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
    ///     longer than `slotTimeout`; the others wait in the order of their coming.
    ///   - slotTimeout: how long a transfer that waits keeps the next one from starting.
    ///   - keptConnections: how many idle connections stay open, for transfers that keep them, beside all busy ones.
    /// - Throws: `.badSettings` where `network` does not parse, `.outOfMemory`.
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

    /// Makes one transfer to an address that is known, or through a proxy.
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
final class CancellationToken: Sendable {
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
    let ticket: CancellationToken
    let continuation: CheckedContinuation<TransferResult?, Never>

    var id: UInt64 { ticket.number }
}

/// Where the requests to a host go.
package struct Destination: Sendable {
    package let route: NetworkSettings.Route
    /// Of whatever family, in the order in which they should be tried; none where a proxy looks them up.
    package var all: [String] = []
    /// Those of the family that was asked for.
    package var addresses: [String] = []
    /// Why there are none, but for a proxy.
    package var failure: Failure?
}

/// Names are looked up before libcurl gets a request: it would wait for dead name servers in threads that nothing can end, and
/// does not tell why a name has no address.
extension CurlDriver {
    /// By the user's own rules first, as libcurl takes them, by the system's resolver else. `host`: as in a URL. `proxy`: in place of
    /// the driver's own. `isRecentEnough`: an answer of the last minute will do, and an older one where no name server answers.
    /// Throws `CancellationError` only.
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

    /// Makes one transfer and returns what came of it, failures included. Never blocks a thread of the caller's.
    ///
    /// - Throws: only `CancellationError`, where the task is cancelled, or the driver is or gets shut down, before it is over.
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
        // The plus sign: not for ever.
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

    /// Counts the name look-up as the first step.
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
