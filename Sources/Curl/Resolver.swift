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

    /// `servers`: in place of those in `/etc/resolv.conf`, as `HOST[:PORT]` with commas between. `hosts`: in place of `/etc/hosts`.
    package init(servers: String? = nil, hosts: String? = nil) {
        loop = ResolverLoop(servers: servers, hosts: hosts.map { HostsFile(path: $0) } ?? HostsFile())
    }

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
        let lookUp = LookUp(host: host)
        let result = try await withThrowingTaskGroup(of: LookUpResult?.self) { group in
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
                return lookUp.known
                    ?? .failure(Failure(lookUp: .noNameServer, "no name server answered in time"))
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else { throw CancellationError() }
            return result
        }
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

    let host: String
    private let state = Mutex(State.new)
    private let answer = Mutex<LookUpResult?>(nil)

    /// What is known already, while more is asked about it.
    var known: LookUpResult? {
        get { answer.withLock { $0 } }
        set { answer.withLock { $0 = newValue } }
    }

    init(host: String) { self.host = host }

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

    func finish(_ result: LookUpResult?) {
        let continuation = state.withLock { state -> CheckedContinuation<LookUpResult?, Never>? in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: result)
    }
}

/// What a name server's answer holds (RFC 1035, 4.1): addresses, and the alias that they are of. c-ares does not show an alias
/// where a look-up failed; a name that is an alias of one that was given up is another matter than a name that was never there.
struct NameServerAnswer {
    /// In the order of the answer, none twice.
    private(set) var addresses: [String] = []
    /// The last target of its CNAME records, without final dot.
    private(set) var alias: String?

    /// As far as the answer can be read.
    init(_ answer: [UInt8]) {
        guard answer.count >= 12 else { return }
        func number(_ at: Int) -> Int? {
            at + 1 < answer.count ? Int(answer[at]) << 8 | Int(answer[at + 1]) : nil
        }
        var place = 12
        for _ in 0..<(number(4) ?? 0) {
            guard let end = Self.name(answer, at: place)?.end else { return }
            place = end + 4
        }
        for _ in 0..<(number(6) ?? 0) {
            guard let end = Self.name(answer, at: place)?.end, let type = number(end), let length = number(end + 8)
            else { return }
            let start = end + 10
            place = start + length
            switch (type, length) {
            case (5, _): alias = Self.name(answer, at: start)?.text ?? alias
            case (1, 4), (28, 16):
                guard place <= answer.count, let address = HostAddress(bytes: Array(answer[start..<place]))?.description
                else { return }
                if !addresses.contains(address) { addresses.append(address) }
            default: break
            }
        }
    }

    /// A name, perhaps with a pointer at its end, and the place behind it.
    private static func name(_ answer: [UInt8], at start: Int) -> (text: String, end: Int)? {
        var labels: [String] = []
        var place = start
        var end: Int?
        // A name has 127 labels at most; pointers in a circle end here too.
        for _ in 0..<128 {
            guard place < answer.count else { return nil }
            let length = Int(answer[place])
            switch length {
            case 0: return (labels.joined(separator: "."), end ?? place + 1)
            case 0xC0...:
                guard place + 1 < answer.count else { return nil }
                end = end ?? place + 2
                place = (length & 0x3F) << 8 | Int(answer[place + 1])
            case 1...63:
                guard place + length < answer.count else { return nil }
                labels.append(String(decoding: answer[(place + 1)...(place + length)], as: UTF8.self))
                place += length + 1
            default: return nil
            }
        }
        return nil
    }
}
