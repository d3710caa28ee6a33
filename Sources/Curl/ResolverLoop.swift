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
