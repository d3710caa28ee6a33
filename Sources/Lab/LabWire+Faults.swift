extension LabWire {
    private static let jsonHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    private static let hundredBytes = "{\"applinks\":{\"details\":[" + String(repeating: " ", count: 76)

    /// Does what a fault says; the connection is of no use afterwards.
    func perform(_ fault: LabFault) {
        switch fault {
        case .hang: break
        case .reset: reset()
        case .close: close()
        case .endlessHeaders: sendEndlessHeaders()
        case .endlessBody: sendEndlessBody()
        case .gzipBomb:
            let bomb = LabGzip.bomb
            let head = Self.jsonHead + "Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
            write(Array(head.utf8) + bomb)
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
