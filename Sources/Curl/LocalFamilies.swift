// Which address families this machine speaks.

import Facts
import Glibc

/// Which address families this machine can speak to others in, as getaddrinfo's AI_ADDRCONFIG.
package struct LocalFamilies: Sendable {
    /// 4, 6.
    package let numbers: [Int]

    /// By the addresses of this machine at this moment.
    package static var now: LocalFamilies {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return LocalFamilies(numbers: [4, 6]) }
        defer { freeifaddrs(list) }
        var families: Set<Int> = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr else { continue }
            let family = Int32(address.pointee.sa_family)
            let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            guard family == AF_INET || family == AF_INET6,
                let own = HostAddress(socket: UnsafeRawBufferPointer(start: address, count: size), family: family)
            else { continue }
            // An interface gives itself a link-local address, which reaches nobody beyond it.
            if ![.loopback, .linkLocal].contains(own.scope) { families.insert(own.isIPv4 ? 4 : 6) }
        }
        return LocalFamilies(numbers: families.sorted())
    }

    /// Those that this machine may reach; all where it has no address but its loopback's.
    package func reachable(_ addresses: [String]) -> [String] {
        numbers.isEmpty ? addresses : addresses.filter { numbers.contains(HostAddress.family(of: $0)) }
    }
}

extension HostAddress {
    /// The address in a socket address; nil for another family than IP.
    init?(socket raw: UnsafeRawBufferPointer, family: Int32) {
        let place = family == AF_INET ? 4..<8 : 8..<24
        guard family == AF_INET || family == AF_INET6, raw.count >= place.upperBound else { return nil }
        self.init(bytes: Array(raw[place]))
    }
}
