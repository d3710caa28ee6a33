// The raw bytes of one connection: timed writes, writes without end that wait for the peer, resets. Confined to its
// channel's event loop.

import Foundation
import NIOCore

final class LabWire {
    private let context: ChannelHandlerContext
    private var timer: Scheduled<Void>?
    private var isStopped = false

    init(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Ends timers and endless writes; the channel is left as it is.
    func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    func after(_ delay: Duration, _ action: @escaping () -> Void) {
        guard delay > .zero else { return action() }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [self] in
            if !isStopped { action() }
        }
    }

    func soon(_ action: @escaping () -> Void) {
        context.eventLoop.assumeIsolated().execute { [self] in
            if !isStopped { action() }
        }
    }

    /// Runs `then` once the bytes are with the operating system; never where the connection fails first.
    func write(_ bytes: some Sequence<UInt8>, then: @escaping () -> Void = {}) {
        guard !isStopped else { return }
        let written = context.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: bytes)))
        written.assumeIsolated().whenSuccess { [self] in
            if !isStopped { then() }
        }
    }

    func write(_ text: String, then: @escaping () -> Void = {}) {
        write(text.utf8, then: then)
    }

    /// An orderly close: TLS's close_notify where there is TLS, then TCP's.
    func close() {
        context.close(promise: nil)
    }

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

    /// Closes this connection at once, without TLS's close_notify. On its event loop only.
    func abortNow() {
        if let tls = try? pipeline.syncOperations.context(handlerType: LabTLSHandler.self) {
            tls.close(promise: nil)
        } else {
            close(promise: nil)
        }
    }
}
