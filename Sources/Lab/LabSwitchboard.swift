// Stands between TCP and TLS: reads the name in the client's hello, and gives the connection what that name's site wants:
// a certificate, or a fault of the handshake. Unknown names are refused as a server without such a site refuses them.

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
    private struct ContextKey: Hashable {
        let host: String
        let certificate: LabCertificate
        let isObsolete: Bool
    }

    private enum Alert: UInt8 {
        case handshakeFailure = 40
        case internalError = 80
        case unrecognizedName = 112
    }

    private static let contextLimit = 4096

    private let authority: LabAuthority
    /// By host and by the lab's own address that the client has connected to.
    private let lookUp: @Sendable (_ host: String, _ address: String) -> LabTenant?
    private let contexts = Mutex<[ContextKey: LabTLSContext]>([:])

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
                refuse(channel, .internalError)
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(reader))
    }

    private func admit(_ name: SNIResult, on channel: any Channel) throws {
        let address = channel.localAddress?.ipAddress ?? ""
        guard case .hostname(let host) = name, let tenant = lookUp(host.lowercased(), address) else {
            return refuse(channel, .unrecognizedName)
        }
        let pipeline = channel.pipeline.syncOperations
        switch tenant.handshake {
        case .normal, .obsoleteTLS:
            let context = try context(for: tenant)
            try pipeline.addHandler(LabTLSHandler(context))
            try pipeline.addHTTP(tenant.site)
        case .hang:
            try pipeline.addHandler(LabDeafEar())
        case .reset:
            channel.resetNow()
        case .close:
            channel.close(promise: nil)
        case .alert:
            refuse(channel, .handshakeFailure)
        case .unrecognizedName:
            refuse(channel, .unrecognizedName)
        case .plainText:
            try pipeline.addHandler(LabDeafEar())
            let text = "Client sent a TLS hello to a plain HTTP server.\n"
            let reply = LabReply(status: 400, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
            say(reply.wireBytes(omitsBody: false, keepsAlive: false), on: channel)
        }
    }

    private func refuse(_ channel: any Channel, _ alert: Alert) {
        try? channel.pipeline.syncOperations.addHandler(LabDeafEar())
        // A TLS 1.2 record of type alert, two bytes long: fatal, and which.
        say([21, 3, 3, 0, 2, 2, alert.rawValue], on: channel)
    }

    /// Writes before there is TLS, then closes.
    private func say(_ bytes: [UInt8], on channel: any Channel) {
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    private func context(for tenant: LabTenant) throws -> LabTLSContext {
        let key = ContextKey(
            host: tenant.host, certificate: tenant.certificate, isObsolete: tenant.handshake == .obsoleteTLS)
        return try contexts.withLock { contexts in
            if let known = contexts[key] { return known }
            let identity = try authority.identity(for: key.host, key.certificate, now: Date())
            let made = try LabTLSContext(identity, isObsolete: key.isObsolete)
            if contexts.count >= Self.contextLimit { contexts.removeAll() }
            contexts[key] = made
            return made
        }
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// The handlers that read HTTP/1.1 and answer as `site` says.
    func addHTTP(_ site: @escaping LabSite) throws {
        try addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
        try addHandler(LabConnection(site: site))
    }
}

/// Takes all that comes and keeps nothing of it, until the peer or the lab closes the connection.
private final class LabDeafEar: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
