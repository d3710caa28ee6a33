// Loopback addresses that do not answer, in different ways. Plain sockets, because NIO would accept and read.

import Glibc

/// A listening socket without a server. The caller chooses its port, so it can be another address of a lab's host.
package final class LabHole: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The kernel completes the TCP handshake; no byte is ever read or written.
        case halfOpen
        /// Connection attempts are dropped silently, as by a firewall.
        case dropping
    }

    package struct Unavailable: Error, CustomStringConvertible {
        let step: String
        let code: Int32
        package var description: String { "\(step): error \(code)" }
    }

    private let sockets: [Int32]

    /// Uses the address and port until ``close()``.
    /// - Throws: ``Unavailable`` if the address is not available.
    package init(_ kind: Kind, address: String, port: Int) throws {
        var taken: [Int32] = []
        do {
            let name = try SocketName(address, port)
            let listener = try Self.socket(name.family, &taken)
            var on: Int32 = 1
            setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            try Self.attempt("bind") { name.with { bind(listener, $0, $1) } }
            try Self.attempt("listen") { listen(listener, kind == .dropping ? 0 : 128) }
            // A full backlog: the kernel drops further connection attempts.
            if kind == .dropping {
                for _ in 0..<8 {
                    let filler = try Self.socket(name.family, &taken)
                    guard fcntl(filler, F_SETFL, O_NONBLOCK) == 0 else { continue }
                    _ = name.with { connect(filler, $0, $1) }
                }
            }
        } catch {
            for socket in taken { Glibc.close(socket) }
            throw error
        }
        sockets = taken
    }

    /// Retries while another lab or a connection uses the address and port: the lab's port was free at its own
    /// addresses, but may not be free here.
    /// - Throws: ``Unavailable`` if it stays in use for minutes.
    package static func taking(_ kind: Kind, address: String, port: Int) async throws -> LabHole {
        let deadline = ContinuousClock.now + .seconds(300)
        while true {
            do {
                return try LabHole(kind, address: address, port: port)
            } catch let fault as Unavailable where fault.code == EADDRINUSE && ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Releases the address. Call it once.
    package func close() {
        for socket in sockets { Glibc.close(socket) }
    }

    private static func socket(_ family: Int32, _ taken: inout [Int32]) throws -> Int32 {
        let made = Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard made >= 0 else { throw Unavailable(step: "socket", code: errno) }
        taken.append(made)
        return made
    }

    private static func attempt(_ step: String, _ body: () -> Int32) throws {
        guard body() == 0 else { throw Unavailable(step: step, code: errno) }
    }
}

/// An IP address and a port in the format of the socket calls.
private struct SocketName {
    private var storage = sockaddr_storage()
    private var length: socklen_t
    let family: Int32

    init(_ address: String, _ port: Int) throws {
        guard let port = UInt16(exactly: port) else { throw LabHole.Unavailable(step: "port", code: EINVAL) }
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        if inet_pton(AF_INET, address, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            family = AF_INET
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage) { room in withUnsafeBytes(of: v4) { room.copyMemory(from: $0) } }
        } else if inet_pton(AF_INET6, address, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            family = AF_INET6
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutableBytes(of: &storage) { room in withUnsafeBytes(of: v6) { room.copyMemory(from: $0) } }
        } else {
            throw LabHole.Unavailable(step: "address", code: EINVAL)
        }
    }

    func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
