// A client that sends exact bytes and shows the whole response.

import Foundation
import Glibc

/// One connection to 127.0.0.1. Its calls block, so they run on their own queue.
package final class RawClient: Sendable {
    package struct Failure: Error { let call: String, code: Int32 }

    private let socket: Int32
    private let queue = DispatchQueue(label: "raw-client")

    package init(port: Int) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failure(call: "socket", code: errno) }
        // Far longer than any response takes. It only ends a test that hangs.
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let outcome = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard outcome == 0 else {
            // `deinit` closes it: `deinit` runs after an error if all properties are set.
            throw Failure(call: "connect", code: errno)
        }
    }

    deinit { close(socket) }

    package func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure(call: "send", code: errno)
        }
    }

    /// Everything until the server closes the connection, or until `mark` arrives.
    package func receive(until mark: String? = nil) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [socket] in
                var all: [UInt8] = []
                var piece = [UInt8](repeating: 0, count: 65536)
                while true {
                    let count = recv(socket, &piece, piece.count, 0)
                    if count > 0 { all += piece[..<count] }
                    // `recv` with a time limit ends so when a stopped process continues.
                    if count < 0, errno == EINTR { continue }
                    let text = String(decoding: all, as: UTF8.self)
                    // A reset after the server's last byte counts as a normal end.
                    if count == 0 || (count < 0 && errno == ECONNRESET) || mark.map(text.contains) == true {
                        return continuation.resume(returning: text)
                    }
                    if count < 0 {
                        return continuation.resume(throwing: Failure(call: "recv", code: errno))
                    }
                }
            }
        }
    }
}

/// A parsed response.
package struct RawAnswer {
    package let status: Int
    /// By lower-case name.
    package let headers: [String: String]
    package let body: String

    package init(_ text: String) {
        let parts = text.components(separatedBy: "\r\n\r\n")
        let lines = parts[0].components(separatedBy: "\r\n")
        status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        self.headers = headers
        body = parts.dropFirst().joined(separator: "\r\n\r\n")
    }
}

/// One request on its own connection.
package func ask(
    _ port: Int, _ target: String, method: String = "GET", headers: [String] = []
) async throws -> RawAnswer {
    let client = try RawClient(port: port)
    let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost", "Connection: close"] + headers
    try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    return RawAnswer(try await client.receive())
}
