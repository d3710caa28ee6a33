// In which order the addresses of a name are tried (RFC 6724, by the address that this machine would send from), and which families
// this machine speaks.

import Facts
import Glibc

enum AddressOrder {
    /// The addresses as they should be tried; those that are alike keep their order. Sends nothing.
    static func sorted(_ addresses: [String]) -> [String] {
        guard addresses.count > 1 else { return addresses }
        let candidates = addresses.enumerated().compactMap { index, text in
            HostAddress(text).map { Place($0) }.map {
                Candidate(text: text, index: index, place: $0, source: $0.source)
            }
        }
        return candidates.sorted { $0.isBefore($1) }.map(\.text)
    }

    /// An address with what the policy table says of it.
    struct Place {
        let address: HostAddress
        let precedence: Int
        let label: Int

        private var bytes: [UInt8] { address.bytes }

        init(_ address: HostAddress) {
            self.address = address
            let row = Self.policies.first { $0.range.contains(address) }
            (precedence, label) = row.map { ($0.precedence, $0.label) } ?? (40, 1)
        }

        /// RFC 6724, 2.1, the longest prefix first. All of IPv4 is ::ffff:0:0/96.
        private static let policies: [(range: AddressRange, precedence: Int, label: Int)] = [
            ("::1", 50, 0), ("::ffff:0:0/96", 35, 4), ("::/96", 1, 3), ("2001::/32", 5, 5), ("2002::/16", 30, 2),
            ("3ffe::/16", 1, 12), ("fec0::/10", 1, 11), ("fc00::/7", 3, 13),
        ].compactMap { text, precedence, label in AddressRange(text).map { ($0, precedence, label) } }

        /// The scopes of RFC 4007, 2 for link-local, 14 for global; IPv4's as RFC 6724, 3.2, gives them.
        var scope: Int {
            if address.isLoopback || Self.linkLocal.contains(where: { $0.contains(address) }) { return 2 }
            return bytes[0] == 0xfe && bytes[1] & 0xc0 == 0xc0 ? 5 : 14
        }

        private static let linkLocal = ["169.254.0.0/16", "fe80::/10"].compactMap { AddressRange($0) }

        /// The address that packets to it would leave from; nil where there is no way to it.
        var source: Place? {
            let family = address.isIPv4 ? AF_INET : AF_INET6
            let handle = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard handle >= 0 else { return nil }
            defer { close(handle) }
            var (four, six) = (sockaddr_in(), sockaddr_in6())
            four.sin_family = sa_family_t(AF_INET)
            six.sin6_family = sa_family_t(AF_INET6)
            // Any port will do: a datagram socket only notes where it would send to.
            (four.sin_port, six.sin6_port) = (in_port_t(443).bigEndian, in_port_t(443).bigEndian)
            withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: bytes.suffix(4)) }
            withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: bytes) }
            func ask<Form>(_ place: inout Form) -> HostAddress? {
                withUnsafeMutableBytes(of: &place) { raw in
                    guard let pointer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress else { return nil }
                    var size = socklen_t(raw.count)
                    guard connect(handle, pointer, size) == 0, getsockname(handle, pointer, &size) == 0 else {
                        return nil
                    }
                    return HostAddress(socket: UnsafeRawBufferPointer(raw), family: family)
                }
            }
            return (address.isIPv4 ? ask(&four) : ask(&six)).map { Place($0) }
        }
    }

    /// A destination, and where it would be sent to from.
    struct Candidate {
        let text: String
        let index: Int
        let place: Place
        let source: Place?

        /// RFC 6724, section 6: rules 1, 2, 5, 6, 8, 9, 10. Of the others nothing is known here.
        func isBefore(_ other: Candidate) -> Bool {
            func differ(_ rule: (Candidate) -> Int) -> Bool? {
                let (left, right) = (rule(self), rule(other))
                return left == right ? nil : left > right
            }
            return differ { $0.source == nil ? 0 : 1 }
                ?? differ { $0.source?.scope == $0.place.scope ? 1 : 0 }
                ?? differ { $0.source?.label == $0.place.label ? 1 : 0 }
                ?? differ { $0.place.precedence }
                ?? differ { -$0.place.scope }
                ?? differ { $0.commonPrefix }
                ?? (index < other.index)
        }

        /// Of two IPv4 addresses it says nothing: their networks are not laid out like that.
        private var commonPrefix: Int {
            guard let source, !place.address.isIPv4, !source.address.isIPv4 else { return 0 }
            let differences = zip(place.address.bytes, source.address.bytes).map { $0 ^ $1 }
            let same = differences.prefix { $0 == 0 }.count
            return same * 8 + (same < differences.count ? differences[same].leadingZeroBitCount : 0)
        }
    }
}

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
