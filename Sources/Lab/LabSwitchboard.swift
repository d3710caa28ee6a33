// Stands between TCP and TLS: reads the name in the client's hello, and gives the connection what that name's site wants:
// a certificate, or something else than TLS. Unknown names are refused as a server without such a site refuses them.

import Foundation
import NIOCore
import NIOHTTP1
import NIOTLS
import Synchronization

/// What one name stands for at the time a connection comes in.
struct LabTenant: Sendable {
    let host: String
    let certificate: LabCertificate
    let handshake: LabHandshake
    let site: LabSite
}

final class LabSwitchboard: Sendable {
    private static let contextLimit = 4096

    private let authority: LabAuthority
    /// By host and by the lab's own address that the client has connected to.
    private let lookUp: @Sendable (_ host: String, _ address: String) -> LabTenant?
    private let contexts = Mutex<[String: LabTLSContext]>([:])

    init(authority: LabAuthority, lookUp: @escaping @Sendable (String, String) -> LabTenant?) {
        self.authority = authority
        self.lookUp = lookUp
    }

    /// Sets up a connection that was just accepted. On its event loop.
    func configure(_ channel: any Channel) throws {
        let reader = SNIHandler { [self] result in
            do {
                try admit(result, on: channel)
            } catch {
                try? channel.refuse(alert: 80)  // internal_error
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(reader))
    }

    private func admit(_ name: SNIResult, on channel: any Channel) throws {
        let address = channel.localAddress?.ipAddress ?? ""
        guard case .hostname(let host) = name, let tenant = lookUp(host.lowercased(), address) else {
            return try channel.refuse(alert: 112)  // unrecognized_name
        }
        if let instead = tenant.handshake.instead { return try instead(channel) }
        try channel.pipeline.syncOperations.addHandler(LabTLSHandler(context(for: tenant)))
        try channel.pipeline.syncOperations.addHTTP(tenant.site)
    }

    private func context(for tenant: LabTenant) throws -> LabTLSContext {
        let key = "\(tenant.host) \(tenant.certificate.name) \(tenant.handshake.name)"
        return try contexts.withLock { contexts in
            if let known = contexts[key] { return known }
            let identity = try authority.identity(for: tenant.host, tenant.certificate, now: Date())
            let made = try LabTLSContext(identity, tenant.handshake.adjust)
            if contexts.count >= Self.contextLimit { contexts.removeAll() }
            contexts[key] = made
            return made
        }
    }
}

/// What an origin does with a connection between the client's first TLS message, whose name tells it apart, and HTTP.
package struct LabHandshake: Sendable {
    /// Changes a context of OpenSSL, `SSL_CTX`, before its first use.
    package typealias Adjustment = @Sendable (OpaquePointer) throws(LabTLSError) -> Void

    /// Tells it from the others.
    package let name: String
    /// What Apple's crawler meets; nil where it comes through.
    let crawled: LabCDNFailure?
    let adjust: Adjustment?
    /// What the connection gets in place of TLS, on its event loop.
    let instead: (@Sendable (any Channel) throws -> Void)?

    package init(
        _ name: String, crawled: LabCDNFailure? = nil, instead: (@Sendable (any Channel) throws -> Void)? = nil,
        adjust: Adjustment? = nil
    ) {
        (self.name, self.crawled, self.adjust, self.instead) = (name, crawled, adjust, instead)
    }

    /// Speaks TLS 1.2 or 1.3 with the origin's certificate.
    package static let normal = LabHandshake("normal")
}

extension ChannelPipeline.SynchronousOperations {
    /// The handlers that read HTTP/1.1 and answer as `site` says.
    func addHTTP(_ site: @escaping LabSite) throws {
        try addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
        try addHandler(LabConnection(site: site))
    }
}

extension Channel {
    /// A fatal alert in answer to the client's hello, by its number in RFC 8446, section 6; then an orderly close.
    package func refuse(alert: UInt8) throws {
        try pipeline.syncOperations.addHandler(LabDeafEar())
        // A TLS 1.2 record of type alert, two bytes long: fatal, and which.
        sayAndClose([21, 3, 3, 0, 2, 2, alert])
    }

    /// Writes before there is TLS, then closes.
    package func sayAndClose(_ bytes: [UInt8]) {
        writeAndFlush(allocator.buffer(bytes: bytes)).whenComplete { [self] _ in close(promise: nil) }
    }
}

/// Takes all that comes and keeps nothing of it, until the peer or the lab closes the connection.
package final class LabDeafEar: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
