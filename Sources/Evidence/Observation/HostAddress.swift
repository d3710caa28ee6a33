// IP addresses as a configuration, a URL or a request names them: parsed once, compared as numbers and never as text.

import Foundation

/// An IP address. An IPv4 address equals the IPv6 address that stands for it (`::ffff:192.0.2.1`), as systems show it on a
/// socket that takes both.
package struct HostAddress: Hashable, Sendable, CustomStringConvertible {
    /// 16, in network order; of an IPv4 address those of the IPv6 address that stands for it.
    let bytes: [UInt8]

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// - Parameter text: an address without zone, IPv6 with or without brackets. Names, and numbers that only some programs
    ///   read as an address (`127.1`), are none.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        if text.hasPrefix("["), text.hasSuffix("]"), text.contains(":") { text = String(text.dropFirst().dropLast()) }
        var bytes = [UInt8](repeating: 0, count: 16)
        if text.contains(":") {
            guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        } else {
            guard inet_pton(AF_INET, text, &bytes) == 1 else { return nil }
            bytes = Self.mapped + bytes[..<4]
        }
        self.bytes = bytes
    }

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    fileprivate var isIPv4: Bool { bytes.starts(with: Self.mapped) }

    /// Whether only this machine reaches it: 127.0.0.0/8 and ::1.
    package var isLoopback: Bool {
        isIPv4 ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether a host of a URL, of a setting or of a `Host` header is this machine alone: `localhost` or a loopback address.
    /// Other names may have any address.
    package static func isLoopback(host: some StringProtocol) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : String(host)
        return name.lowercased() == "localhost" || HostAddress(host)?.isLoopback == true
    }

    /// What one client has at least: of IPv6 the first 64 bits, within which it chooses freely.
    package var subscriber: HostAddress {
        isIPv4 ? self : HostAddress(bytes: bytes[..<8] + [UInt8](repeating: 0, count: 8))
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
        guard let address = HostAddress(parts[0]), !parts[0].hasPrefix("[") else { return nil }
        let offset = parts[0].contains(":") ? 0 : 96
        var bits = 128
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(parts[1]),
                given <= 128 - offset
            else { return nil }
            bits = offset + given
        }
        // What an operator writes after the network's own bits does not count.
        start = HostAddress(
            bytes: address.bytes.enumerated().map { index, byte in
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
