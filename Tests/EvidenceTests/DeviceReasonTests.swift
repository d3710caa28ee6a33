import Evidence
import Foundation
import Testing

extension EvidenceSuite {
    @Suite("What only the phone knows")
    struct DeviceReasonTests {
        static func link(
            _ host: String = "links.example.com", of domain: String? = nil, _ mode: AssociationMode = .production,
            app: String? = "ABCDE12345.com.example.app", others: [String] = []
        ) -> TappedLink {
            guard let own = try? Domain(host), let file = try? Domain(domain ?? host) else {
                preconditionFailure("no domain")
            }
            return TappedLink(
                url: "https://\(host)/trips/1", host: own, domain: file, mode: mode, app: app, otherApps: others)
        }

        static let always = [
            "address-bar", "same-domain", "chose-website", "file-not-read-yet", "entitlement-missing", "another-app",
            "redirecting-link", "in-app-browser", "other-browser", "browser-app", "device-report",
        ]

        @Test(
            "only reasons that can be true are listed",
            arguments: [
                (link(), always + ["wildcard", "old-system"]), (link("example.com"), always + ["old-system"]),
                (link("www.example.co.uk"), always + ["wildcard", "old-system"]),
                (link("example.co.uk"), always + ["old-system"]),
                (link("a.example.com", of: "example.com"), always + ["wildcard", "old-system"]),
                (link("example.com", of: nil, .developer), always + ["alternate-mode"]),
                (link("example.com", of: nil, .managed), always + ["alternate-mode"]),
                (link("xn--bcher-kva.example"), always + ["international-name", "old-system"]),
                // There is no file, so only the file of a parent domain can open the app.
                (link(app: nil), ["wildcard"]), (link("example.com", app: nil), []),
                (link("a.example.com", of: "example.com", app: nil), []),
                (link("example.com", of: nil, .developer, app: nil), []),
            ] as [(TappedLink, [String])])
        func possible(_ link: TappedLink, _ expected: [String]) {
            let ids = DeviceReason.possible(for: link).map(\.id)
            #expect(Set(ids) == Set(expected))
            #expect(ids == DeviceReason.identifiers.filter(ids.contains), "the order is that of the declarations")
        }

        @Test("identifiers are unique and stable in form")
        func identifiers() {
            let ids = DeviceReason.identifiers
            #expect(Set(ids).count == ids.count)
            for id in ids { #expect(id.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(id)") }
        }

        @Test("docs/reference/json.md names every identifier, in the same order")
        func documentation() throws {
            let page = URL(filePath: #filePath).appending(path: "../../../docs/reference/json.md").standardized
            let list = DeviceReason.identifiers.map { "`\($0)`" }.joined(separator: ", ")
            #expect(try String(contentsOf: page, encoding: .utf8).contains("compare `id`: \(list)."))
        }

        @Test(
            "each reason says what it is, how to test it and where Apple documents it",
            arguments: [
                link(), link("a.example.com", of: "example.com"), link("bücher.example", of: nil, .developerManaged),
                link(others: ["ABCDE12345.com.example.other"]), link("example.com", of: nil, .managed),
                link("example.com", of: nil, .developer),
            ])
        func words(_ link: TappedLink) {
            for reason in DeviceReason.possible(for: link) {
                #expect(reason.what.hasSuffix("."), "\(reason)")
                #expect(reason.source.hasPrefix("https://developer.apple.com/"), "\(reason)")
                for text in [reason.what, reason.test.text] {
                    #expect(
                        text.first?.isUppercase == true || text.hasPrefix("aasa-monitor ")
                            || text.hasPrefix("codesign "))
                    #expect((20...340).contains(text.count), "\(text.count): \(text)")
                    #expect(!text.contains("  ") && !text.contains("Optional(") && !text.contains(" ."), "\(text)")
                }
            }
        }

        @Test(
            "the entitlement in the text is the one that the file answers",
            arguments: [
                (link(), "without applinks:links.example.com:"),
                (link("a.example.com", of: "example.com"), "without applinks:*.example.com:"),
                (link("a.example.com", of: nil, .developer), "without applinks:a.example.com?mode=developer:"),
            ])
        func entitlement(_ link: TappedLink, _ words: String) throws {
            let reason = try #require(DeviceReason.possible(for: link).first { $0.id == "entitlement-missing" })
            #expect(reason.what.lowercased().contains(words.lowercased()), "\(reason.what)")
        }

        @Test(
            "a wildcard uses the file of the registered domain, never one of a registry such as co.uk",
            arguments: [
                (
                    "links.example.com", "applinks:*.example.com.",
                    "check 'applinks:*.example.com' --why 'https://links.example.com/"
                ),
                (
                    "a.b.example.com", "applinks:*.example.com.",
                    "check 'applinks:*.example.com' --why 'https://a.b.example.com/"
                ),
                ("www.example.co.uk", "applinks:*.example.co.uk.", "check 'applinks:*.example.co.uk' "),
            ])
        func wildcard(_ host: String, _ what: String, _ test: String) throws {
            let reason = try #require(DeviceReason.possible(for: Self.link(host)).first { $0.id == "wildcard" })
            #expect(reason.what.contains(what), "\(reason.what)")
            #expect(reason.test.text.contains(test), "\(reason.test.text)")
        }

        @Test("text from the site is cleaned before it reaches a terminal")
        func hostile() {
            let link = TappedLink(
                url: "https://example.com/\u{1B}[2J", host: Self.link().host, domain: Self.link().domain,
                mode: .production, app: "A\u{202E}B", otherApps: ["\u{7}" + String(repeating: "x", count: 5000)])
            for reason in DeviceReason.possible(for: link) {
                for text in [reason.what, reason.test.text] {
                    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E }, "\(reason.id)")
                    #expect(text.count < 600)
                }
            }
        }
    }
}
