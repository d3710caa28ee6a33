// The thread that drives c-ares. It runs only while there are lookups.

import CCares
import DequeModule
import Facts
import Glibc
import Synchronization

/// Runs lookups on its own thread, a bounded number at a time.
final class ResolverLoop: Sendable {
    private struct Inbox {
        var waiting = Deque<LookUp>()
        var isRunning = false
    }

    /// Lookups that may wait. More than this means that the name servers are dead, and further lookups would not help.
    private static let maximumWaiting = 4096
    /// Lookups that run at once: name servers limit their answers.
    private static let maximumActive = 256
    /// Milliseconds. How late an expired or cancelled lookup may end.
    private static let maximumSleep = 100

    private let servers: String?
    private let inbox = Mutex(Inbox())
    /// Interrupts the thread's `poll`; negative if the system gives no descriptor.
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
            lookUp.finish(.failure(Failure(lookUp: .own, "too many name lookups are waiting")))
        case .wake: wake()
        case .start:
            do throws(CurlError) {
                _ = try DriverThread { [self] in run() }
            } catch {
                giveUp(Failure(lookUp: .own, error.failure.detail))
            }
        }
    }

    /// Fails all waiting lookups, because no thread could start. The next lookup tries again.
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

    /// The lookups to start now; nil if none waits and none runs, which ends the thread.
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

    /// Waits for sockets, for c-ares' next timeout, or for a wakeup.
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

/// A running lookup. c-ares finds the addresses. If there are none, it does not distinguish the four kinds of failure,
/// so each record type is queried separately.
private final class ActiveLookUp {
    private let lookUp: LookUp
    private let servers: String?
    /// Of this lookup only: the next lookup sees a changed `/etc/resolv.conf`, and queries that nobody waits for can be
    /// cancelled.
    private(set) var channels: [NameServerChannel] = []
    private var isExplaining = false
    /// The verdict while only its details are still being queried.
    private var known: LookUpResult?

    init(_ lookUp: LookUp, servers: String?) {
        self.lookUp = lookUp
        self.servers = servers
    }

    func begin() {
        guard let channel = channel(takesFailures: false) else { return }
        channel.findAddresses(of: lookUp.name) { [self] answer in
            switch answer.failure {
            case nil: lookUp.finish(.success(answer.addresses))
            // No /etc/hosts entry; name servers are not asked for localhost.
            case _ where lookUp.name == "localhost": lookUp.finish(.success(["127.0.0.1", "::1"]))
            // A name server gave a negative answer, perhaps after others failed.
            case .nameNotFound, .noAddress: explain(with: channel)
            default: explain(with: nil)
            }
        }
    }

    /// When little time is left, asks for IPv4 addresses alone: some servers never answer queries for IPv6 addresses.
    ///
    /// - Returns: whether the lookup still runs. After its end no channel has queries.
    func advance() -> Bool {
        lookUp.finishIfLate(with: known)
        guard lookUp.isWanted else {
            for channel in channels { channel.cancel() }
            return false
        }
        if lookUp.timeLeft < lookUp.timeout / 4 { explain(with: nil) }
        return true
    }

    /// A new channel. If there is none, the lookup fails.
    private func channel(takesFailures: Bool) -> NameServerChannel? {
        let patience = min(.seconds(2), lookUp.timeout / 4)
        guard let channel = NameServerChannel(servers: servers, patience: patience, takesFailures: takesFailures) else {
            lookUp.finish(.failure(Failure(lookUp: .own, "the name lookup could not be set up")))
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

    /// The IPv4 answer decides: some servers deny a name when asked for its IPv6 addresses (RFC 4074). `noAddress`
    /// needs both answers. `given`: nil for a new channel that distinguishes a failing server from an absent one.
    /// `first`: the IPv4 answer, if there is one.
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

    /// Reports the end of a chain of aliases. c-ares gives only the first target, so the last alias is queried.
    private func deny(_ kind: Failure.Kind, _ answer: NameServerAnswer, with channel: NameServerChannel) {
        func result(_ target: String?) -> LookUpResult {
            .failure(Failure(lookUp: kind, answer.words, alias: target))
        }
        let verdict = result(answer.firstTarget)
        guard lookUp.isWanted, answer.aliases.count > 1, let alias = answer.aliases.last else {
            return lookUp.finish(verdict)
        }
        known = verdict
        channel.ask(alias, .a) { [lookUp] in lookUp.finish($0.firstTarget.map(result) ?? verdict) }
    }
}
