// Broken and hostile servers: what they send, and how Apple's crawler reacts.

import Lab

extension LabBehaviour {
    package static func fault(_ fault: LabFault) -> LabBehaviour { .act(fault) }
}

/// What a broken or hostile server does after reading a request. Each fault really happens on the wire.
package enum LabFault: String, Sendable, CaseIterable {
    /// Reads the request and never answers.
    case hang
    /// A TCP reset after reading the request.
    case reset
    /// A normal close without an answer.
    case close
    /// A status line, then endless header lines.
    case endlessHeaders
    /// Valid headers without a length, then an endless body.
    case endlessBody
    /// A body of about 100 KB, declared as gzip, that decompresses to ``LabGzip/bombInflatedSize`` bytes.
    case gzipBomb
    /// Valid headers, then one byte of the body every 200 ms, forever.
    case slowDrip
    /// One byte of a status line every 200 ms, forever.
    case slowHeaders
    /// A status line immediately, then one byte of header lines every 200 ms, forever.
    case headerDrip
    /// A status line and half a header line, then a normal close.
    case shortHead
    /// `Content-Length: 1000`, 100 bytes of the body, then a TCP reset.
    case resetMidBody
    /// `Content-Length: 1000`, 100 bytes of the body, then a normal close.
    case shortBody
    /// `Content-Length: 20`, and a longer file.
    case longBody
    /// A chunked body with a normal close in the middle of a chunk.
    case truncatedChunk
    /// A status line whose status is not a number.
    case malformedStatusLine
    /// Another protocol's banner instead of HTTP.
    case notHTTP
    /// `Content-Encoding: gzip` on bytes that are not gzip.
    case badGzip
}

extension LabFault: LabAct {
    /// Never calls `goOn`: the connection cannot be used again.
    package func perform(on wire: LabWire, goOn: @escaping (LabBehaviour) -> Void) { wire.perform(self) }

    package func outcome(for crawler: LabCrawler, from urls: [String]) -> LabCrawler.Outcome {
        switch self {
        case .hang, .slowHeaders, .headerDrip: .failure(.timeout)
        case .slowDrip, .endlessBody:
            .failure(
                .timeout("context deadline exceeded (Client.Timeout or context cancellation while reading body)"))
        case .reset, .resetMidBody: .failure(.broken("read tcp: read: connection reset by peer"))
        case .close: .failure(.broken("EOF"))
        case .shortBody, .truncatedChunk, .shortHead: .failure(.broken("unexpected EOF"))
        case .longBody, .gzipBomb: .failure(.badJSON)
        case .endlessHeaders:
            .failure(.broken("net/http: server response headers exceeded 10485760 bytes; aborted"))
        case .malformedStatusLine: .failure(.broken("malformed HTTP status code \"banana\""))
        case .notHTTP: .failure(.broken("malformed HTTP response \"SSH-2.0-OpenSSH_9.2p1 Debian-2\""))
        case .badGzip: .failure(.broken("gzip: invalid header"))
        }
    }
}

extension LabWire {
    private static let jsonHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    private static let hundredBytes = "{\"applinks\":{\"details\":[" + String(repeating: " ", count: 76)

    /// Performs the fault; the connection cannot be used afterwards.
    fileprivate func perform(_ fault: LabFault) {
        switch fault {
        case .hang: break
        case .reset: reset()
        case .close: close()
        case .endlessHeaders: sendEndlessHeaders()
        case .endlessBody: sendEndlessBody()
        case .gzipBomb:
            let bomb = LabGzip.bomb
            let head = Self.jsonHead + "Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
            write(Array(head.utf8) + bomb) {}
        case .slowDrip:
            write(Self.jsonHead + "Connection: close\r\n\r\n") { [self] in
                drip(Array("{\"applinks\":".utf8), then: [0x20])
            }
        case .slowHeaders: drip(Array("HTTP/1.1 200 ".utf8), then: [0x20])
        case .headerDrip:
            write(Self.jsonHead) { [self] in drip([], then: Array("X-Slow: lab\r\n".utf8)) }
        case .shortHead: writeAndClose(Self.jsonHead + "X-Half: a li")
        case .resetMidBody: sendShortBody { [self] in reset() }
        case .shortBody: sendShortBody { [self] in close() }
        case .longBody:
            writeAndClose(Self.jsonHead + "Content-Length: 20\r\n\r\n{\"applinks\":{\"details\":[]}}")
        case .truncatedChunk:
            writeAndClose(Self.jsonHead + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + Self.hundredBytes)
        case .malformedStatusLine: writeAndClose("HTTP/1.1 banana\r\nContent-Length: 0\r\n\r\n")
        case .notHTTP: writeAndClose("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
        case .badGzip:
            let body = "{\"applinks\":{\"details\":[]}}"
            writeAndClose(
                Self.jsonHead + "Content-Encoding: gzip\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
        }
    }

    private func writeAndClose(_ text: String) {
        write(text) { [self] in close() }
    }

    private func sendShortBody(then: @escaping () -> Void) {
        write(Self.jsonHead + "Content-Length: 1000\r\n\r\n" + Self.hundredBytes, then: then)
    }

    private func sendEndlessHeaders() {
        write("HTTP/1.1 200 OK\r\n") { [self] in
            var count = 0
            writeForever {
                let lines = (0..<16).map { "X-Endless-\(count + $0): \(String(repeating: "a", count: 1000))\r\n" }
                count += lines.count
                return Array(lines.joined().utf8)
            }
        }
    }

    private func sendEndlessBody() {
        write(Self.jsonHead + "Connection: close\r\n\r\n{\"applinks\":\"") { [self] in
            let piece = [UInt8](repeating: 0x61, count: 65_536)
            writeForever { piece }
        }
    }
}
