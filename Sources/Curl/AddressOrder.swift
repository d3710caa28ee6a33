// In which order the addresses of a name are tried: RFC 6724, by the address that this machine would send from.

import Glibc

enum AddressOrder {
    /// The addresses as they should be tried; those that are alike keep their order. Sends nothing.
    static func sorted(_ addresses: [String]) -> [String] {
        guard addresses.count > 1 else { return addresses }
        let candidates = addresses.enumerated().compactMap { index, text in
            Place(text).map { Candidate(text: text, index: index, place: $0, source: $0.source) }
        }
        return candidates.sorted { $0.isBefore($1) }.map(\.text)
    }

    /// An address with what the policy table says of it. IPv4 ones are compared as mapped to IPv6.
    struct Place {
        let bytes: [UInt8]
        let isIPv4: Bool
        let precedence: Int
        let label: Int

        init?(_ text: String) {
            guard let own = IPAddress.bytes(text) else { return nil }
            self.init(own)
        }

        init(_ own: [UInt8]) {
            isIPv4 = own.count == 4
            let bytes = isIPv4 ? [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + own : own
            self.bytes = bytes
            let row = Self.policies.first { policy in policy.bits <= Self.commonBits(policy.prefix, bytes) }
            (precedence, label) = row.map { ($0.precedence, $0.label) } ?? (40, 1)
        }

        /// RFC 6724, 2.1, the longest prefix first.
        private static let policies: [(prefix: [UInt8], bits: Int, precedence: Int, label: Int)] = [
            ([UInt8](repeating: 0, count: 15) + [1], 128, 50, 0),
            ([UInt8](repeating: 0, count: 10) + [0xff, 0xff], 96, 35, 4),
            ([UInt8](repeating: 0, count: 12), 96, 1, 3),
            ([0x20, 0x01, 0, 0], 32, 5, 5), ([0x20, 0x02], 16, 30, 2), ([0x3f, 0xfe], 16, 1, 12),
            ([0xfe, 0xc0], 10, 1, 11), ([0xfc], 7, 3, 13),
        ]

        /// The scopes of RFC 4007, 2 for link-local, 14 for global; IPv4's as RFC 6724, 3.2, gives them.
        var scope: Int {
            if isIPv4 {
                return bytes[12] == 127 || (bytes[12] == 169 && bytes[13] == 254) ? 2 : 14
            }
            if label == 0 || (bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80) { return 2 }
            return bytes[0] == 0xfe && bytes[1] & 0xc0 == 0xc0 ? 5 : 14
        }

        /// How many bits two addresses have in common from the start, as far as the shorter goes.
        static func commonBits(_ one: [UInt8], _ other: [UInt8]) -> Int {
            var bits = 0
            for (left, right) in zip(one, other) {
                guard left == right else { return bits + (left ^ right).leadingZeroBitCount }
                bits += 8
            }
            return bits
        }

        /// The address that packets to it would leave from; nil where there is no way to it.
        var source: Place? {
            let family = isIPv4 ? AF_INET : AF_INET6
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
            func ask<Form>(_ place: inout Form) -> Bool {
                withUnsafeMutableBytes(of: &place) { raw in
                    guard let pointer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress else { return false }
                    var size = socklen_t(raw.count)
                    return connect(handle, pointer, size) == 0 && getsockname(handle, pointer, &size) == 0
                }
            }
            if isIPv4 {
                return ask(&four) ? Place(withUnsafeBytes(of: &four.sin_addr) { Array($0) }) : nil
            }
            return ask(&six) ? Place(withUnsafeBytes(of: &six.sin6_addr) { Array($0) }) : nil
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
            guard let source, !place.isIPv4, !source.isIPv4 else { return 0 }
            return Place.commonBits(place.bytes, source.bytes)
        }
    }
}
