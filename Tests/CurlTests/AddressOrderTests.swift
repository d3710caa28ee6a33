import Facts
import Testing

@testable import Curl

extension CurlTests {
    @Suite("The order of addresses")
    struct AddressOrderTests {
        /// An address, and the one that this machine would send from.
        typealias Way = (to: String, from: String?)

        /// The examples of RFC 6724, 10.2, and what it does not show.
        static let examples: [(name: String, ways: [Way])] = [
            ("matching scope", [("2001:db8:1::1", "2001:db8:1::2"), ("198.51.100.121", "169.254.13.78")]),
            ("matching scope, IPv4", [("198.51.100.121", "198.51.100.117"), ("2001:db8:1::1", "fe80::1")]),
            ("higher precedence", [("2001:db8:1::1", "2001:db8:1::2"), ("10.1.2.3", "10.1.2.4")]),
            ("smaller scope", [("fe80::1", "fe80::2"), ("2001:db8:1::1", "2001:db8:1::2")]),
            ("matching label", [("2001:db8:1::1", "2001:db8:1::2"), ("2002:c633:6401::1", "2001:db8:1::2")]),
            (
                "6to4 after a native way",
                [("198.51.100.1", "198.51.100.2"), ("2002:c633:6401::1", "2002:c633:6401::2")]
            ),
            ("the longer prefix", [("2001:db8:1::1", "2001:db8:1::2"), ("2001:db8:3ffe::1", "2001:db8:1::2")]),
            ("no way last", [("198.51.100.1", "198.51.100.2"), ("2001:db8:1::1", nil)]),
            ("loopback first", [("::1", "::1"), ("127.0.0.1", "127.0.0.1")]),
            ("IPv4 in the order of the answer", [("198.51.100.9", "10.0.0.1"), ("10.0.0.2", "10.0.0.1")]),
        ]

        @Test("the address that comes first is the one of the RFC", arguments: examples.indices)
        func order(_ index: Int) throws {
            let (name, ways) = Self.examples[index]
            let candidates = try ways.enumerated().map { index, way in
                AddressOrder.Candidate(
                    text: way.to, index: index, place: AddressOrder.Place(try #require(HostAddress(way.to))),
                    source: way.from.flatMap { HostAddress($0) }.map { AddressOrder.Place($0) })
            }
            #expect(candidates[0].isBefore(candidates[1]), "\(name)")
            // Alone the order of the answer speaks for equals.
            if index < Self.examples.count - 1 { #expect(!candidates[1].isBefore(candidates[0]), "\(name)") }
        }

        @Test("no address is lost, and none is sent to")
        func all() {
            let given = ["192.0.2.7", "::1", "2001:db8::7", "127.0.0.1"]
            #expect(Set(AddressOrder.sorted(given)) == Set(given))
        }
    }
}
