import Evidence
import Foundation
import Testing

extension EvidenceSuite {
    @Suite("Domain and target")
    struct DomainTests {
        static let label63 = String(repeating: "a", count: 63)

        @Test(
            "a domain is normalised",
            arguments: [
                ("example.com", "example.com"), ("EXAMPLE.Com", "example.com"), ("example.com.", "example.com"),
                ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
                ("例え.jp", "xn--r8jz45g.jp"), ("example。com", "example.com"),
                ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("a_b.example.com", "a_b.example.com"),
                ("1.example", "1.example"), ("\(label63).example", "\(label63).example"), ("a.b.c.d.e", "a.b.c.d.e"),
            ])
        func accepted(_ text: String, _ name: String) throws {
            let domain = try Domain(text)
            #expect(domain.name == name)
            #expect(try Domain(domain.name) == domain)
            let stored = try JSONDecoder().decode([Domain].self, from: JSONEncoder().encode([domain]))
            #expect(stored == [domain])
        }

        @Test(
            "a name that cannot be an associated domain is refused with a reason",
            arguments: [
                ("", "it is empty"), (".", "it is empty"), ("localhost", "it has no dot"), ("com.", "it has no dot"),
                ("example..com", "it has an empty label"), (".example.com", "it has an empty label"),
                ("example.com..", "it has an empty label"), ("-a.example", "'-a' is not a valid label"),
                ("a-.example", "'a-' is not a valid label"), ("*.example.com", "'*' is not a valid label"),
                ("exa mple.com", "no path, query, user or space"), ("example.com/x", "no path, query, user or space"),
                ("user@example.com", "no path, query, user or space"), ("example.com?x", "no path, query, user"),
                ("example.com:8443", "no port"), ("192.0.2.1", "it is an IP address"),
                ("127.0.0.0x1", "it is an IP address"), ("0x7f.0x1", "it is an IP address"),
                ("example.0x", "it is an IP address"), ("１２７.0.0.1", "it is an IP address"),
                ("::1", "it is an IP address"), ("[::1]", "it is an IP address"),
                ("\(label63)a.example", "longer than 63"), ("exa%6dple.com", "is not a valid label"),
                ("“example.com”", "it has the typographic character '“'"),
                ("example.com”", "insert for '\"'; type it again"),
                ("my–site.example", "it has the typographic character '–'"), ("my‑site.example", "insert for '-'"),
                ("my—site.example", "typographic"), ("my−site.example", "typographic"),
                ("l’app.example", "typographic"),
                ("„example.com", "typographic"), ("«example.com»", "typographic"),
                ("a\u{0}b.example", "is not a valid label"), ("a\\b.example", "is not a valid label"),
                ("example.com\u{600}.", "is not a valid"), ("\u{600}.", "is not a valid"),
                (String(repeating: "abcdefgh.", count: 32) + "example", "longer than 253"),
            ])
        func refused(_ text: String, _ reason: String) throws {
            let fault = try #require(throws: DomainFault.self) { try Domain(text) }
            #expect(fault.reason.contains(reason))
        }

        @Test(
            "an error message never repeats control characters",
            arguments: ["a\u{1B}[2J.example", "x://\u{1B}y", "a.b?mode=\u{7}"])
        func quiet(_ text: String) throws {
            let fault = try #require(throws: DomainFault.self) { try Target(parsing: text) }
            #expect(!"\(fault.description)\(fault.reason)".unicodeScalars.contains { $0.value < 0x20 })
        }

        @Test(
            "a target is a domain, a URL of it, or an entitlement",
            arguments: [
                ("example.com", "example.com", .production), ("https://Example.com", "example.com", .production),
                ("https://example.com/a?b#c", "example.com", .production),
                ("http://example.com", "example.com", .production),
                ("HTTPS://example.com/", "example.com", .production),
                ("https://bücher.example/ä", "xn--bcher-kva.example", .production),
                ("*.example.com", "example.com", .production), ("applinks:example.com", "example.com", .production),
                ("applinks:*.example.com", "example.com", .production),
                ("applinks:example.com?mode=developer", "example.com", .developer),
                ("webcredentials:example.com?mode=managed", "example.com", .managed),
                ("appclips:example.com?mode=developer+managed", "example.com", .developerManaged),
                ("example.com?mode=production", "example.com", .production),
                // Copied from a browser.
                ("https://ok.example:443/", "ok.example", .production), ("ok.example:443", "ok.example", .production),
                ("http://ok.example:80/a", "ok.example", .production), ("example.com/", "example.com", .production),
                ("*.example.com/", "example.com", .production),
                ("https://example.com/.well-known/apple-app-site-association", "example.com", .production),
                ("example.com/.well-known/apple-app-site-association", "example.com", .production),
                (
                    "https://app-site-association.cdn-apple.com/a/v1/Links.example.com", "links.example.com",
                    .production
                ),
                ("https://app-site-association.cdn-apple.com:443/a/v1/example.com/?x=1#y", "example.com", .production),
                ("app-site-association.cdn-apple.com/a/v1/bücher.example", "xn--bcher-kva.example", .production),
                ("app-site-association.cdn-apple.com", "app-site-association.cdn-apple.com", .production),
            ] as [(String, String, AssociationMode)])
        func target(_ text: String, _ name: String, _ mode: AssociationMode) throws {
            let target = try Target(parsing: text)
            #expect(target.domain == (try Domain(name)))
            #expect(target.mode == mode)
        }

