// The thread that drives c-ares. It runs while something is looked up, and ends when nothing is.

import CCares
import Foundation
import Glibc
import Synchronization

/// Hands look-ups to a thread of its own, a bounded number at a time.
final class ResolverLoop: Sendable {
    private struct Inbox {
        var waiting: [LookUp] = []
        var isRunning = false
    }

    /// Look-ups that may wait. Beyond them the name servers are dead, and more of the same helps nobody.
    private static let maximumWaiting = 4096
    /// Look-ups under way at once: name servers limit how much they answer.
    private static let maximumActive = 256

    private let servers: String?
    private let inbox = Mutex(Inbox())
    /// Interrupts the thread's `poll`; negative where the system gives no descriptor.
    private let wakeUp: Int32

    init(servers: String?) {
        self.servers = servers
        wakeUp = eventfd(0, O_NONBLOCK | O_CLOEXEC)
    }

    deinit { close(wakeUp) }

    func submit(_ lookUp: LookUp) {
        enum Step { case start, wake, refuse }
        let step = inbox.withLock { inbox -> Step in
            guard wakeUp >= 0, inbox.waiting.count < Self.maximumWaiting else { return .refuse }
            inbox.waiting.append(lookUp)
            defer { inbox.isRunning = true }
            return inbox.isRunning ? .wake : .start
        }
        switch step {
        case .refuse:
            lookUp.finish(.failure(LookUpFault(kind: .own, detail: "too many name look-ups are waiting")))
        case .wake: wake()
        case .start:
            do throws(CurlError) {
                _ = try DriverThread { [self] in run() }
            } catch {
                giveUp(LookUpFault(kind: .own, detail: error.message))
            }
        }
    }

    /// Without a thread nothing is looked up; the next look-up tries again.
    private func giveUp(_ fault: LookUpFault) {
        let waiting = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox.waiting
        }
        for lookUp in waiting { lookUp.finish(.failure(fault)) }
    }

    private func wake() {
        var count: UInt64 = 1
        _ = write(wakeUp, &count, MemoryLayout.size(ofValue: count))
    }

    private func run() {
        let channels = ResolverChannels(servers: servers)
        while let lookUps = next(active: channels.active) {
            for lookUp in lookUps where lookUp.isWanted { channels.begin(lookUp) }
            if channels.active > 0 { channels.waitAndProcess(wakeUp: wakeUp) }
        }
    }

    /// What may begin now; nil where nothing waits and nothing is under way: the thread ends.
    private func next(active: Int) -> [LookUp]? {
        inbox.withLock { inbox in
            if inbox.waiting.isEmpty, active == 0 {
                inbox.isRunning = false
                return nil
            }
            let count = min(inbox.waiting.count, max(0, Self.maximumActive - active))
            let taken = Array(inbox.waiting.prefix(count))
            inbox.waiting.removeFirst(count)
            return taken
        }
    }
}

/// The c-ares channels of one run of the thread, and confined to it: a channel is not safe to share.
final class ResolverChannels {
    private let servers: String?
    private var usual: ResolverChannel?
    /// Confirms failures.
    private var frank: ResolverChannel?
    /// Older ones with look-ups under way.
    private var old: [ResolverChannel] = []
    private var again: [LookUp] = []

    /// `/etc/resolv.conf` is read when a channel is made. It may change while the monitor lives.
    private static let lifetime = Duration.seconds(30)

    init(servers: String?) { self.servers = servers }

    var active: Int { all.reduce(0) { $0 + $1.active } }

    private var all: [ResolverChannel] { [usual, frank].compactMap(\.self) + old }

    func begin(_ lookUp: LookUp) {
        ask(lookUp, isFrank: false)
        confirmFailures()
    }

    private func ask(_ lookUp: LookUp, isFrank: Bool) {
        guard let channel = isFrank ? fresh(&frank, isFrank: true) : fresh(&usual, isFrank: false) else {
            return lookUp.finish(.failure(LookUpFault(kind: .own, detail: "the name look-up could not be set up")))
        }
        channel.ask(lookUp) { [unowned self] in again.append(lookUp) }
    }

