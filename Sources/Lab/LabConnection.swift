// One HTTP/1.1 connection of any lab server: reads requests, asks the site what to do, and does it in raw bytes. Lives on
// its channel's event loop. Requests are answered one at a time and in order, as HTTP/1.1 wants.

import Foundation
import NIOCore
import NIOHTTP1

/// Decides about a request; called on an event loop, so it must not block.
typealias LabSite = @Sendable (LabRequest, ByteBuffer) -> LabBehaviour

final class LabConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private struct Pending {
        let request: LabRequest
        let body: ByteBuffer
        let keepsAlive: Bool
    }

    /// A longer request body ends the connection.
    private static let bodyLimit = 1 << 20
    /// So many requests may wait behind the one that is being answered.
    private static let waitingLimit = 32

    private let site: LabSite
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var waiting: [Pending] = []
    private var isAnswering = false
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
        waiting.removeAll()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Bad TLS, bad HTTP, or a peer that went away: nothing more can be said on this connection.
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
            guard let head else { return }
            self.head = nil
            guard waiting.count < Self.waitingLimit else {
                context.close(promise: nil)
                return
            }
            let request = LabRequest(
                method: head.method.rawValue, path: head.uri,
                headers: head.headers.map { (name: $0.name, value: $0.value) }, date: Date(),
                address: context.localAddress?.ipAddress ?? "")
            waiting.append(Pending(request: request, body: body, keepsAlive: head.isKeepAlive))
            answerNext()
        }
    }

    private func answerNext() {
        guard !isAnswering, !waiting.isEmpty, let wire else { return }
        isAnswering = true
        let next = waiting.removeFirst()
        act(site(next.request, next.body), on: next, wire)
    }

    private func act(_ behaviour: LabBehaviour, on next: Pending, _ wire: LabWire) {
        let omitsBody = next.request.method == "HEAD"
        switch behaviour {
        case .reply(let reply):
            wire.after(reply.delay) { [self] in
                send(reply, omitsBody: omitsBody, keepsAlive: next.keepsAlive)
            }
        case .redirect(let status, let location):
            let reply = LabReply(status: status, headers: [("Location", location)])
            send(reply, omitsBody: omitsBody, keepsAlive: next.keepsAlive)
        case .maze(let status):
            let reply = LabReply(status: status, headers: [("Location", "/maze/\(UUID().uuidString)")])
            send(reply, omitsBody: omitsBody, keepsAlive: next.keepsAlive)
        case .after(let delay, let behaviour):
            wire.after(delay) { [self] in act(behaviour, on: next, wire) }
        case .fault(let fault):
            // A fault never goes back to answering: the connection is of no further use.
            wire.perform(fault)
        }
    }

    private func send(_ reply: LabReply, omitsBody: Bool, keepsAlive: Bool) {
        guard let wire else { return }
        let bytes = reply.wireBytes(omitsBody: omitsBody, keepsAlive: keepsAlive)
        wire.write(bytes) { [self] in
            guard keepsAlive else { return wire.close() }
            isAnswering = false
            // Through the loop: answers that are sent at once would nest as deep as the client pipelines.
            wire.soon { [self] in answerNext() }
        }
    }
}

extension LabReply {
    /// The answer as HTTP/1.1.
    func wireBytes(omitsBody: Bool, keepsAlive: Bool) -> [UInt8] {
        let hasNoBody = status == 204 || status == 304 || (100..<200).contains(status)
        let content = gzip ? LabGzip.stored(body) : body
        var lines = ["HTTP/1.1 \(status) \(Self.phrase(of: status))"]
        lines += headers.map { "\($0.name): \($0.value)" }
        let given = Set(headers.map { $0.name.lowercased() })
        if gzip { lines.append("Content-Encoding: gzip") }
        if !hasNoBody && !given.contains("content-length") && !given.contains("transfer-encoding") {
            lines.append("Content-Length: \(content.count)")
        }
        if !given.contains("connection") { lines.append("Connection: \(keepsAlive ? "keep-alive" : "close")") }
        let head = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        return hasNoBody || omitsBody ? head : head + content
    }
}

/// One request as it arrived.
package struct LabRequest: Sendable {
    package let method: String
    /// With the query, as on the request line.
    package let path: String
    /// In the order of arrival.
    package let headers: [(name: String, value: String)]
    package let date: Date
    /// The loopback address that the client had connected to: tells apart the addresses of a host.
    package let address: String

    /// The first value of a header, whatever the case of its name.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Empty where the client sent none.
    package var userAgent: String { header("User-Agent") ?? "" }

    /// The path without its query.
    package var pathOnly: String { String(path.prefix { $0 != "?" }) }
}

/// The last requests of one server, at most ``limit`` of them.
struct LabRequestLog {
    static let limit = 1000
    private(set) var requests: [LabRequest] = []

    mutating func append(_ request: LabRequest) {
        if requests.count >= Self.limit { requests.removeFirst() }
        requests.append(request)
    }
}
