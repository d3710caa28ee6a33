// IP addresses from configuration, URLs, requests and name servers: parsed once, compared as numbers, never as text.

import Foundation

/// An IP address. An IPv4 address equals its IPv4-mapped IPv6 address (`::ffff:192.0.2.1`): a dual-stack socket shows
/// it in that form.
package struct HostAddress: Hashable, Sendable, CustomStringConvertible {
    /// 16 bytes in network order. An IPv4 address is stored in its IPv4-mapped form.
    package let bytes: [UInt8]

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// - Parameter text: an address without zone or brackets. Host names and short forms (`127.1`) give nil.
    package init?(_ text: some StringProtocol) {
        let isIPv6 = Self.family(of: text) == 6
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(text), &bytes) == 1 else { return nil }
        self.init(bytes: bytes)
    }

    /// Parses a URL's host: IPv6 with or without brackets.
    package init?(host: some StringProtocol) {
        let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]") && host.contains(":")
        self.init(isInBrackets ? String(host.dropFirst().dropLast()) : String(host))
    }

    /// - Parameter bytes: 4 or 16 bytes in network order; any other count gives nil.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes.count == 4 ? Self.mapped + bytes : bytes
    }

    fileprivate init(all bytes: [UInt8]) { self.bytes = bytes }

    package var isIPv4: Bool { bytes.starts(with: Self.mapped) }

    /// 4 or 6. `text` is an address without brackets.
    package static func family(of text: some StringProtocol) -> Int { text.contains(":") ? 6 : 4 }

    /// A name or an address in URL form: IPv6 in brackets.
    package static func inURL(_ host: String) -> String {
        family(of: host) == 6 && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        isIPv4 ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether the host of a URL, a setting or a `Host` header is `localhost` or a loopback address. Any other name may
    /// resolve to any address.
    package static func isLoopback(host: some StringProtocol) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : String(host)
        return name.lowercased() == "localhost" || HostAddress(host: host)?.isLoopback == true
    }

    /// The smallest block that one client controls: an IPv4 address or an IPv6 /64.
    package var subscriber: HostAddress {
        isIPv4 ? self : HostAddress(all: bytes[..<8] + [UInt8](repeating: 0, count: 8))
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let (family, bytes) = isIPv4 ? (AF_INET, Array(bytes[12...])) : (AF_INET6, bytes)
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A CIDR range.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    private let start: HostAddress
    /// The prefix length, counted in the 128 bits of `start`.
    private let bits: Int

    /// - Parameter text: an address, or a network such as `10.0.0.0/8` or `fd00::/8`.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = HostAddress(parts[0]) else { return nil }
        let offset = HostAddress.family(of: parts[0]) == 6 ? 0 : 96
        var bits = 128
        if parts.count == 2 {
            guard parts[1].isOfDigits, let given = Int(parts[1]), given <= 128 - offset else { return nil }
            bits = offset + given
        }
        // Host bits that an operator writes are ignored.
        start = HostAddress(
            all: address.bytes.enumerated().map { index, byte in
                byte & Self.mask(ofByte: index, bits: bits)
            })
        self.bits = bits
    }

    package func contains(_ address: HostAddress) -> Bool {
        address.bytes.indices.allSatisfy { index in
            address.bytes[index] & Self.mask(ofByte: index, bits: bits) == start.bytes[index]
        }
    }

    private static func mask(ofByte index: Int, bits: Int) -> UInt8 {
        let own = min(8, max(0, bits - index * 8))
        return own == 0 ? 0 : UInt8.max << UInt8(8 - own)
    }

    package var description: String {
        let isIPv4 = start.isIPv4 && bits >= 96
        let (own, all) = isIPv4 ? (bits - 96, 32) : (bits, 128)
        return own == all ? "\(start)" : "\(start)/\(own)"
    }
}

/// One of the addresses that a name resolves to.
package struct ResolvedAddress: Codable, Equatable, Hashable, Sendable {
    /// Text form, without brackets.
    package var address: String
    package var scope: AddressScope

    package init(address: String, scope: AddressScope) {
        self.address = address
        self.scope = scope
    }

    /// Text that is not an address gets the scope `reserved`: no client can reach it.
    package init(_ address: String) {
        self.init(address: address, scope: HostAddress(address)?.scope ?? .reserved)
    }

    /// 4 or 6.
    package var family: Int { HostAddress.family(of: address) }
}