    /// The channel in a place, or a new one where it is too old; nil where none can be made.
    private func fresh(_ place: inout ResolverChannel?, isFrank: Bool) -> ResolverChannel? {
        if let known = place {
            guard known.madeAt.duration(to: .now) > Self.lifetime else { return known }
            if known.active > 0 { old.append(known) }
        }
        place = ResolverChannel(servers: servers, isFrank: isFrank)
        return place
    }

    /// Waits for sockets, for the next time limit of c-ares, or for a wake-up.
    func waitAndProcess(wakeUp: Int32) {
        var polled = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
        var owners: [ResolverChannel] = []
        for channel in all {
            for (socket, events) in channel.sockets.events {
                polled.append(pollfd(fd: socket, events: events, revents: 0))
                owners.append(channel)
            }
        }
        let patience = all.filter { $0.active > 0 }.compactMap(\.millisecondsLeft).min() ?? 1000
        poll(&polled, nfds_t(polled.count), Int32(patience))
        if polled[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(wakeUp, &count, MemoryLayout.size(ofValue: count))
        }
        for (entry, channel) in zip(polled.dropFirst(), owners) where entry.revents != 0 {
            channel.process(entry.fd, entry.revents)
        }
        for channel in all { channel.processTimeouts() }
        old.removeAll { $0.active == 0 }
        confirmFailures()
    }

    /// What c-ares says of a failure depends on which of several answers came last: of IPv4 or IPv6, of the name or of the name
    /// in a search domain, of one server or another. One plain question has one answer.
    private func confirmFailures() {
        let failed = again
        again = []
        for lookUp in failed where lookUp.isWanted { ask(lookUp, isFrank: true) }
    }
}

/// One c-ares channel. https://c-ares.org/docs.html
final class ResolverChannel {
    /// What c-ares wants to know of its sockets. An object of its own: c-ares still calls back while a channel is destroyed.
    final class Sockets {
        var events: [ares_socket_t: Int16] = [:]
    }

    /// What a callback is given.
    private final class Question {
        let lookUp: LookUp
        let channel: ResolverChannel
        /// For a failure: the caller's own next step.
        let askAgain: () -> Void

        init(_ lookUp: LookUp, _ channel: ResolverChannel, askAgain: @escaping () -> Void) {
            self.lookUp = lookUp
            self.channel = channel
            self.askAgain = askAgain
        }
    }

    private final class AliasQuestion {
        let lookUp: LookUp
        let channel: ResolverChannel
        let fault: LookUpFault

        init(_ lookUp: LookUp, _ channel: ResolverChannel, _ fault: LookUpFault) {
            self.lookUp = lookUp
            self.channel = channel
            self.fault = fault
        }
    }

    let sockets = Sockets()
    let madeAt = ContinuousClock.now
    private(set) var active = 0
    private let handle: ares_channel
    private let isFrank: Bool

    /// To each server, for the first attempt; twice as long for the second, which is the last.
    private static let milliseconds: Int32 = 2000

    /// nil where memory ran out, or the configuration of this machine cannot be read.
    init?(servers: String?, isFrank: Bool) {
        self.isFrank = isFrank
        var options = ares_options()
        options.timeout = Self.milliseconds
        options.tries = 2
        options.sock_state_cb = { data, socket, isRead, isWritten in
            guard let data else { return }
            let sockets = Unmanaged<Sockets>.fromOpaque(data).takeUnretainedValue()
            let events = (isRead != 0 ? Int16(POLLIN) : 0) | (isWritten != 0 ? Int16(POLLOUT) : 0)
            sockets.events[socket] = events == 0 ? nil : events
        }
        options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
        var mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB
        if isFrank {
            options.flags = ARES_FLAG_NOCHECKRESP | ARES_FLAG_NOSEARCH
            mask |= ARES_OPT_FLAGS
        }
        var made: ares_channel?
        guard ares_init_options(&made, &options, mask) == 0, let made else { return nil }
        handle = made
        if let servers, ares_set_servers_ports_csv(made, servers) != 0 { return nil }
    }

