// The IP address families of this machine.

import Facts
import Glibc

/// The address families in which this machine can reach others, like getaddrinfo's AI_ADDRCONFIG.
package struct LocalFamilies: Sendable {
    /// 4, 6, both or neither.
    package let numbers: [Int]

    /// From the machine's current addresses.
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
            // A link-local address reaches only its own link, and interfaces assign it to themselves.
            if ![.loopback, .linkLocal].contains(own.scope) { families.insert(own.isIPv4 ? 4 : 6) }
        }
        return LocalFamilies(numbers: families.sorted())
    }

    /// Those that this machine may reach; all of them if it has no address beyond loopback and link-local.
    package func reachable(_ addresses: [String]) -> [String] {
        numbers.isEmpty ? addresses : addresses.filter { numbers.contains(HostAddress.family(of: $0)) }
    }
}

extension HostAddress {
    /// The IP address in a socket address; nil for another family.
    init?(socket raw: UnsafeRawBufferPointer, family: Int32) {
        let place = family == AF_INET ? 4..<8 : 8..<24
        guard family == AF_INET || family == AF_INET6, raw.count >= place.upperBound else { return nil }
        self.init(bytes: Array(raw[place]))
    }
}
