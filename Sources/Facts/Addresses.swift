// IP addresses as a configuration, a URL, a request or a name server names them: parsed once, compared as numbers and never as text.

import Foundation

/// An IP address. An IPv4 address equals the IPv6 address that stands for it (`::ffff:192.0.2.1`), as systems show it on a
/// socket that takes both.
package struct HostAddress: Hashable, Sendable, CustomStringConvertible {
    /// 16, in network order; of an IPv4 address those of the IPv6 address that stands for it.
    package let bytes: [UInt8]

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// - Parameter text: an address without zone or brackets. Names, and numbers that only some programs read as an address
    ///   (`127.1`), are none.
    package init?(_ text: some StringProtocol) {
        let isIPv6 = Self.family(of: text) == 6
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(text), &bytes) == 1 else { return nil }
        self.init(bytes: bytes)
    }

    /// An address as a URL has it, IPv6 with or without brackets.
    package init?(host: some StringProtocol) {
        let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]") && host.contains(":")
        self.init(isInBrackets ? String(host.dropFirst().dropLast()) : String(host))
    }

    /// - Parameter bytes: 4 or 16 in network order; any other count is no address.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes.count == 4 ? Self.mapped + bytes : bytes
    }

    fileprivate init(all bytes: [UInt8]) { self.bytes = bytes }

    package var isIPv4: Bool { bytes.starts(with: Self.mapped) }

    /// 4 or 6. `text`: an address without brackets.
    package static func family(of text: some StringProtocol) -> Int { text.contains(":") ? 6 : 4 }

    /// A name or an address as a URL has it: IPv6 in brackets.
    package static func inURL(_ host: String) -> String {
        family(of: host) == 6 && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// Whether only this machine reaches it: 127.0.0.0/8 and ::1.
    package var isLoopback: Bool {
        isIPv4 ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether a host of a URL, of a setting or of a `Host` header is this machine alone: `localhost` or a loopback address.
    /// Other names may have any address.
    package static func isLoopback(host: some StringProtocol) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : String(host)
        return name.lowercased() == "localhost" || HostAddress(host: host)?.isLoopback == true
    }

    /// What one client has at least: of IPv6 the first 64 bits, within which it chooses freely.
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

/// The addresses that begin with the same bits.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    private let start: HostAddress
    /// Of the 128 of `start`.
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
        // What an operator writes after the network's own bits does not count.
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

/// One of the addresses that a name leads to.
package struct ResolvedAddress: Codable, Equatable, Hashable, Sendable {
    /// In text, without brackets.
    package var address: String
    package var scope: AddressScope

    package init(address: String, scope: AddressScope) {
        self.address = address
        self.scope = scope
    }

    /// Text that is no address is reserved, as nobody can reach it.
    package init(_ address: String) {
        self.init(address: address, scope: HostAddress(address)?.scope ?? .reserved)
    }

    /// 4 or 6.
    package var family: Int { HostAddress.family(of: address) }
}

// MARK: - Who can reach an address

/// Who can reach an address, by IANA's special-purpose registries. Apple's CDN asks public ones only (SWCERR00202).
/// <https://www.iana.org/assignments/iana-ipv4-special-registry>, <https://www.iana.org/assignments/iana-ipv6-special-registry>
package enum AddressScope: String, Codable, Sendable, CaseIterable {
    case `public`
    case loopback
    /// RFC 1918 and unique local addresses.
    case `private`
    /// RFC 6598, 100.64.0.0/10: carriers, and overlay networks such as Tailscale.
    case carrierGrade = "carrier_grade_nat"
    case linkLocal = "link_local"
    /// Documentation, benchmarks, multicast, unspecified and all else that is not given out.
    case reserved
}

extension HostAddress {
    /// An IPv6 address that carries an IPv4 one is as public as that.
    package var scope: AddressScope {
        if let inner = carried { return inner.scope }
        if let closed = Self.closed.first(where: { $0.range.contains(self) }) { return closed.scope }
        return isIPv4 || Self.givenOut?.contains(self) == true ? .public : .reserved
    }

    /// The IPv4 address in a translated (64:ff9b::/96) or a 6to4 (2002::/16) address.
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
        // Those of IPv4 end with multicast, reserved and broadcast; those of IPv6 are IETF protocol assignments (Teredo, ORCHID,
        // benchmarking) and two blocks of documentation.
        (
            .reserved,
            [
                "0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
                "203.0.113.0/24", "224.0.0.0/3", "2001::/23", "2001:db8::/32", "3fff::/20",
            ]
        ),
    ].flatMap { scope, texts in texts.compactMap { AddressRange($0) }.map { ($0, scope) } }

    /// All of IPv6 that is given out at all.
    private static let givenOut = AddressRange("2000::/3")

    /// Whether clouds offer the metadata of a machine there, with its credentials: at all link-local addresses, as nearly every
    /// cloud uses 169.254.169.254, and at the others that providers document; also as an IPv6 address that stands for such an
    /// IPv4 one.
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

    /// With ::254 for metadata and ::23 for the credentials of containers.
    private static let aws = AddressRange("fd00:ec2::/32")

    /// The IPv4 addresses that an IPv6 address may stand for: compatible ones, both NAT64 prefixes with each length of RFC 6052,
    /// 6to4. Of a local NAT64 prefix (RFC 8215) nobody but its operator knows the length.
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
