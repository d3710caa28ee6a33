// Between TCP and TLS: reads the server name in the ClientHello, and starts what that name's site requires: TLS with a
// certificate, or something else. Unknown names are refused like by a server without such a site.

import Foundation
import NIOCore
import NIOHTTP1
import NIOTLS
import Synchronization

/// The settings of one name at the time of a connection.
struct LabTenant: Sendable {
    let host: String
    let certificate: LabCertificate
    let handshake: LabHandshake
    let site: LabSite
}

final class LabSwitchboard: Sendable {
    private static let contextLimit = 4096

    private let authority: LabAuthority
    /// By host, and by the lab's address that the client connected to.
    private let lookUp: @Sendable (_ host: String, _ address: String) -> LabTenant?
    private let contexts = Mutex<[String: LabTLSContext]>([:])

    init(authority: LabAuthority, lookUp: @escaping @Sendable (String, String) -> LabTenant?) {
        self.authority = authority
        self.lookUp = lookUp
    }

    /// Sets up a newly accepted connection. Call it on the connection's event loop.
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

/// What an origin does between the client's first TLS message, which names the host, and HTTP.
package struct LabHandshake: Sendable {
    /// Changes OpenSSL's `SSL_CTX` before its first use.
    package typealias Adjustment = @Sendable (OpaquePointer) throws(LabTLSError) -> Void

    /// Unique.
    package let name: String
    /// The result for Apple's crawler; nil: the handshake succeeds.
    let crawled: LabCDNFailure?
    let adjust: Adjustment?
    /// What the connection gets instead of TLS, on its event loop.
    let instead: (@Sendable (any Channel) throws -> Void)?

    package init(
        _ name: String, crawled: LabCDNFailure? = nil, instead: (@Sendable (any Channel) throws -> Void)? = nil,
        adjust: Adjustment? = nil
    ) {
        (self.name, self.crawled, self.adjust, self.instead) = (name, crawled, adjust, instead)
    }

    /// TLS 1.2 or 1.3 with the origin's certificate.
    package static let normal = LabHandshake("normal")
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds the handlers that read HTTP/1.1 and respond as `site` decides.
    func addHTTP(_ site: @escaping LabSite) throws {
        try addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
        try addHandler(LabConnection(site: site))
    }
}

extension Channel {
    /// Answers the ClientHello with a fatal alert, by its number in RFC 8446, section 6; then closes properly.
    package func refuse(alert: UInt8) throws {
        try pipeline.syncOperations.addHandler(LabDeafEar())
        // A TLS 1.2 alert record with two bytes: the level "fatal" and the description.
        sayAndClose([21, 3, 3, 0, 2, 2, alert])
    }

    /// Writes bytes before TLS starts, then closes.
    package func sayAndClose(_ bytes: [UInt8]) {
        writeAndFlush(allocator.buffer(bytes: bytes)).whenComplete { [self] _ in close(promise: nil) }
    }
}

/// Reads and discards everything, until the peer or the lab closes the connection.
package final class LabDeafEar: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
