// One HTTP/1.1 connection of any lab server: reads requests, asks the site for a behavior, and performs it in raw
// bytes. Lives on its channel's event loop.

import Foundation
import NIOCore
import NIOHTTP1

/// Decides about a request. Runs on an event loop, so it must not block.
typealias LabSite = @Sendable (LabRequest, ByteBuffer) -> LabBehaviour

final class LabConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// A longer request body ends the connection.
    private static let bodyLimit = 1 << 20

    private let site: LabSite
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var wire: LabWire?

    init(site: @escaping LabSite) {
        self.site = site
    }

    func handlerAdded(context: ChannelHandlerContext) {
        wire = LabWire(context: context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        wire?.stop()
        wire = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        wire?.stop()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Bad TLS, bad HTTP, or a peer that has left: this connection cannot continue.
        wire?.stop()
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part):
            guard body.readableBytes + part.readableBytes <= Self.bodyLimit else {
                head = nil
                context.close(promise: nil)
                return
            }
            body.writeBuffer(&part)
        case .end:
            guard let head, let wire else { return }
            self.head = nil
            let request = LabRequest(
                method: head.method.rawValue, path: head.uri,
                headers: head.headers.map { (name: $0.name, value: $0.value) }, date: Date(),
                address: context.localAddress?.ipAddress ?? "")
            act(site(request, body), on: head, wire)
        }
    }

    private func act(_ behaviour: LabBehaviour, on head: HTTPRequestHead, _ wire: LabWire) {
        switch behaviour {
        case .reply(let reply):
            wire.write(reply.wireBytes(omitsBody: head.method == .HEAD, keepsAlive: head.isKeepAlive)) {
                if !head.isKeepAlive { wire.close() }
            }
        case .act(let act): act.perform(on: wire) { [self] in self.act($0, on: head, wire) }
        }
    }
}

extension LabReply {
    /// The response in the HTTP/1.1 wire format.
    package func wireBytes(omitsBody: Bool, keepsAlive: Bool) -> [UInt8] {
        let hasNoBody = status == 204 || status == 304 || (100..<200).contains(status)
        var lines = ["HTTP/1.1 \(status) \(Self.phrase(of: status))"]
        lines += headers.map { "\($0.name): \($0.value)" }
        let given = Set(headers.map { $0.name.lowercased() })
        if !hasNoBody && !given.contains("content-length") && !given.contains("transfer-encoding") {
            lines.append("Content-Length: \(body.count)")
        }
        if !given.contains("connection") { lines.append("Connection: \(keepsAlive ? "keep-alive" : "close")") }
        let head = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        return hasNoBody || omitsBody ? head : head + body
    }
}

package struct LabRequest: Sendable {
    package let method: String
    /// With the query, as in the request line.
    package let path: String
    /// In the order of arrival.
    package let headers: [(name: String, value: String)]
    package let date: Date
    /// The loopback address that the client connected to: it distinguishes the addresses of a host.
    package let address: String

    /// The first value of a header; names are case-insensitive.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Empty if the client sent none.
    package var userAgent: String { header("User-Agent") ?? "" }

    package var pathOnly: String { String(path.prefix { $0 != "?" }) }
}

/// The last requests of one server, at most ``limit``.
struct LabRequestLog {
    static let limit = 1000
    private(set) var requests: [LabRequest] = []

    mutating func append(_ request: LabRequest) {
        if requests.count >= Self.limit { requests.removeFirst() }
        requests.append(request)
    }
}
