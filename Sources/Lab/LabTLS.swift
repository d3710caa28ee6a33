// TLS for the lab's servers with the system's OpenSSL. The handler is between TCP and HTTP: OpenSSL reads and writes
// two buffers in memory, and NIO transfers their bytes. Confined to its channel's event loop.

import COpenSSL
import NIOCore

/// An error of OpenSSL, with its reasons.
package struct LabTLSError: Error, CustomStringConvertible {
    package let description: String

    /// Takes the reasons from OpenSSL's error queue of this thread.
    init(_ what: String) {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            reasons.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        description = "OpenSSL refused \(what): \(reasons.isEmpty ? "no reason" : reasons.joined(separator: "; "))"
    }

    package static func unlessOne(_ what: String, _ result: Int32) throws(LabTLSError) {
        guard result == 1 else { throw LabTLSError(what) }
    }

    static func unlessNull<Pointer>(_ what: String, _ pointer: Pointer?) throws(LabTLSError) -> Pointer {
        guard let pointer else { throw LabTLSError(what) }
        return pointer
    }
}

/// A server's certificate, key and versions: OpenSSL's SSL_CTX.
final class LabTLSContext: @unchecked Sendable {
    // Sendable: set up in init and never changed; any thread may call SSL_new on it.
    fileprivate let pointer: OpaquePointer

    /// Offers TLS 1.2 and 1.3 unless `adjust` changes that. Without ALPN, clients use HTTP/1.1.
    init(_ identity: LabIdentity, _ adjust: LabHandshake.Adjustment?) throws(LabTLSError) {
        pointer = try LabTLSError.unlessNull("a context", SSL_CTX_new(TLS_server_method()))
        // If this throws, deinit runs, because everything is initialized.
        try setUp(identity)
        try adjust?(pointer)
    }

    deinit { SSL_CTX_free(pointer) }

    private func setUp(_ identity: LabIdentity) throws(LabTLSError) {
        try LabTLSError.unlessOne(
            "TLS versions", aasa_openssl_set_versions(pointer, TLS1_2_VERSION, TLS1_3_VERSION))
        for (index, der) in identity.certificates.enumerated() {
            let certificate = try LabIssuer.certificate(der)
            if index == 0 {
                defer { X509_free(certificate) }
                try LabTLSError.unlessOne("a certificate", SSL_CTX_use_certificate(pointer, certificate))
            } else if aasa_openssl_add_chain_certificate(pointer, certificate) != 1 {
                X509_free(certificate)
                throw LabTLSError("a certificate of the chain")
            }
        }
        let key = try LabIssuer.privateKey(identity.key)
        defer { EVP_PKEY_free(key) }
        try LabTLSError.unlessOne("the key", SSL_CTX_use_PrivateKey(pointer, key))
    }
}

/// One connection's TLS. On close it sends TLS's close_notify, and then closes TCP.
final class LabTLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The maximum wait for a client that does not answer close_notify.
    private static let closeLimit = TimeAmount.seconds(1)

    private let session: OpaquePointer
    /// The bytes from the client, and the bytes to it. The session owns both.
    private let received: OpaquePointer
    private let sending: OpaquePointer
    private var isClosing = false
    private var closeTimer: Scheduled<Void>?

    init(_ context: LabTLSContext) throws(LabTLSError) {
        session = try LabTLSError.unlessNull("a session", SSL_new(context.pointer))
        guard let received = BIO_new(BIO_s_mem()) else {
            SSL_free(session)
            throw LabTLSError("a buffer")
        }
        guard let sending = BIO_new(BIO_s_mem()) else {
            BIO_free(received)
            SSL_free(session)
            throw LabTLSError("a buffer")
        }
        (self.received, self.sending) = (received, sending)
        SSL_set_bio(session, received, sending)
        SSL_set_accept_state(session)
    }

    deinit { SSL_free(session) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            _ = BIO_write(received, bytes.baseAddress, Int32(bytes.count))
        }
        read(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        closeTimer?.cancel()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let buffer = unwrapOutboundIn(data)
        guard buffer.readableBytes > 0 else { return context.write(data, promise: promise) }
        ERR_clear_error()
        let isTaken = buffer.withUnsafeReadableBytes { bytes in
            // The memory buffer accepts everything at once.
            SSL_write(session, bytes.baseAddress, Int32(bytes.count)) == Int32(bytes.count)
        }
        guard isTaken else {
            promise?.fail(LabTLSError("to write"))
            // Otherwise the client waits for the rest.
            if !isClosing { context.close(promise: nil) }
            return
        }
        context.write(wrapOutboundOut(drain(context)), promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // The listener waits for channels to close. Nothing here is half-closed, so this promise can wait too.
        context.channel.closeFuture.cascade(to: promise)
        beginClose(context)
    }

    /// Decrypts the received bytes, and answers handshake messages.
    private func read(_ context: ChannelHandlerContext) {
        var plain = context.channel.allocator.buffer(capacity: 4096)
        var result: Int32 = 0
        ERR_clear_error()
        repeat {
            plain.writeWithUnsafeMutableBytes(minimumWritableBytes: 4096) { space in
                result = SSL_read(session, space.baseAddress, Int32(space.count))
                return max(0, Int(result))
            }
        } while result > 0
        let reason = SSL_get_error(session, result)
        flush(context)
        if plain.readableBytes > 0, !isClosing { context.fireChannelRead(wrapInboundOut(plain)) }
        switch reason {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_ZERO_RETURN:
            // The client's close_notify: a reply to ours, or the first one.
            isClosing ? context.close(promise: nil) : beginClose(context)
        default:
            let error = LabTLSError("to read")
            if isClosing { context.close(promise: nil) } else { context.fireErrorCaught(error) }
        }
    }

    private func beginClose(_ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        ERR_clear_error()
        // 1: the client has sent close_notify too. Negative: there was no handshake, so there is nothing to close.
        let result = SSL_shutdown(session)
        flush(context)
        guard result == 0 else { return context.close(promise: nil) }
        closeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeLimit) {
            context.close(promise: nil)
        }
    }

    private func flush(_ context: ChannelHandlerContext) {
        let bytes = drain(context)
        if bytes.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
    }

    private func drain(_ context: ChannelHandlerContext) -> ByteBuffer {
        let count = BIO_ctrl_pending(sending)
        var bytes = context.channel.allocator.buffer(capacity: count)
        guard count > 0 else { return bytes }
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            max(0, Int(BIO_read(sending, space.baseAddress, Int32(space.count))))
        }
        return bytes
    }
}