    // Nothing is under way any more: each look-up holds its channel.
    deinit { ares_destroy(handle) }

    /// `askAgain`: called in place of a failure that is not confirmed.
    func ask(_ lookUp: LookUp, askAgain: @escaping () -> Void) {
        var hints = ares_addrinfo_hints()
        hints.ai_family = isFrank ? AF_INET : AF_UNSPEC
        active += 1
        let question = Unmanaged.passRetained(Question(lookUp, self, askAgain: askAgain))
        ares_getaddrinfo(
            handle, lookUp.host, nil, &hints,
            { context, status, _, found in
                defer { ares_freeaddrinfo(found) }
                guard let context else { return }
                let question = Unmanaged<Question>.fromOpaque(context).takeRetainedValue()
                question.channel.active -= 1
                question.channel.answer(question.lookUp, status, found, question.askAgain)
            }, question.toOpaque())
    }

    private func answer(
        _ lookUp: LookUp, _ status: Int32, _ found: UnsafeMutablePointer<ares_addrinfo>?, _ askAgain: () -> Void
    ) {
        let outcome = aasa_ares_outcome_of(status)
        guard outcome == AASA_ARES_FOUND else {
            if !isFrank { return askAgain() }
            let words = ares_strerror(status).map { String(cString: $0) } ?? "error \(status)"
            let fault = LookUpFault(kind: Self.kind(outcome), detail: words)
            return fault.kind == .noSuchName || fault.kind == .noAddress
                ? askAlias(lookUp, fault) : lookUp.finish(.failure(fault))
        }
        let addresses = Self.addresses(found)
        lookUp.finish(
            addresses.isEmpty
                ? .failure(LookUpFault(kind: .noAddress, detail: "the name has no address")) : .success(addresses))
    }

    /// One question more, where the name has no address: whether it is an alias, and of what. Its failure changes nothing.
    private func askAlias(_ lookUp: LookUp, _ fault: LookUpFault) {
        lookUp.known = fault
        active += 1
        let question = Unmanaged.passRetained(AliasQuestion(lookUp, self, fault))
        ares_query(
            handle, lookUp.host, 1, 1,
            { context, _, _, answer, length in
                guard let context else { return }
                let question = Unmanaged<AliasQuestion>.fromOpaque(context).takeRetainedValue()
                question.channel.active -= 1
                let bytes = answer.map { Array(UnsafeBufferPointer(start: $0, count: max(0, Int(length)))) } ?? []
                let fault = question.fault
                question.lookUp.finish(
                    .failure(
                        LookUpFault(kind: fault.kind, detail: fault.detail, alias: AliasRecords.target(in: bytes))))
            }, question.toOpaque())
    }

    private static func kind(_ outcome: aasa_ares_outcome) -> LookUpFault.Kind {
        switch outcome {
        case AASA_ARES_NO_SUCH_NAME: .noSuchName
        case AASA_ARES_NO_ADDRESS: .noAddress
        case AASA_ARES_SERVER_FAILURE: .serverFailure
        case AASA_ARES_NO_SERVER: .noServer
        default: .own
        }
    }

    private static func addresses(_ found: UnsafeMutablePointer<ares_addrinfo>?) -> [String] {
        var addresses: [String] = []
        var next = found?.pointee.nodes
        while let node = next?.pointee {
            next = node.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    node.ai_addr, node.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }

    // MARK: - For the loop

    /// Until c-ares wants to look at its clock.
    var millisecondsLeft: Int? {
        var left = timeval()
        guard ares_timeout(handle, nil, &left) != nil else { return nil }
        return left.tv_sec * 1000 + Int(left.tv_usec) / 1000 + 1
    }

    func process(_ socket: ares_socket_t, _ events: Int16) {
        let isReady = events & ~Int16(POLLOUT) != 0
        ares_process_fd(handle, isReady ? socket : -1, events & Int16(POLLOUT) != 0 ? socket : -1)
    }

    func processTimeouts() { ares_process_fd(handle, -1, -1) }
}
