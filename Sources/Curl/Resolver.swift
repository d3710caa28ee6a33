// Looks names up with c-ares. getaddrinfo blocks a thread while it waits for a dead name server, and does not
// distinguish "no such name" from "the name server could not say". res_nquery blocks too, and ignores /etc/hosts.

import Facts
import Foundation
import Synchronization

/// The addresses of a name, or why there are none. Only the kinds `nameNotFound` (NXDOMAIN, or a name that DNS does not
/// allow) and `noAddress` say something about the name.
package typealias LookUpResult = Result<[String], Failure>

extension Failure {
    /// A failed lookup. `own`: memory, threads, or too many lookups at once.
    init(lookUp kind: Kind, _ detail: String, alias: String? = nil) {
        self.init(kind: kind, phase: .resolving, detail: detail, alias: alias)
    }
}

/// Looks names up in `/etc/hosts`, then asks the name servers of `/etc/resolv.conf`. It adds no search domain: within
/// this machine's network, the name could mean another host.
package final class Resolver: Sendable {
    /// Uses this machine's name servers.
    package static let shared = Resolver()

    private let loop: ResolverLoop
    private let recent = Mutex<[String: (addresses: [String], until: ContinuousClock.Instant)]>([:])

    /// How long an answer is valid for callers that do not need a new one.
    private static let lifetime = Duration.seconds(60)
    private static let maximumRecent = 256

    /// `servers` replaces those in `/etc/resolv.conf`: `HOST[:PORT]`, separated by commas.
    package init(servers: String? = nil) { loop = ResolverLoop(servers: servers) }

    /// The addresses of a host, IPv4 and IPv6, in the order to try them (RFC 6724), without duplicates.
    ///
    /// - Parameters:
    ///   - host: a name, not an address.
    ///   - isRecentEnough: accepts an answer from the last minute, and an older one if the name servers fail.
    ///   - timeout: for the whole lookup; after it the failure is `noNameServer`.
    /// - Returns: at least one address, or why there is none.
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
        // If the name servers fail, an address from an earlier answer is still good, and the next request does not wait
        // for them again.
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

/// One lookup. It ends once: by a name server, by the clock or by a cancellation, whichever is first.
final class LookUp: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<LookUpResult?, Never>)
        case over
    }

    /// As it is queried: lower case, without final dot. Every name below `localhost` is this machine (RFC 6761, 6.3).
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

    /// - Returns: false if the lookup was cancelled before it began; the continuation is then resumed.
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

    /// Negative after the timeout.
    var timeLeft: Duration { timeout - start.duration(to: .now) }

    /// `result` is nil for a cancelled lookup.
    func finish(_ result: LookUpResult?) {
        let continuation = state.withLock { state -> CheckedContinuation<LookUpResult?, Never>? in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: result)
    }

    /// Ends the lookup if its time is up: with what is known, or because no server answered.
    func finishIfLate(with known: LookUpResult? = nil) {
        guard timeLeft <= .zero else { return }
        finish(known ?? .failure(Failure(lookUp: .noNameServer, "no name server answered in time")))
    }
}
