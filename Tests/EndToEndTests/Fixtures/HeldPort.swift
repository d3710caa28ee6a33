// A port for a server that cannot choose one itself, or that restarts. A port that was free a moment ago may now belong
// to another test, and both tests would get each other's requests.

import Glibc

/// Bound but never listening: the system gives the port to nobody else and refuses connections. A server that sets
/// SO_REUSEADDR, as nearly all do, can still bind it. https://man7.org/linux/man-pages/man7/socket.7.html
final class HeldPort: Sendable {
    struct Unavailable: Error {
        let addresses: [String]
    }

    let number: Int
    private let sockets: [Int32]

    /// Holds one port at all these IPv4 and IPv6 loopback addresses until it is deallocated.
    init(at addresses: [String]) throws {
        // A port that is free at the first address may be in use at another.
        for _ in 0..<64 {
            var taken: [Int32] = []
            var port = 0
            for address in addresses {
                guard let bound = Self.bind(address, port, &taken) else { break }
                port = bound
            }
            if taken.count == addresses.count, port > 0 {
                number = port
                sockets = taken
                return
            }
            for socket in taken { close(socket) }
        }
        throw Unavailable(addresses: addresses)
    }

    deinit {
        for socket in sockets { close(socket) }
    }

    /// - Returns: the port, or nil if it is in use.
    private static func bind(_ address: String, _ port: Int, _ taken: inout [Int32]) -> Int? {
        let bound = Loopback.socket(for: address, port) { socket, name, length in
            var on: Int32 = 1
            let isShared = setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            return isShared == 0 ? Glibc.bind(socket, name, length) : isShared
        }
        guard let bound else { return nil }
        taken.append(bound)
        return boundPort(of: bound)
    }

    private static func boundPort(of socket: Int32) -> Int? {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &name) { bytes -> Int? in
            guard let start = bytes.baseAddress,
                getsockname(socket, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return nil }
            // Both families have the port at the same offset, in network byte order.
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}
