// Timed writes, writes without end that wait for the peer, resets.

import Glibc
import Lab
import NIOCore

extension LabWire {
    func after(_ delay: Duration, _ action: @escaping () -> Void) {
        guard delay > .zero else { return action() }
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [self] in
            if !isStopped { action() }
        }
    }

    func write(_ text: String, then: @escaping () -> Void) { write(text.utf8, then: then) }

    /// A TCP reset. Goes around TLS, whose close_notify would tell the client that all was well.
    func reset() {
        stop()
        context.channel.resetNow()
    }

    /// Writes `next` again and again, each time only when the one before has left: the peer's pace is kept, and no more
    /// than one piece is held.
    func writeForever(_ next: @escaping () -> [UInt8]) {
        write(next()) { [self] in
            // By a timer: the event loop runs its ready tasks until there are none before it looks at its sockets again, so
            // that a peer that reads faster than we write would starve every other connection.
            after(.milliseconds(1)) { [self] in writeForever(next) }
        }
    }

    /// Writes one byte each 200 ms: those of `bytes`, then those of `filler` over and over.
    func drip(_ bytes: [UInt8], then filler: [UInt8]) {
        let byte = bytes.first ?? filler.first ?? 0
        let rest = bytes.isEmpty ? Array(filler.dropFirst()) : Array(bytes.dropFirst())
        write([byte]) { [self] in
            after(.milliseconds(200)) { [self] in
                drip(rest.isEmpty ? filler : rest, then: filler)
            }
        }
    }
}

extension Channel {
    /// Closes this connection by a TCP reset, with no close_notify. On its event loop only.
    func resetNow() {
        if let provider = self as? any SocketOptionProvider {
            provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { [self] _ in abortNow() }
        } else {
            abortNow()
        }
    }
}
