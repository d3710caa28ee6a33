// The thread that drives c-ares. It runs while something is looked up, and ends when nothing is.

import CCares
import DequeModule
import Facts
import Glibc
import Synchronization

/// Hands look-ups to a thread of its own, a bounded number at a time.
final class ResolverLoop: Sendable {
    private struct Inbox {
        var waiting = Deque<LookUp>()
        var isRunning = false
    }

    /// Look-ups that may wait. Beyond them the name servers are dead, and more of the same helps nobody.
    private static let maximumWaiting = 4096
    /// Look-ups under way at once: name servers limit how much they answer.
    private static let maximumActive = 256
    /// How late a look-up may end whose time is over or that nobody waits for any more.
    private static let maximumSleep = 100

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
        var active: [ActiveLookUp] = []
        while let lookUps = next(active: active.count) {
            for lookUp in lookUps {
                let begun = ActiveLookUp(lookUp, servers: servers)
                begun.begin()
                active.append(begun)
            }
            active.removeAll { !$0.advance() }
            if !active.isEmpty { waitAndProcess(active.flatMap(\.channels)) }
        }
    }

    /// What may begin now; nil where nothing waits and nothing is under way: the thread ends.
    private func next(active: Int) -> [LookUp]? {
        inbox.withLock { inbox in
            for lookUp in inbox.waiting { lookUp.finishIfLate() }
            inbox.waiting.removeAll { !$0.isWanted }
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

    /// Waits for sockets, for the next time limit of c-ares, or for a wake-up.
    private func waitAndProcess(_ channels: [NameServerChannel]) {
        var polled = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
        var owners: [NameServerChannel] = []
        for channel in channels {
            for socket in channel.sockets {
                polled.append(socket)
                owners.append(channel)
            }
        }
        let timeout = min(channels.compactMap(\.millisecondsLeft).min() ?? Self.maximumSleep, Self.maximumSleep)
        poll(&polled, nfds_t(polled.count), Int32(timeout))
        if polled[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(wakeUp, &count, MemoryLayout.size(ofValue: count))
        }
        for (socket, channel) in zip(polled.dropFirst(), owners) where socket.revents != 0 { channel.process(socket) }
        for channel in channels { channel.processTimeouts() }
    }
}

/// A look-up under way. c-ares finds addresses by itself; where it finds none it does not tell the four outcomes apart, and
/// each type of record is asked for by itself.
private final class ActiveLookUp {
    private let lookUp: LookUp
    private let servers: String?
    /// Of this look-up alone: what changes in `/etc/resolv.conf` counts for the next one, and questions that nobody waits for any more
    /// are ended.
    private(set) var channels: [NameServerChannel] = []
    private var isExplaining = false

    init(_ lookUp: LookUp, servers: String?) {
        self.lookUp = lookUp
        self.servers = servers
    }

    func begin() {
        guard let channel = channel(takesFailures: false) else { return }
        channel.findAddresses(of: lookUp.name) { [self] answer in
            switch answer.failure {
            case nil: lookUp.finish(.success(answer.addresses))
            // There is no /etc/hosts, and no name server is asked for this machine.
            case _ where lookUp.name == "localhost": lookUp.finish(.success(["127.0.0.1", "::1"]))
            // A name server has denied something, perhaps after others that failed.
            case .nameNotFound, .noAddress: explain(with: channel)
            default: explain(with: nil)
            }
        }
    }

    /// Where c-ares still waits and little time is left, what is known of IPv4 has to do: some servers are silent when they are asked
    /// for IPv6 addresses.
    ///
    /// - Returns: whether it is still under way. After its end no channel has questions.
    func advance() -> Bool {
        lookUp.finishIfLate()
        guard lookUp.isWanted else {
            for channel in channels { channel.cancel() }
            return false
        }
        if lookUp.timeLeft < lookUp.timeout / 4 { explain(with: nil) }
        return true
    }

    /// A new one; where there is none the look-up is over.
    private func channel(takesFailures: Bool) -> NameServerChannel? {
        let patience = min(.seconds(2), lookUp.timeout / 4)
        guard let channel = NameServerChannel(servers: servers, patience: patience, takesFailures: takesFailures) else {
            lookUp.finish(.failure(Failure(lookUp: .own, "the name look-up could not be set up")))
            return nil
        }
        channels.append(channel)
        return channel
    }

    private func explain(with channel: NameServerChannel?) {
        guard lookUp.isWanted, !isExplaining else { return }
        isExplaining = true
        ask(.a, with: channel)
    }

    /// The IPv4 answer decides, since some servers deny a name when they are asked for IPv6 addresses (RFC 4074); that a name has no
    /// address takes both. `given`: nil for one that tells a server that failed from one that is not there. `first`: the answer about
    /// IPv4, where there is one.
    private func ask(_ type: RecordType, with given: NameServerChannel?, after first: NameServerAnswer? = nil) {
        guard lookUp.isWanted, let channel = given ?? channel(takesFailures: true) else { return }
        channel.ask(lookUp.name, type) { [self] answer in
            switch (answer.failure, first) {
            case (nil, _): lookUp.finish(.success(answer.addresses))
            case (.nameNotFound, nil): deny(.nameNotFound, answer, with: channel)
            case (.noAddress, nil): ask(.aaaa, with: channel, after: answer)
            case (.noAddress, let first?), (.nameNotFound, let first?): deny(.noAddress, first, with: channel)
            case _ where !channel.takesFailures: ask(type, with: nil, after: first)
            case (let failure?, _): lookUp.finish(.failure(Failure(lookUp: failure, answer.words)))
            }
        }
    }

    /// Tells the end of a chain of aliases: c-ares gives the first target alone, and so the last alias is asked for.
    private func deny(_ kind: Failure.Kind, _ answer: NameServerAnswer, with channel: NameServerChannel) {
        func finish(_ target: String?) {
            lookUp.finish(.failure(Failure(lookUp: kind, answer.words, alias: target)))
        }
        guard lookUp.isWanted, answer.aliases.count > 1, let alias = answer.aliases.last else {
            return finish(answer.firstTarget)
        }
        channel.ask(alias, .a) { finish($0.firstTarget ?? answer.firstTarget) }
    }
}
