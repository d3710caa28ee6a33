// The raw bytes of one connection. Confined to its channel's event loop.

import NIOCore

package final class LabWire {
    package let context: ChannelHandlerContext
    /// Nothing more may be written.
    package private(set) var isStopped = false

    init(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Stops repeated writes; does not close the channel.
    package func stop() {
        isStopped = true
    }

    /// Runs `then` once the bytes are passed to the operating system; never if the connection fails first.
    package func write(_ bytes: some Sequence<UInt8>, then: @escaping () -> Void) {
        guard !isStopped else { return }
        let written = context.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: bytes)))
        written.assumeIsolated().whenSuccess { [self] in
            if !isStopped { then() }
        }
    }

    /// Closes properly: TLS's close_notify if there is TLS, then TCP.
    package func close() {
        context.close(promise: nil)
    }
}

extension Channel {
    /// Closes this connection immediately, without TLS's close_notify. Only on its event loop.
    package func abortNow() {
        if let tls = try? pipeline.syncOperations.context(handlerType: LabTLSHandler.self) {
            tls.close(promise: nil)
        } else {
            close(promise: nil)
        }
    }
}
