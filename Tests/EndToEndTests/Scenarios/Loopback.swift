import Glibc
import Lab
import LabFaults

enum Loopback {
    /// Whether these addresses can be bound: containers often have no IPv6.
    static func has(_ addresses: [String]) -> Bool {
        addresses.allSatisfy { address in
            guard let hole = try? LabHole(.halfOpen, address: address, port: 0) else { return false }
            hole.close()
            return true
        }
    }

    /// Whether this IPv4 or IPv6 loopback address accepts a connection.
    static func listens(at address: String, _ port: Int) -> Bool {
        guard let socket = socket(for: address, port, connect) else { return false }
        close(socket)
        return true
    }

    /// A TCP socket for an IPv4 or IPv6 address after a successful `call`; nil if the call fails.
    static func socket(
        for address: String, _ port: Int, _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) -> Int32? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, "\(port)", &hints, &list) == 0, let info = list?.pointee else { return nil }
        defer { freeaddrinfo(list) }
        let socket = Glibc.socket(info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        guard call(socket, info.ai_addr, info.ai_addrlen) == 0 else {
            close(socket)
            return nil
        }
        return socket
    }
}