// MARK: - Who can reach an address

/// Who can reach an address, from IANA's special-purpose registries. Apple's CDN connects to public addresses only
/// (SWCERR00202). <https://www.iana.org/assignments/iana-ipv4-special-registry>,
/// <https://www.iana.org/assignments/iana-ipv6-special-registry>
package enum AddressScope: String, Codable, Sendable, CaseIterable {
    case `public`
    case loopback
    /// RFC 1918 and unique local addresses.
    case `private`
    /// RFC 6598, 100.64.0.0/10: carriers, and overlay networks such as Tailscale.
    case carrierGrade = "carrier_grade_nat"
    case linkLocal = "link_local"
    /// Documentation, benchmarking, multicast, unspecified, and everything that IANA has not allocated.
    case reserved
}

extension HostAddress {
    /// An IPv6 address that embeds an IPv4 address has the scope of that IPv4 address.
    package var scope: AddressScope {
        if let inner = carried { return inner.scope }
        if let closed = Self.closed.first(where: { $0.range.contains(self) }) { return closed.scope }
        return isIPv4 || Self.givenOut?.contains(self) == true ? .public : .reserved
    }

    /// The IPv4 address that a NAT64 (64:ff9b::/96) or 6to4 (2002::/16) address embeds.
    private var carried: HostAddress? {
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return HostAddress(bytes: Array(bytes[12...]))
        }
        return bytes.starts(with: [0x20, 0x02]) ? HostAddress(bytes: Array(bytes[2..<6])) : nil
    }

    private static let closed: [(range: AddressRange, scope: AddressScope)] = [
        (.loopback, ["127.0.0.0/8", "::1"]),
        (.private, ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]),
        (.carrierGrade, ["100.64.0.0/10"]),
        (.linkLocal, ["169.254.0.0/16", "fe80::/10"]),
        // The last IPv4 range covers multicast, reserved and broadcast. The IPv6 ranges are IETF protocol assignments
        // (Teredo, ORCHID, benchmarking) and two documentation blocks.
        (
            .reserved,
            [
                "0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
                "203.0.113.0/24", "224.0.0.0/3", "2001::/23", "2001:db8::/32", "3fff::/20",
            ]
        ),
    ].flatMap { scope, texts in texts.compactMap { AddressRange($0) }.map { ($0, scope) } }

    /// IANA allocates global unicast IPv6 addresses from this range only.
    private static let givenOut = AddressRange("2000::/3")

    /// Whether a cloud may serve a machine's metadata, with its credentials, at this address. Any link-local address counts
    /// (nearly every cloud uses 169.254.169.254), the other addresses that providers document, and IPv6 addresses that
    /// embed one of these.
    package var isMetadata: Bool {
        scope == .linkLocal || Self.metadata.contains(self) || Self.aws?.contains(self) == true
            || possiblyCarried.contains(where: \.isMetadata)
    }

    private static let metadata = Set(
        [
            // Alibaba Cloud; Oracle Cloud; Azure's wire server.
            "100.100.100.200", "192.0.0.192", "168.63.129.16",
            // Google Cloud; Oracle Cloud; Akamai (Linode); Scaleway.
            "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:a9fe:a9fe::1", "fd00:42::42",
        ].compactMap { HostAddress($0) })

    /// ::254 serves the metadata, ::23 the credentials of containers.
    private static let aws = AddressRange("fd00:ec2::/32")

    /// The IPv4 addresses that an IPv6 address may embed: IPv4-compatible, 6to4 and NAT64. Only the operator of a local
    /// NAT64 prefix (RFC 8215) knows its length, so each length of RFC 6052 counts.
    private var possiblyCarried: [HostAddress] {
        if let carried { return [carried] }
        let last = [12, 13, 14, 15]
        var places: [[Int]] = []
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01]) {
            places = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], last]
        } else if bytes.starts(with: [UInt8](repeating: 0, count: 12)) {
            places = [last]
        }
        return places.compactMap { HostAddress(bytes: $0.map { bytes[$0] }) }
    }
}
