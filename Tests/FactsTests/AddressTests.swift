import Facts
import Testing

@Suite struct FactsTests {
    @Test(
        "a loopback host is recognised by its address, not by its spelling",
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
        "each address has one canonical form",
        arguments: [
            ("0:0:0:0:0:0:0:1", "::1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8::0:1", "2001:db8::1"),
        ])
    func form(text: String, expected: String) throws {
        let address = try #require(HostAddress(text))
        #expect(address.description == expected)
        #expect(HostAddress(expected) == address)
    }

    @Test(
        "an IPv6 client is identified by its /64 network",
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

    @Test("a network contains the addresses with its prefix", arguments: ranges)
    func range(_ text: String, _ form: String, inside: [String], outside: [String]) throws {
        let range = try #require(AddressRange(text))
        #expect(range.description == form)
        for (texts, expected) in [(inside, true), (outside, false)] {
            for text in texts { #expect(range.contains(try #require(HostAddress(text))) == expected, "\(text)") }
        }
    }

    @Test(
        "an invalid network is refused",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/8/8", "proxy", "[::1]",
        ])
    func noRange(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(
        "only a URL's host has brackets",
        arguments: [("::1", true, true), ("[::1]", false, true), ("[127.0.0.1]", false, false)])
    func brackets(text: String, isAddress: Bool, isHost: Bool) {
        #expect((HostAddress(text) != nil) == isAddress)
        #expect((HostAddress(host: text) != nil) == isHost)
    }

    @Test(
        "some addresses are not public",
        arguments: [
            "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1",
            "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
            "2002:7f00:1::", "2001:db8::1", "2001::1", "::127.0.0.1", "fec0::1", "100::1", "3fff::1", "", "a.test",
        ])
    func notPublic(_ address: String) {
        #expect(ResolvedAddress(address).scope != .public)
    }

    @Test(
        "all other addresses are public",
        arguments: [
            "1.1.1.1", "17.253.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "198.17.0.1",
            "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888", "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ])
    func isPublic(_ address: String) {
        #expect(ResolvedAddress(address).scope == .public)
    }

    @Test(
        "an address is classified by who can reach it",
        arguments: [
            ("127.0.0.1", .loopback), ("::1", .loopback), ("10.0.0.1", .private), ("172.31.9.9", .private),
            ("192.168.1.1", .private), ("fd00::1", .private), ("100.127.0.1", .carrierGrade),
            ("100.128.0.1", .public), ("169.254.1.1", .linkLocal), ("fe80::1", .linkLocal),
            ("0.0.0.0", .reserved), ("224.0.0.1", .reserved), ("198.51.100.1", .reserved),
            ("2001:db8::1", .reserved), ("::ffff:10.0.0.1", .private), ("64:ff9b::a00:1", .private),
            ("17.253.1.1", .public), ("2620:149::1", .public), ("nonsense", .reserved),
        ] as [(String, AddressScope)])
    func scope(_ address: String, _ scope: AddressScope) {
        #expect(ResolvedAddress(address).scope == scope)
    }
}
