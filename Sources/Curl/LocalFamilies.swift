// Which address families this machine can speak to others in, as getaddrinfo's AI_ADDRCONFIG.

import CCurl
import Glibc

package struct LocalFamilies: Sendable {
    private let hasIPv4: Bool
    private let hasIPv6: Bool

    /// By the addresses of this machine at this moment.
    package static var now: LocalFamilies {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return LocalFamilies(hasIPv4: true, hasIPv6: true) }
        defer { freeifaddrs(list) }
        var families: Set<Int32> = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr else { continue }
            let family = Int32(address.pointee.sa_family)
            // The bytes of the address itself, in both forms of a socket address.
            let (start, count) = family == AF_INET ? (4, 4) : (8, 16)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + start, count: count)
            if IPAddress.scope(bytes: Array(bytes)) != .loopback { families.insert(family) }
        }
        return LocalFamilies(hasIPv4: families.contains(AF_INET), hasIPv6: families.contains(AF_INET6))
    }

    /// Those that this machine may reach; all where it has no address but its loopback's.
    package func reachable(_ addresses: [String]) -> [String] {
        guard hasIPv4 || hasIPv6 else { return addresses }
        return addresses.filter { $0.contains(":") ? hasIPv6 : hasIPv4 }
    }
}