        @Test(
            "a target keeps the service that it names",
            arguments: [
                ("example.com", nil), ("https://example.com/a", nil), ("*.example.com?mode=developer", nil),
                ("applinks:example.com", "applinks"), ("webcredentials:example.com?mode=managed", "webcredentials"),
                ("appclips:example.com", "appclips"), ("activitycontinuation:*.example.com", "activitycontinuation"),
            ] as [(String, String?)])
        func service(_ text: String, _ service: String?) throws {
            #expect(try Target(parsing: text).service == service)
        }

        @Test(
            "a target keeps the link as typed, and knows where the file may be by mistake",
            arguments: [
                ("example.com", nil, []), ("https://example.com", nil, []), ("https://example.com/", nil, []),
                ("https://example.com/.well-known/apple-app-site-association", nil, []),
                ("https://app-site-association.cdn-apple.com/a/v1/example.com", nil, []),
                (
                    "https://example.com/a?x=1#y", "https://example.com/a?x=1#y",
                    ["/a/.well-known/apple-app-site-association"]
                ),
                ("https://example.com?x=1", "https://example.com/?x=1", []),
                (
                    "https://example.com:443/a/b/", "https://example.com/a/b/",
                    ["/a/b/.well-known/apple-app-site-association", "/a/.well-known/apple-app-site-association"]
                ),
                (
                    "https://example.com/.well-known/apple-app-site-association.json",
                    "https://example.com/.well-known/apple-app-site-association.json",
                    ["/.well-known/apple-app-site-association.json"]
                ),
                ("https://example.com/a/.well-known/x", "https://example.com/a/.well-known/x", ["/a/.well-known/x"]),
            ] as [(String, String?, [String])])
        func link(_ text: String, _ link: String?, _ places: [String]) throws {
            let target = try Target(parsing: text)
            #expect(target.link == link)
            #expect(target.namedPlaces == places.map { "https://example.com\($0)" })
        }

        @Test(
            "anything else is refused, and the message quotes the input",
            arguments: [
                ("ftp://example.com", "'ftp' is not the scheme"), ("applinks:https://example.com", "is not the scheme"),
                ("applinks:", "it is empty"), ("applinks:example.com?mode=dev", "'dev' is not a mode"),
                ("applinks:example.com?foo=1", "'foo' is not a parameter of an entitlement"),
                ("applinks:example.com?mode=developer&foo", "'foo' is not a parameter of an entitlement"),
                ("applinks:example.com?mode=", "'' is not a mode"), ("https://", "it is empty"),
                ("https://example.com:8443/", "no port"), ("https://192.0.2.1/", "it is an IP address"),
                ("https://[::1]/", "it is an IP address"), ("https://a:b@example.com/", "no path, query, user"),
                ("applinks:example.com/path", "no path"), ("*.com", "no dot"), ("*", "no dot"),
                ("**.example.com", "'**' is not a valid label"),
                ("Applinks:example.com", "'Applinks' is not a service"),
                ("applink:example.com", "the services are activitycontinuation, appclips, applinks"),
                ("example.com:8443", "no port"), ("fd00::a.b", "it is an IP address"),
                ("https://ok.example:4430/", "no port; use --connect-to or --resolve"),
                ("https://ok.example:80/", "no port"), ("http://ok.example:443/", "no port"),
                ("https://ok.example:/", "no port"), ("ok.example:443:443", "it is an IP address"),
                ("applinks:ok.example:443", "no port"), ("applinks:example.com/", "no path"),
                ("example.com/path", "no path"), ("ok.example:443?mode=developer", "no port"),
                ("example.com/?mode=developer", "no path"), ("example.com/?x=1", "'x' is not a parameter"),
                ("localhost/", "no path"),
                ("https://app-site-association.cdn-apple.com/a/v1/", "add the domain whose copy you mean"),
                ("https://app-site-association.cdn-apple.com/", "add the domain whose copy you mean"),
                ("https://app-site-association.cdn-apple.com/a/v1/localhost", "no dot"),
            ])
        func refusedTarget(_ text: String, _ reason: String) throws {
            let fault = try #require(throws: DomainFault.self) { try Target(parsing: text) }
            #expect(fault.text == text)
            #expect(fault.reason.contains(reason))
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
