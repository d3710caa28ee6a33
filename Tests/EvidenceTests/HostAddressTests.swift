import Evidence
import Testing

extension EvidenceSuite {
    @Suite struct HostAddressTests {
        @Test(
            "a loopback host is known by its address, not by its look",
            arguments: [
                ("127.0.0.1", true), ("127.255.1.2", true), ("::1", true), ("0:0:0:0:0:0:0:1", true),
                ("[0:0:0:0:0:0:0:1]", true), ("localhost", true), ("LocalHost", true), ("localhost.", true),
                ("::ffff:127.0.0.1", true), ("::FFFF:7f00:1", true), ("127.1", false), ("127.0.0.1.example", false),
                ("127.evil.example", false), ("::", false), ("0.0.0.0", false), ("128.0.0.1", false),
                ("localhost.example", false), ("::127.0.0.1", false), ("", false), ("[]", false), ("::1%lo", false),
            ])
        func loopback(host: String, expected: Bool) {
            #expect(HostAddress.isLoopback(host: host) == expected)
        }

        @Test(
            "an address has one form",
            arguments: [
                ("0:0:0:0:0:0:0:1", "::1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8::0:1", "2001:db8::1"),
            ])
        func form(text: String, expected: String) throws {
            let address = try #require(HostAddress(text))
            #expect(address.description == expected)
            #expect(HostAddress(expected) == address)
        }

        @Test(
            "a client of IPv6 is its network of 64 bits",
            arguments: [("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("192.0.2.7", "192.0.2.7")])
        func subscriber(text: String, expected: String) {
            #expect(HostAddress(text)?.subscriber.description == expected)
        }

        static let ranges: [(String, String, inside: [String], outside: [String])] = [
            ("10.0.0.0/8", "10.0.0.0/8", ["10.255.0.1", "::ffff:10.1.2.3"], ["11.0.0.1", "::a00:1"]),
            ("10.1.2.3/31", "10.1.2.2/31", ["10.1.2.2", "10.1.2.3"], ["10.1.2.4", "10.1.2.1"]),
            ("127.0.0.1", "127.0.0.1", ["127.0.0.1"], ["127.0.0.2", "::1"]),
            ("fd00::/8", "fd00::/8", ["fd12::1"], ["fe80::1", "10.0.0.1"]),
            ("0.0.0.0/0", "0.0.0.0/0", ["192.0.2.1"], ["2001:db8::1"]), ("::/0", "::/0", ["192.0.2.1", "::1"], []),
            ("2001:db8::5", "2001:db8::5", ["2001:db8:0::5"], ["2001:db8::6"]),
        ]

        @Test("a network holds what begins with its bits", arguments: ranges)
        func range(_ text: String, _ form: String, inside: [String], outside: [String]) throws {
            let range = try #require(AddressRange(text))
            #expect(range.description == form)
            for (texts, expected) in [(inside, true), (outside, false)] {
                for text in texts { #expect(range.contains(try #require(HostAddress(text))) == expected, "\(text)") }
            }
        }

        @Test(
            "what is no network is refused",
            arguments: [
                "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/8/8", "proxy", "[::1]",
            ])
        func noRange(text: String) {
            #expect(AddressRange(text) == nil)
        }

        @Test(
            "international names have two forms",
            arguments: [
                ("bücher.example", "xn--bcher-kva.example", "bücher.example"),
                ("Www.MÜNCHEN.de", "www.xn--mnchen-3ya.de", "www.münchen.de"),
                ("bu\u{308}cher.example", "xn--bcher-kva.example", "bücher.example"),
                ("example.com", "example.com", "example.com"),
                ("xn--zzzzzzzz.example", "xn--zzzzzzzz.example", "xn--zzzzzzzz.example"),
            ])
        func international(text: String, kept: String, shown: String) throws {
            let domain = try Domain(text)
            #expect(domain.name == kept && domain.unicodeName == shown)
            #expect(Domain.kept(text) == kept)
        }
    }
}
