// Which addresses are public, by IANA's special-purpose registries:
// <https://www.iana.org/assignments/iana-ipv4-special-registry> and
// <https://www.iana.org/assignments/iana-ipv6-special-registry>. Used at the moment of connecting.

import CCurl
import Glibc

package enum IPAddress {
    /// An IPv4 or IPv6 address without brackets or zone.
    package static func isLiteral(_ text: String) -> Bool { bytes(text) != nil }

    /// False for private, shared (CGNAT), loopback, link-local, documentation, benchmark, reserved, multicast and
    /// unspecified addresses, for IPv6 forms that carry such an IPv4 address, and for text that is no address.
    package static func isPublic(_ text: String) -> Bool { bytes(text).map(isPublic(bytes:)) ?? false }

    /// Who can reach an address.
    package enum Scope: Sendable, CaseIterable {
        case `public`, loopback, `private`, linkLocal, reserved
        /// RFC 6598, 100.64.0.0/10.
        case carrierGrade
    }

    /// The scope of an address; text that is no address is `.reserved`, as nobody can reach it.
    package static func scope(of text: String) -> Scope { bytes(text).map(scope(bytes:)) ?? .reserved }

    /// As `scope(of:)`, of 4 or 16 bytes in network order; any other count is reserved.
    static func scope(bytes: [UInt8]) -> Scope {
        var bytes = bytes
        if isPublic(bytes: bytes) { return .public }
        if bytes.count == 16, let inner = embeddedV4(bytes) { bytes = inner }
        let named = bytes.count == 4 ? namedV4 : namedV6
        return named.first { $0.network.contains(bytes) }?.scope ?? .reserved
    }

    /// Closed networks that have a name; what is in none of them is reserved in some other way.
    private static let namedV4: [(network: Range, scope: Scope)] = [
        (Range([127], bits: 8), .loopback), (Range([10], bits: 8), .private), (Range([172, 16], bits: 12), .private),
        (Range([192, 168], bits: 16), .private), (Range([100, 64], bits: 10), .carrierGrade),
        (Range([169, 254], bits: 16), .linkLocal),
    ]

    private static let namedV6: [(network: Range, scope: Scope)] = [
        (Range([UInt8](repeating: 0, count: 15) + [1], bits: 128), .loopback), (Range([0xfc], bits: 7), .private),
        (Range([0xfe, 0x80], bits: 10), .linkLocal),
    ]

    /// 4 or 16 bytes in network order; any other count is not public.
    static func isPublic(bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: !closedV4.contains { $0.contains(bytes) }
        case 16: isPublicV6(bytes)
        default: false
        }
    }

    private static func isPublicV6(_ bytes: [UInt8]) -> Bool {
        if let inner = embeddedV4(bytes) { return isPublic(bytes: inner) }
        // Only 2000::/3 is given out at all.
        return Range([0x20], bits: 3).contains(bytes) && !closedV6.contains { $0.contains(bytes) }
    }

    /// Mapped (::ffff:0:0/96), translated (64:ff9b::/96) and 6to4 (2002::/16) addresses are as public as what they hold.
    private static func embeddedV4(_ bytes: [UInt8]) -> [UInt8]? {
        if Range([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], bits: 96).contains(bytes)
            || Range([0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], bits: 96).contains(bytes)
        {
            return Array(bytes[12...])
        }
        return Range([0x20, 0x02], bits: 16).contains(bytes) ? Array(bytes[2..<6]) : nil
    }

    /// A network: its first bytes and how many bits of them count.
    private struct Range: Sendable {
        var start: [UInt8]
        var bits: Int

        init(_ start: [UInt8], bits: Int) {
            self.start = start
            self.bits = bits
        }

        func contains(_ bytes: [UInt8]) -> Bool {
            (0..<bits).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                return bytes[bit / 8] & mask == start[bit / 8] & mask
            }
        }
    }

    private static let closedV4 = [
        Range([0], bits: 8), Range([10], bits: 8), Range([100, 64], bits: 10), Range([127], bits: 8),
        Range([169, 254], bits: 16), Range([172, 16], bits: 12), Range([192, 0, 0], bits: 24),
        Range([192, 0, 2], bits: 24), Range([192, 88, 99], bits: 24), Range([192, 168], bits: 16),
        Range([198, 18], bits: 15), Range([198, 51, 100], bits: 24), Range([203, 0, 113], bits: 24),
        // Multicast, reserved and broadcast.
        Range([224], bits: 3),
    ]

    private static let closedV6 = [
        // IETF protocol assignments with Teredo, ORCHID and benchmarking; two blocks of documentation.
        Range([0x20, 0x01, 0x00], bits: 23), Range([0x20, 0x01, 0x0d, 0xb8], bits: 32),
        Range([0x3f, 0xff, 0x00], bits: 20),
    ]

    static func bytes(_ text: String) -> [UInt8]? {
        var v4 = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &v4) == 1 { return v4 }
        var v6 = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, text, &v6) == 1 ? v6 : nil
    }

    /// The text of 4 or 16 bytes in network order; nil for any other count.
    static func text(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension TransferRequest.AddressPolicy {
    /// `address`: 4 or 16 bytes in network order.
    func allows(_ address: [UInt8]) -> Bool {
        switch self {
        case .any: true
        case .publicOnly: IPAddress.isPublic(bytes: address)
        case .noMetadata: !IPAddress.isMetadata(bytes: address)
        }
    }

    /// The address that a URL's host is, without brackets, where this policy refuses it; nil for a name, which is judged
    /// once it is resolved, and for an address that is allowed.
    package func refusedLiteral(_ host: String) -> String? {
        let literal = host.filter { $0 != "[" && $0 != "]" }
        guard let bytes = IPAddress.bytes(literal), !allows(bytes) else { return nil }
        return literal
    }
}

/// The addresses where clouds offer the metadata of a machine, with its credentials: all link-local ones, as nearly every
/// cloud uses 169.254.169.254, and the others that providers document.
extension IPAddress {
    /// Whether 4 or 16 bytes in network order are a metadata address, also within an IPv6 address that stands for an IPv4 one.
    static func isMetadata(bytes: [UInt8]) -> Bool {
        scope(bytes: bytes) == .linkLocal || metadata.contains(bytes)
            || bytes.count == 16 && (bytes.starts(with: aws) || innerV4(bytes).contains(where: isMetadata))
    }

    private static let metadata = Set(
        [
            // Alibaba Cloud; Oracle Cloud; Azure's wire server.
            "100.100.100.200", "192.0.0.192", "168.63.129.16",
            // Google Cloud; Oracle Cloud; Akamai (Linode); Scaleway.
            "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:a9fe:a9fe::1", "fd00:42::42",
        ].compactMap(bytes))

    /// fd00:ec2::/32, with ::254 for metadata and ::23 for the credentials of containers.
    private static let aws: [UInt8] = [0xfd, 0x00, 0x0e, 0xc2]

    /// The IPv4 addresses that an IPv6 address may stand for: mapped and compatible ones, both NAT64 prefixes with each
    /// length of RFC 6052, 6to4. Of a local NAT64 prefix (RFC 8215) nobody but its operator knows the length.
    private static func innerV4(_ bytes: [UInt8]) -> [[UInt8]] {
        let last = Array(bytes[12...])
        if bytes.starts(with: [0x20, 0x02]) { return [Array(bytes[2..<6])] }
        if bytes.starts(with: [0x00, 0x64, 0xff, 0x9b, 0x00, 0x01]) {
            let lengths = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12]].map { places in places.map { bytes[$0] } }
            return lengths + [last]
        }
        let zeros = [UInt8](repeating: 0, count: 10)
        let isMapped = bytes.starts(with: zeros + [0xff, 0xff]) || bytes.starts(with: zeros + [0, 0])
        let isTranslated = bytes.starts(with: [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])
        return isMapped || isTranslated ? [last] : []
    }
}

/// Which address families this machine can speak to others in, as getaddrinfo's AI_ADDRCONFIG.
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
            // An interface gives itself a link-local address, which reaches nobody beyond it.
            if ![.loopback, .linkLocal].contains(IPAddress.scope(bytes: Array(bytes))) { families.insert(family) }
        }
        return LocalFamilies(hasIPv4: families.contains(AF_INET), hasIPv6: families.contains(AF_INET6))
    }

    /// 4, 6.
    package var numbers: [Int] { (hasIPv4 ? [4] : []) + (hasIPv6 ? [6] : []) }

    /// Those that this machine may reach; all where it has no address but its loopback's.
    package func reachable(_ addresses: [String]) -> [String] {
        guard hasIPv4 || hasIPv6 else { return addresses }
        return addresses.filter { $0.contains(":") ? hasIPv6 : hasIPv4 }
    }
}
