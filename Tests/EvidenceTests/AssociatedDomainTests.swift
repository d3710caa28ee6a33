import Evidence
import Foundation
import Testing

extension EvidenceSuite {
    /// Entries as people wrote them, and what devices make of them. Each misspelling was met in a project or a forum.
    @Suite("An associated domain of an app")
    struct AssociatedDomainTests {
        @Test(
            "an entry is read as devices read it",
            arguments: [
                "applinks:example.com", "webcredentials:*.example.com?mode=developer", "appclips:a.example.com",
                "authsrv:sso.example.com?mode=managed", "applinks:example.com?mode=developer+managed",
            ])
        func right(_ text: String) throws {
            #expect(try AssociatedDomain(parsing: text).text == text)
        }

        @Test(
            "a misspelt entry gets its correction",
            arguments: [
                ("links.example.com", "it does not begin with a service", "applinks:links.example.com"),
                ("https://example.com/a", "it does not begin with a service", "applinks:example.com"),
                ("applinks:*example.com", "a wildcard must begin with one '*.'", "applinks:*.example.com"),
                ("applinks:*.*.example.com", "a wildcard must begin with one '*.'", "applinks:*.example.com"),
                ("app links:*.example.com", "'app links' is not a service", "applinks:*.example.com"),
                ("Applinks:example.com", "'Applinks' is not a service", "applinks:example.com"),
                ("webcredential:example.com", "'webcredential' is not a service", "webcredentials:example.com"),
                (
                    "applinks:example:com", "a second colon begins a port, and 'com' is not a port",
                    "applinks:example.com"
                ),
                ("applinks:example,com", "a comma is not a dot", "applinks:example.com"),
                ("applinks:example.com:443", "a port (':443') does not belong in it", "applinks:example.com"),
                ("applinks:https://www.example.com/path/", "the path '/path/' does not", "applinks:www.example.com"),
                ("applinks://example.com", "the domain must follow the service's colon", "applinks:example.com"),
                ("applinks=example.com", "a colon must follow the service", "applinks:example.com"),
                ("applinks:example.com/", "a slash at the end", "applinks:example.com"),
                ("applinks: example.com", "it contains a space", "applinks:example.com"),
                ("applinks:example.com\n", "it contains a space", "applinks:example.com"),
                ("\u{201C}applinks:example.com\u{201D}", "it contains a character", "applinks:example.com"),
                ("applinks:example.com?mode= managed", "it contains a space", "applinks:example.com?mode=managed"),
                (
                    "applinks:example.com?mode=developer+ managed", "it contains a space",
                    "applinks:example.com?mode=developer+managed"
                ),
                ("applinks:example.com?mode=dev", "'dev' is not a mode", "applinks:example.com?mode=developer"),
                ("applinks:example.com?developer", "'developer' is not a para", "applinks:example.com?mode=developer"),
                (
                    "applinks:example.com&mode=developer", "the mode must begin with '?'",
                    "applinks:example.com?mode=developer"
                ),
                ("applinks:example.com?mode=production", "'production' is not a mode", "applinks:example.com"),
                ("applinks:example.com?id=1", "'id' is not a parameter", "applinks:example.com"),
                ("appclips:*.example.com", "App Clips have no wildcards", "appclips:example.com"),
                ("applinks:localhost", "only in developer mode", "applinks:localhost?mode=developer"),
            ])
        func corrected(_ text: String, _ why: String, _ write: String) throws {
            let fault = #expect(throws: AssociatedDomainFault.self) { try AssociatedDomain(parsing: text) }
            #expect(fault?.why.contains(why) == true, "\(fault?.why ?? "")")
            #expect(fault?.write == [write])
            #expect(fault?.isOfDeviceAlone == false)
        }

        @Test(
            "what is not clear is not guessed",
            arguments: [
                "applinks:", "", ":", "applinks:$(HOST)", "applinks:localdomain", "links:", "foo:example.com",
                "applinks:example.com?mode=fast", "applinks:a*.example.com", "applinks:..",
                "applinks:" + String(repeating: "a.", count: 600),
            ])
        func unclear(_ text: String) throws {
            let fault = #expect(throws: AssociatedDomainFault.self) { try AssociatedDomain(parsing: text) }
            #expect(fault?.write == [], "\(fault?.words ?? "")")
            #expect(fault?.why.isEmpty == false)
        }

        @Test(
            "several entries in one are told apart",
            arguments: ["applinks:a.example.com, webcredentials:b.example.com", "applinks:a.example.com,b.example.com"])
        func several(_ text: String) throws {
            let fault = #expect(throws: AssociatedDomainFault.self) { try AssociatedDomain(parsing: text) }
            let second = text.contains("webcredentials") ? "webcredentials" : "applinks"
            #expect(fault?.write == ["applinks:a.example.com", "\(second):b.example.com"])
        }

        @Test("the device itself is read by itself", arguments: ["localhost", "192.0.2.1", "[::1]"])
        func device(_ host: String) throws {
            let text = "webcredentials:\(host)?mode=developer"
            let fault = #expect(throws: AssociatedDomainFault.self) { try AssociatedDomain(parsing: text) }
            #expect(fault?.isOfDeviceAlone == true)
            #expect(fault?.text.effect.contains("cannot be checked from here") == true)
        }

        @Test("a target that nobody can read gets the correction, where it names a service")
        func target() {
            #expect(AssociatedDomain.correction(ofTarget: "applinsk:site.test") == "applinks:site.test")
            #expect(AssociatedDomain.correction(ofTarget: "localhost") == nil)
        }

        @Test("which entry covers which")
        func covers() throws {
            func entry(_ text: String) throws -> AssociatedDomain { try AssociatedDomain(parsing: text) }
            #expect(try entry("applinks:*.a.test").covers(entry("applinks:b.a.test")))
            #expect(try entry("applinks:*.a.test").covers(entry("applinks:a.test")))
            #expect(try !entry("applinks:a.test").covers(entry("applinks:*.a.test")))
            #expect(try !entry("applinks:a.test").covers(entry("webcredentials:a.test")))
        }
    }
}
