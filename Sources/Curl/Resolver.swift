// Looks names up with c-ares, and not with getaddrinfo: that blocks a thread for as long as a dead name server is waited for,
// and does not tell "no such name" from "the name server could not say".

import Foundation
import Synchronization

/// Why a name gave no address. Only the first two say something of the name.
package struct LookUpFault: Error, Sendable, Equatable {
    package enum Kind: Sendable {
        /// NXDOMAIN, or a name that DNS does not allow.
        case noSuchName
        /// The name exists and has neither an A nor an AAAA record.
        case noAddress
        /// A name server answered that it could not find out: SERVFAIL, as after a failed DNSSEC validation, or REFUSED.
        case serverFailure
        /// No name server answered.
        case noServer
        /// Memory, threads, or too many look-ups at once.
        case own
    }

    package let kind: Kind
    package let detail: String
    /// The last name that it is an alias of (CNAME), where it is one and that name has no address.
    package let alias: String?

    package init(kind: Kind, detail: String, alias: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.alias = alias
    }
}

/// Looks names up as `/etc/hosts`, `/etc/resolv.conf` and the `files` and `dns` of `/etc/nsswitch.conf` say.
package final class Resolver: Sendable {
    /// With the name servers of this machine.
    package static let shared = Resolver()

    private let loop: ResolverLoop
    private let recent = Mutex<[String: (addresses: [String], until: ContinuousClock.Instant)]>([:])

    /// How long an answer counts for those who do not need a new one.
    private static let lifetime = Duration.seconds(60)
    private static let maximumRecent = 256

    /// `servers`: in place of those in `/etc/resolv.conf`, as `HOST[:PORT]` with commas between; nothing else is asked then.
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
    ) async throws -> Result<[String], LookUpFault> {
        let known = isRecentEnough ? recent.withLock { $0[host] } : nil
        if let known, known.until > .now { return .success(known.addresses) }
        let lookUp = LookUp(host: host)
        let result = try await withThrowingTaskGroup(of: Result<[String], LookUpFault>?.self) { group in
            group.addTask {
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        if lookUp.wait(continuation) { self.loop.submit(lookUp) }
                    }
                } onCancel: {
                    lookUp.finish(nil)
                }
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                return .failure(lookUp.known ?? LookUpFault(kind: .noServer, detail: "no name server answered in time"))
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else { throw CancellationError() }
            return result
        }
        guard isRecentEnough else { return result }
        var kept = result
        // A name server in trouble is no reason to leave an address that answered a while ago, and it is not waited for again
        // with each request.
        if let known, case .failure(let fault) = result, fault.kind == .noServer || fault.kind == .serverFailure {
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
        case waiting(CheckedContinuation<Result<[String], LookUpFault>?, Never>)
        case over
    }

    let host: String
    private let state = Mutex(State.new)
    private let fault = Mutex<LookUpFault?>(nil)

    /// What is known already, while more is asked about it.
    var known: LookUpFault? {
        get { fault.withLock { $0 } }
        set { fault.withLock { $0 = newValue } }
    }

    init(host: String) { self.host = host }

    /// - Returns: false where it was cancelled before it began; the continuation is resumed then.
    func wait(_ continuation: CheckedContinuation<Result<[String], LookUpFault>?, Never>) -> Bool {
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

    func finish(_ result: Result<[String], LookUpFault>?) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<[String], LookUpFault>?, Never>? in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: result)
    }
}
