// The raw bytes of one connection. Confined to its channel's event loop.

import NIOCore

package final class LabWire {
    package let context: ChannelHandlerContext
    /// Nothing more may be written.
    package private(set) var isStopped = false

    init(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Ends writes that go on; the channel is left as it is.
    package func stop() {
        isStopped = true
    }

    /// Runs `then` once the bytes are with the operating system; never where the connection fails first.
    package func write(_ bytes: some Sequence<UInt8>, then: @escaping () -> Void) {
        guard !isStopped else { return }
        let written = context.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: bytes)))
        written.assumeIsolated().whenSuccess { [self] in
            if !isStopped { then() }
        }
    }

    /// An orderly close: TLS's close_notify where there is TLS, then TCP's.
    package func close() {
        context.close(promise: nil)
    }
}

extension Channel {
    /// Closes this connection at once, without TLS's close_notify. On its event loop only.
    package func abortNow() {
        if let tls = try? pipeline.syncOperations.context(handlerType: LabTLSHandler.self) {
            tls.close(promise: nil)
        } else {
            close(promise: nil)
        }
    }
}
