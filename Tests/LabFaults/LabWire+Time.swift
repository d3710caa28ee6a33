// Timed writes, endless writes that wait for the peer, and resets.

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

    /// A TCP reset. Bypasses TLS, because a close_notify would look like a normal end to the client.
    func reset() {
        stop()
        context.channel.resetNow()
    }

    /// Writes `next` again and again, each time after the previous write has left. This follows the peer's speed and
    /// buffers only one piece.
    func writeForever(_ next: @escaping () -> [UInt8]) {
        write(next()) { [self] in
            // Uses a timer because the event loop runs all ready tasks before it handles its sockets. A peer that reads
            // faster than we write would block every other connection.
            after(.milliseconds(1)) { [self] in writeForever(next) }
        }
    }

    /// Writes one byte every 200 ms: those of `bytes`, then those of `filler` repeatedly.
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
    /// Closes this connection with a TCP reset, without close_notify. Only on its event loop.
    func resetNow() {
        if let provider = self as? any SocketOptionProvider {
            provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { [self] _ in abortNow() }
        } else {
            abortNow()
        }
    }
}
