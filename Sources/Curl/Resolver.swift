// Looks names up with c-ares, and not with getaddrinfo: that blocks a thread for as long as a dead name server is waited for,
// and does not tell "no such name" from "the name server could not say".

import Facts
import Foundation
import Synchronization

/// The addresses that a name leads to, or why it gave none: of the kinds only `nameNotFound` (NXDOMAIN, or a name that DNS does not
/// allow) and `noAddress` say something of the name.
package typealias LookUpResult = Result<[String], Failure>

extension Failure {
    /// Of a look-up. `own`: memory, threads, or too many look-ups at once.
    init(lookUp kind: Kind, _ detail: String, alias: String? = nil) {
        self.init(kind: kind, phase: .resolving, detail: detail, alias: alias)
    }
}

/// Looks names up in `/etc/hosts`, and else asks the name servers of `/etc/resolv.conf` for them. A name is asked for as it is,
/// never with a search domain behind it: what this machine's own network calls by a watched name is another host.
package final class Resolver: Sendable {
    /// With the name servers of this machine.
    package static let shared = Resolver()

    private let loop: ResolverLoop
    private let recent = Mutex<[String: (addresses: [String], until: ContinuousClock.Instant)]>([:])

    /// How long an answer counts for those who do not need a new one.
    private static let lifetime = Duration.seconds(60)
    private static let maximumRecent = 256

    /// `servers`: in place of those in `/etc/resolv.conf`, as `HOST[:PORT]` with commas between.
    package init(servers: String? = nil) { loop = ResolverLoop(servers: servers) }

    /// The addresses of a host, IPv4 and IPv6, in the order in which they should be tried (RFC 6724), without duplicates.
    ///
    /// - Parameters:
    ///   - host: a name, not an address.
    ///   - isRecentEnough: an answer of the last minute will do, and an older one where the name servers are in trouble.
    ///   - timeout: of the whole look-up; beyond it no name server has answered.
    /// - Returns: the addresses, at least one, or why there is none.
    /// - Throws: `CancellationError` only.
    package func addresses(
        of host: String, isRecentEnough: Bool = false, timeout: Duration
    ) async throws -> LookUpResult {
        let known = isRecentEnough ? recent.withLock { $0[host] } : nil
        if let known, known.until > .now { return .success(known.addresses) }
        let lookUp = LookUp(host: host, timeout: timeout)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if lookUp.wait(continuation) { loop.submit(lookUp) }
            }
        } onCancel: {
            lookUp.finish(nil)
        }
        guard let result = answer else { throw CancellationError() }
        guard isRecentEnough else { return result }
        var kept = result
        // A name server in trouble is no reason to leave an address that answered a while ago, and it is not waited for again
        // with each request.
        if let known, case .failure(let fault) = result, [.noNameServer, .nameServerFailure].contains(fault.kind) {
            kept = .success(known.addresses)
        }
        if case .success(let addresses) = kept {
            recent.withLock { recent in
                if recent.count >= Self.maximumRecent { recent.removeAll() }
                recent[host] = (addresses, .now + Self.lifetime)
            }
        }
        return kept
    }
}

/// One look-up, answered once: by a name server, by the clock or by a cancellation, whichever is first.
final class LookUp: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<LookUpResult?, Never>)
        case over
    }

    /// As it is asked for: without final dot. Every name below `localhost` is this machine (RFC 6761, 6.3).
    let name: String
    let timeout: Duration
    private let start = ContinuousClock.now
    private let state = Mutex(State.new)

    init(host: String, timeout: Duration) {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        self.name = name.hasSuffix(".localhost") ? "localhost" : name
        self.timeout = timeout
    }

    /// - Returns: false where it was cancelled before it began; the continuation is resumed then.
    func wait(_ continuation: CheckedContinuation<LookUpResult?, Never>) -> Bool {
        let begins = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !begins { continuation.resume(returning: nil) }
        return begins
    }

    var isWanted: Bool {
        state.withLock { if case .waiting = $0 { true } else { false } }
    }

    /// Negative where it is over.
    var timeLeft: Duration { timeout - start.duration(to: .now) }

    /// `result`: nil of a cancelled one.
    func finish(_ result: LookUpResult?) {
        let continuation = state.withLock { state -> CheckedContinuation<LookUpResult?, Never>? in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: result)
    }

    /// Ends it where its time is over.
    func finishIfLate() {
        if timeLeft <= .zero { finish(.failure(Failure(lookUp: .noNameServer, "no name server answered in time"))) }
    }
}
