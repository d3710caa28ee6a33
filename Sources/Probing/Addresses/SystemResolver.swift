// Name look-ups by the system's own resolver, which knows /etc/hosts and all that the machine is set up with. It blocks
// for as long as it likes, so it runs on threads of its own; who asked waits no longer than they said.

import Evidence
import Foundation
import Glibc
import Synchronization

/// Looks names up, a bounded number at a time.
final class SystemResolver: Sendable {
    static let shared = SystemResolver()

    /// Threads that may be in a look-up at once; each ends when nothing waits any more.
    private static let maximumThreads = 32
    /// Look-ups that may wait for a thread. Beyond them the name servers are dead, and more of the same helps nobody.
    private static let maximumWaiting = 4096

    private struct State {
        var threads = 0
        var waiting: [LookUp] = []
    }

    private let state = Mutex(State())

    /// The addresses of a host in the order in which the system would try them, without duplicates.
    /// `reachableFamiliesOnly` leaves out a family that this machine has no address of; `timeout` is for the whole look-up,
    /// the thread under it may go on for longer. Throws `CancellationError` only.
    func addresses(
        of host: String, reachableFamiliesOnly: Bool, timeout: Duration
    ) async throws -> Result<[String], LookUpFailure> {
        let lookUp = LookUp(host: host, reachableFamiliesOnly: reachableFamiliesOnly)
        return try await withThrowingTaskGroup(of: Result<[String], LookUpFailure>?.self) { group in
            group.addTask {
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        if lookUp.wait(continuation) { self.start(lookUp) }
                    }
                } onCancel: {
                    lookUp.finish(nil)
                }
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                return .failure(LookUpFailure(kind: .timedOut, detail: "the name servers did not answer in time"))
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else { throw CancellationError() }
            return result
        }
    }

    private func start(_ lookUp: LookUp) {
        enum Step { case thread, wait, refuse }
        let step = state.withLock { state -> Step in
            if state.threads < Self.maximumThreads {
                state.threads += 1
                return .thread
            }
            guard state.waiting.count < Self.maximumWaiting else { return .refuse }
            state.waiting.append(lookUp)
            return .wait
        }
        switch step {
        case .wait: break
        case .refuse:
            lookUp.finish(.failure(LookUpFailure(kind: .timedOut, detail: "too many name look-ups are waiting")))
        case .thread:
            let thread = Thread { [self] in work(from: lookUp) }
            thread.name = "resolver"
            thread.start()
        }
    }

    private func work(from first: LookUp) {
        var next: LookUp? = first
        while let lookUp = next {
            if lookUp.isWanted { lookUp.finish(lookUp.ask()) }
            next = state.withLock { state in
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                state.threads -= 1
                return nil
            }
        }
    }
}

/// Why a name gave no address.
struct LookUpFailure: Error, Equatable {
    var kind: Failure.Kind
    var detail: String
}

/// One look-up, answered once: by the resolver, by the clock or by a cancellation, whichever is first.
private final class LookUp: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Result<[String], LookUpFailure>?, Never>)
        case over
    }

    private let host: String
    private let reachableFamiliesOnly: Bool
    private let state = Mutex(State.new)

    init(host: String, reachableFamiliesOnly: Bool) {
        self.host = host
        self.reachableFamiliesOnly = reachableFamiliesOnly
    }

    /// - Returns: false where it was cancelled before it began; the continuation is resumed then.
    func wait(_ continuation: CheckedContinuation<Result<[String], LookUpFailure>?, Never>) -> Bool {
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

    func finish(_ result: Result<[String], LookUpFailure>?) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<[String], LookUpFailure>?, Never>? in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: result)
    }

    /// Blocks.
    func ask() -> Result<[String], LookUpFailure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        if reachableFamiliesOnly { hints.ai_flags = AI_ADDRCONFIG }
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            let words = gai_strerror(code).map { String(cString: $0) } ?? "error \(code)"
            return .failure(LookUpFailure(kind: code == EAI_MEMORY ? .own : .nameNotFound, detail: words))
        }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var entry = list
        while let info = entry?.pointee {
            entry = info.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let flags = NI_NUMERICHOST
            guard
                getnameinfo(info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, flags) == 0
            else { continue }
            let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if !addresses.contains(address) { addresses.append(address) }
        }
        return .success(addresses)
    }
}
