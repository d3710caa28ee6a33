// The thread that drives c-ares. It runs while something is looked up, and ends when nothing is.

import CCares
import Facts
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
    private let hosts: Mutex<HostsFile>
    private let inbox = Mutex(Inbox())
    /// Interrupts the thread's `poll`; negative where the system gives no descriptor.
    private let wakeUp: Int32

    init(servers: String?, hosts: HostsFile) {
        self.servers = servers
        self.hosts = Mutex(hosts)
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
            lookUp.finish(.failure(Failure(lookUp: .own, "too many name look-ups are waiting")))
        case .wake: wake()
        case .start:
            do throws(CurlError) {
                _ = try DriverThread { [self] in run() }
            } catch {
                giveUp(Failure(lookUp: .own, error.failure.detail))
            }
        }
    }

    /// Without a thread nothing is looked up; the next look-up tries again.
    private func giveUp(_ fault: Failure) {
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
        let resolving = Resolving(servers: servers)
        while let lookUps = next(active: resolving.active) {
            for lookUp in lookUps where lookUp.isWanted {
                let known = hosts.withLock { $0.addresses(of: lookUp.host) }
                if known.isEmpty {
                    resolving.begin(lookUp)
                } else {
                    lookUp.finish(.success(AddressOrder.sorted(known)))
                }
            }
            if resolving.active > 0 { resolving.waitAndProcess(wakeUp: wakeUp) }
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

/// The look-ups of one run of the thread, and confined to it: what c-ares makes is not safe to share.
private final class Resolving {
    private let servers: String?
    private var usual: NameServers?
    /// Older ones with questions under way.
    private var old: [NameServers] = []
    /// Look-ups under way.
    private(set) var active = 0

    /// `/etc/resolv.conf` is read when the servers are set up. It may change while the monitor lives.
    private static let lifetime = Duration.seconds(30)

    init(servers: String?) { self.servers = servers }

    func begin(_ lookUp: LookUp) {
        guard let servers = fresh() else {
            return lookUp.finish(.failure(Failure(lookUp: .own, "the name look-up could not be set up")))
        }
        active += 1
        var outcomes: [RecordType: LookUpResult] = [:]
        for type in [RecordType.a, .aaaa] {
            servers.ask(lookUp.host, type) { [unowned self] outcome in
                outcomes[type] = outcome
                if outcomes.count == 2 {
                    lookUp.finish(Self.together(outcomes))
                    active -= 1
                } else if type == .a {
                    // Where time runs out before the other answer is in, this one counts.
                    lookUp.known = outcome.map(AddressOrder.sorted)
                }
            }
        }
    }

    /// Addresses of either family will do. Else the IPv4 answer decides, since some servers deny a name when they are asked for
    /// IPv6 addresses (RFC 4074); that a name has no address takes both.
    private static func together(_ outcomes: [RecordType: LookUpResult]) -> LookUpResult {
        let found = [RecordType.aaaa, .a].compactMap { try? outcomes[$0]?.get() }.flatMap(\.self)
        if !found.isEmpty { return .success(AddressOrder.sorted(found)) }
        guard case .failure(let four) = outcomes[.a], case .failure(let six) = outcomes[.aaaa] else {
            return .failure(Failure(lookUp: .noAddress, "the name has no address"))
        }
        return .failure(four.kind != .noAddress || six.hasNoAddress ? four : six)
    }

    /// nil where none can be set up.
    private func fresh() -> NameServers? {
        if let usual {
            guard usual.madeAt.duration(to: .now) > Self.lifetime else { return usual }
            if usual.isBusy { old.append(usual) }
        }
        usual = NameServers(servers)
        return usual
    }

    /// Waits for sockets, for the next time limit of c-ares, or for a wake-up.
    func waitAndProcess(wakeUp: Int32) {
        let channels = ([usual].compactMap(\.self) + old).flatMap(\.channels)
        var polled = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
        var owners: [NameServerChannel] = []
        for channel in channels {
            for (socket, events) in channel.sockets.events {
                polled.append(pollfd(fd: socket, events: events, revents: 0))
                owners.append(channel)
            }
        }
        let timeout = channels.filter(\.isBusy).compactMap(\.millisecondsLeft).min() ?? 1000
        poll(&polled, nfds_t(polled.count), Int32(timeout))
        if polled[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(wakeUp, &count, MemoryLayout.size(ofValue: count))
        }
        for (entry, channel) in zip(polled.dropFirst(), owners) where entry.revents != 0 {
            channel.process(entry.fd, entry.revents)
        }
        for channel in channels { channel.processTimeouts() }
        old.removeAll { !$0.isBusy }
    }
}

/// What is asked of a name; raw values are DNS' own.
private enum RecordType: Int32 { case a = 1, aaaa = 28 }

/// The name servers of this machine in their order. Which of them is asked next is decided here: c-ares goes on by itself as
/// well, yet then a server that failed and one that was silent are the same to it.
private final class NameServers {
    let channels: [NameServerChannel]
    let madeAt = ContinuousClock.now

    /// How often a server is asked that does not answer.
    private static let rounds = 3

    /// nil where memory ran out, or the configuration of this machine cannot be read.
    init?(_ servers: String?) {
        guard let first = NameServerChannel(servers) else { return nil }
        channels = first.oneForEachServer()
    }

    var isBusy: Bool { channels.contains(where: \.isBusy) }

    func ask(_ host: String, _ type: RecordType, _ answer: @escaping (LookUpResult) -> Void) {
        let turns = (0..<Self.rounds).flatMap { _ in channels.indices }
        ask(host, type, turns, otherwise: Failure(lookUp: .noNameServer, "there is no name server"), answer)
    }

    /// `turns`: servers by number, in the order in which they are asked; one that failed for good is not asked again. `failure`: the
    /// last one; that of a server that answered counts more than silence.
    private func ask(
        _ host: String, _ type: RecordType, _ turns: [Int], otherwise failure: Failure,
        _ answer: @escaping (LookUpResult) -> Void
    ) {
        guard let server = turns.first else { return answer(.failure(failure)) }
        channels[server].ask(host, type.rawValue) { [self] status, bytes in
            let outcome = aasa_ares_outcome_of(status)
            let words = ares_strerror(status).map { String(cString: $0) } ?? "error \(status)"
            let said = NameServerAnswer(bytes)
            func failed(_ kind: Failure.Kind) -> Failure { Failure(lookUp: kind, words, alias: said.alias) }
            let others = turns.dropFirst().filter { $0 != server }
            switch outcome {
            case AASA_ARES_FOUND where said.addresses.isEmpty:
                answer(.failure(Failure(lookUp: .noAddress, "the name has no address", alias: said.alias)))
            case AASA_ARES_FOUND: answer(.success(said.addresses))
            case AASA_ARES_NO_SUCH_NAME: answer(.failure(failed(.nameNotFound)))
            case AASA_ARES_NO_ADDRESS: answer(.failure(failed(.noAddress)))
            case AASA_ARES_SERVER_FAILURE: ask(host, type, others, otherwise: failed(.nameServerFailure), answer)
            case AASA_ARES_NO_SERVER, AASA_ARES_SILENCE:
                // Silence may be a lost packet; where nobody is, nobody will be in a moment.
                let left = outcome == AASA_ARES_NO_SERVER ? others : Array(turns.dropFirst())
                let last = failure.kind == .nameServerFailure ? failure : failed(.noNameServer)
                ask(host, type, left, otherwise: last, answer)
            default: answer(.failure(failed(.own)))
            }
        }
    }
}

/// A c-ares channel without search domains. https://c-ares.org/docs.html
private final class NameServerChannel {
    /// What c-ares wants to know of its sockets. An object of its own: c-ares still calls back while a channel is destroyed.
    final class Sockets {
        var events: [ares_socket_t: Int16] = [:]
    }

    /// What a callback is given. It keeps the channel while a question is under way.
    private final class Pending {
        let channel: NameServerChannel
        let answer: (Int32, [UInt8]) -> Void

        init(_ channel: NameServerChannel, _ answer: @escaping (Int32, [UInt8]) -> Void) {
            self.channel = channel
            self.answer = answer
        }
    }

    let sockets = Sockets()
    private var pending = 0
    private let handle: ares_channel

    /// For one question to one server.
    private static let milliseconds: Int32 = 2000

    /// With all the servers of `servers`, or of `/etc/resolv.conf`; nil where memory ran out or they cannot be read.
    init?(_ servers: String?) {
        var options = ares_options()
        options.timeout = Self.milliseconds
        options.tries = 1
        // A server's failure is an answer, and the name is asked for as it is: no search domains, no HOSTALIASES.
        options.flags = ARES_FLAG_NOCHECKRESP | ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES
        options.sock_state_cb = { data, socket, isRead, isWritten in
            guard let data else { return }
            let sockets = Unmanaged<Sockets>.fromOpaque(data).takeUnretainedValue()
            let events = (isRead != 0 ? Int16(POLLIN) : 0) | (isWritten != 0 ? Int16(POLLOUT) : 0)
            sockets.events[socket] = events == 0 ? nil : events
        }
        options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
        var made: ares_channel?
        let mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_FLAGS | ARES_OPT_SOCK_STATE_CB
        guard ares_init_options(&made, &options, mask) == 0, let made else { return nil }
        handle = made
        if let servers, ares_set_servers_ports_csv(made, servers) != 0 { return nil }
    }

    // Nothing is under way any more: each question holds its channel.
    deinit { ares_destroy(handle) }

    /// This one, if it has a single server, else one for each of its servers.
    func oneForEachServer() -> [NameServerChannel] {
        var list: UnsafeMutablePointer<ares_addr_port_node>?
        guard ares_get_servers_ports(handle, &list) == 0 else { return [self] }
        defer { ares_free_data(list) }
        var channels: [NameServerChannel] = []
        var next = list
        while var node = next?.pointee {
            next = node.next
            node.next = nil
            guard let channel = NameServerChannel(nil), ares_set_servers_ports(channel.handle, &node) == 0 else {
                return [self]
            }
            channels.append(channel)
        }
        return channels.count > 1 ? channels : [self]
    }

    /// `answer`: gets the status, and what the server sent.
    func ask(_ host: String, _ type: Int32, _ answer: @escaping (Int32, [UInt8]) -> Void) {
        pending += 1
        let context = Unmanaged.passRetained(Pending(self, answer)).toOpaque()
        ares_query(
            handle, host, 1, type,
            { context, status, _, bytes, length in
                guard let context else { return }
                let pending = Unmanaged<Pending>.fromOpaque(context).takeRetainedValue()
                pending.channel.pending -= 1
                pending.answer(
                    status, bytes.map { Array(UnsafeBufferPointer(start: $0, count: max(0, Int(length)))) } ?? [])
            }, context)
    }

    // MARK: - For the loop

    var isBusy: Bool { pending > 0 }

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
