// One connection through the lab's proxy: reads the request, connects, then copies bytes in both directions. Confined
// to its channel's event loop; its outgoing connection uses the same loop.

import NIOCore
import NIOPosix

final class LabTunnel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case greeting
        /// SOCKS5, after the method was agreed.
        case socksRequest
        case connecting
        case open(any Channel)
        case closed
    }

    /// Longer headers are not a valid request.
    private static let headLimit = 16_384

    private let route: (_ target: String) -> (address: String, port: Int)
    private var state = State.greeting
    private var received = ByteBuffer()

    init(route: @escaping (_ target: String) -> (address: String, port: Int)) {
        self.route = route
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if case .open(let peer) = state {
            peer.writeAndFlush(bytes, promise: nil)
            return
        }
        received.writeBuffer(&bytes)
        guard received.readableBytes <= Self.headLimit else { return context.close(promise: nil) }
        advance(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .open(let peer) = state { peer.close(promise: nil) }
        state = .closed
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func advance(_ context: ChannelHandlerContext) {
        switch state {
        case .greeting:
            guard let first = received.getBytes(at: received.readerIndex, length: 1)?.first else { return }
            first == 5 ? greetSOCKS(context) : readCONNECT(context)
        case .socksRequest: readSOCKS(context)
        case .connecting, .open, .closed: break
        }
    }

    private func readCONNECT(_ context: ChannelHandlerContext) {
        let text = String(buffer: received)
        guard text.contains("\r\n\r\n") else { return }
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count == 3, words[0] == "CONNECT" else {
            say(Array("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n".utf8), context)
            return context.close(promise: nil)
        }
        connect(
            String(words[1]), context, success: Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8),
            failure: Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8))
    }

    /// RFC 1928: version, number of methods, methods. This proxy offers only "no authentication".
    private func greetSOCKS(_ context: ChannelHandlerContext) {
        guard let head = received.getBytes(at: received.readerIndex, length: 2),
            received.readableBytes >= 2 + Int(head[1])
        else { return }
        received.moveReaderIndex(forwardBy: 2 + Int(head[1]))
        state = .socksRequest
        say([5, 0], context)
        advance(context)
    }

    /// RFC 1928: version, command, 0, address type, address, port.
    private func readSOCKS(_ context: ChannelHandlerContext) {
        let bytes = Array(received.readableBytesView)
        guard bytes.count >= 5 else { return }
        let length =
            switch bytes[3] {
            case 1: 4
            case 4: 16
            default: 1 + Int(bytes[4])
            }
        guard bytes.count >= 4 + length + 2 else { return }
        let address = bytes[4..<(4 + length)]
        let name =
            bytes[3] == 3
            ? String(decoding: address.dropFirst(), as: UTF8.self) : address.map(String.init).joined(separator: ".")
        let port = Int(bytes[4 + length]) << 8 | Int(bytes[5 + length])
        let tail: [UInt8] = [0, 1, 0, 0, 0, 0, 0, 0]
        guard bytes[1] == 1 else {
            say([5, 7] + tail, context)
            return context.close(promise: nil)
        }
        connect("\(name):\(port)", context, success: [5, 0] + tail, failure: [5, 5] + tail)
    }

    private func connect(_ target: String, _ context: ChannelHandlerContext, success: [UInt8], failure: [UInt8]) {
        state = .connecting
        received.clear()
        let (address, port) = route(target)
        let client = context.channel
        let peer = ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LabTunnelEnd(client: client))
                }
            }
            .connect(host: address, port: port)
        peer.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let channel):
                if case .closed = state { return channel.close(promise: nil) }
                state = .open(channel)
                say(success, context)
                // Bytes that the client sent before our answer.
                if received.readableBytes > 0 { channel.writeAndFlush(received, promise: nil) }
            case .failure:
                say(failure, context)
                context.close(promise: nil)
            }
        }
    }

    private func say(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }
}

/// The other end of a tunnel: passes received bytes and the end of the connection to the client.
private final class LabTunnelEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(client: any Channel) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
