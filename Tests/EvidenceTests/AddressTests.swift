import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Addresses")
    struct AddressTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            var origin = Reply.file(SampleFile.version(1))
            var mode = AssociationMode.production
            let scene: Scene
            let findings: [String]
            /// Words that the first message must hold.
            let words: [String]

            init(
                _ name: String, origin: Reply = good, mode: AssociationMode = .production, _ scene: Scene,
                _ findings: [String], _ words: [String] = []
            ) {
                testDescription = name
                self.origin = origin
                self.mode = mode
                self.scene = scene
                self.findings = findings
                self.words = words
            }
        }

        static let good = Reply.file(SampleFile.version(1))
        static let other = Reply.file(SampleFile.version(2))
        static let calm = Scene.calm(good, cdn: good)

        static func placed(_ scopes: AddressScope..., source: Resolution.Source = .system) -> Scene {
            calm.with {
                $0.source = source
                $0.addresses = scopes.enumerated().map {
                    ($0.offset == 0 ? "192.0.2.1" : "2001:db8::\($0.offset)", $0.element, good)
                }
            }
        }

        static let scopes: [Row] = [
            Row("all public", placed(.public, .public), []),
            Row(
                "all private", placed(.private, .private), ["origin.not-public-address warning"],
                ["192.0.2.1 (a private address)", "does not connect"]),
            Row(
                "an overlay network", placed(.carrierGrade, .public), ["origin.not-public-address warning"],
                ["1 of the domain's 2 addresses"]),
            Row("loopback in /etc/hosts", placed(.loopback, .loopback), ["origin.not-public-address warning"]),
            Row(
                "all private, and Apple has no copy",
                placed(.private, .private).edges([.status(404)]), ["origin.not-public-address error"]),
            Row(
                "all private, and Apple was refused at one edge",
                placed(.private, .private).edges([
                    good, .crawler("SWCERR00202 Connections to private/reserved IP addresses are not allowed"),
                ]), ["origin.not-public-address error"]),
            Row("a test server of the user's own", placed(.loopback, .loopback, source: .rules), []),
            Row(
                "a private address of the user's own", placed(.private, .public, source: .rules),
                ["origin.not-public-address warning"]),
            Row("a proxy resolves", placed(.private, .private, source: .proxy), []),
            Row("developer mode", mode: .developer, placed(.private, .private), []),
            Row("managed mode", mode: .managed, placed(.loopback, .linkLocal), []),
        ]

        static let dead: [Row] = [
            Row(
                "one of three does not answer",
                calm.addresses([good, .failed(.timedOut), good], six: [good]), ["origin.address-unreachable error"],
                ["1 of the 4", "192.0.2.2 does not accept the connection in time"]),
            Row(
                "IPv6 is dead", calm.addresses([good], six: [.failed(.timedOut)]), ["origin.ipv6-broken warning"],
                ["no IPv6 address"]),
            Row(
                "IPv6 is dead, and an IPv4 address too",
                calm.addresses([good, .failed(.connectionRefused)], six: [.failed(.timedOut), .failed(.timedOut)]),
                ["origin.address-unreachable error", "origin.ipv6-broken warning"], ["192.0.2.2 refuses"]),
            Row(
                "half of IPv6 is dead", calm.addresses([good], six: [good, .failed(.timedOut)]),
                ["origin.address-unreachable error"], ["2001:db8::2"]),
            Row(
                "this machine has no IPv6",
                calm.addresses([good], six: [.failed(.unreachable), .failed(.unreachable)]).edges([good]),
                ["origin.ipv6-unchecked note"], ["were not checked"]),
            Row(
                "no route to the server, though an edge answers over IPv6",
                calm.addresses([good], six: [.failed(.unreachable)]), ["origin.ipv6-broken warning"]),
            Row(
                "packets over IPv6 vanish, those to Apple's edges too",
                calm.addresses([good], six: [.failed(.timedOut)]).with { $0.edges[1].reply = .failed(.timedOut) },
                ["origin.ipv6-unchecked note"], ["were not checked"]),
            Row(
                "IPv6 times out, and no edge was asked over IPv6",
                calm.addresses([good], six: [.failed(.timedOut)]).edges([good]), ["origin.ipv6-broken warning"]),
            Row(
                "IPv4 is dead",
                calm.with { $0.addresses[0] = ("192.0.2.9", .public, .failed(.timedOut)) },
                ["origin.address-unreachable error"], ["192.0.2.9"]),
            Row(
                "IPv4 answered the request by name and left another", calm.addresses([.failed(.timedOut)], six: [good]),
                ["origin.address-stalls warning"], ["192.0.2.1"]),
            Row("only IPv4 is no news", calm.addresses([good, good]), []),
            Row(
                "only IPv4, and Apple's crawler is answered by nobody",
                calm.addresses([good, good]).edges([.crawler("SWCERR00301 Timeout")]), ["origin.single-family note"]),
            Row(
                "only IPv4, and Apple's crawler is refused",
                calm.addresses([good]).edges([.crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden")]), []),
            Row("only IPv6", calm.addresses([], six: [good]), ["origin.single-family note"], ["IPv6 addresses only"]),
            Row(
                "only IPv4 by the user's own word", calm.addresses([good]).with { $0.source = .rules }, []),
            Row(
                "nothing answers at all", origin: .failed(.timedOut, .connecting),
                calm.addresses([.failed(.timedOut)], six: [.failed(.timedOut)]).refusing(.failed(.timedOut)),
                ["origin.timeout error"]),
            Row("our own fault", calm.addresses([.failed(.own), good], six: [good]), []),
            Row(
                "a private address that is out of reach is told once",
                calm.with { $0.addresses.append(("10.0.0.1", .private, .failed(.timedOut))) },
                ["origin.not-public-address warning"]),
        ]

        static let differing: [Row] = [
            Row(
                "two files", calm.addresses([good, other], six: [good]), ["origin.address-differs error"],
                ["192.0.2.1, 2001:db8::1 each serves a file", "192.0.2.2 serves a file"]),
            Row(
                "one has none", calm.addresses([good, .status(404)], six: [good]), ["origin.address-differs error"],
                ["192.0.2.2 answers with status 404"]),
            Row(
                "one redirects",
                calm.addresses([good, Reply.status(301).redirected(to: "https://x.test/")], six: [good]),
                ["origin.address-differs error"], ["192.0.2.2 redirects to https://x.test/"]),
            Row(
                "one serves a page", calm.addresses([good, .file("<html>")], six: [good]),
                ["origin.address-differs error"], ["an HTML page"]),
            Row(
                "one breaks off",
                calm.addresses(
                    [
                        good,
                        good.with {
                            $0.end = .cutShort(Failure(kind: .connectionReset, phase: .receiving, detail: "reset"))
                        },
                    ], six: [good]), ["origin.address-differs error"], ["does not send the whole file"]),
            Row(
                "formatting", calm.addresses([good, .file(SampleFile.spaced(1))], six: [good]),
                ["origin.address-differs note"], ["with the same meaning"]),
            Row(
                "pages of one status are not compared", origin: .status(404),
                calm.addresses([.status(404), .status(404).with { $0.body.append(1) }], six: [.status(404)]),
                ["origin.status error"]),
            Row("servers behind one address, which one check does not compare", origin: other, calm, []),
            Row(
                "the request by name met the bad one", origin: .status(404),
                calm.addresses([.status(404), good], six: [good]),
                ["origin.status error", "origin.address-differs error"], ["at 192.0.2.1"]),
            Row(
                "one request too many", calm.addresses([.status(429), good], six: [.status(429)]),
                ["origin.rate-limited note"]),
            Row(
                "one request too many, by a server that says 503", calm.addresses([.status(503), good], six: [good]),
                ["origin.rate-limited note"]),
            Row(
                "a server without capacity among others", calm.addresses([good, .status(503)], six: [good]),
                ["origin.address-differs error"], ["192.0.2.2 answers with status 503"]),
            Row(
                "both redirect alike", origin: good.redirected(to: "https://www.example.com/"),
                calm.addresses(
                    [Reply.status(301).redirected(to: "https://www.example.com/")],
                    six: [Reply.status(301).redirected(to: "https://www.example.com/")]
                ).refusing(Reply.status(301).redirected(to: "https://www.example.com/")),
                ["origin.redirect warning"]),
        ]

        static let certificates: [Row] = [
            Row(
                "expired at one", calm.addresses([good, .certificate(.expired)], six: [good]),
                ["origin.certificate-expired error"], ["At 192.0.2.2 only (1 of 3 addresses)"]),
            Row(
                "two faults at two",
                calm.addresses([good, .certificate(.expired), .certificate(.nameMismatch)], six: [good]),
                ["origin.certificate-expired error", "origin.certificate-name-mismatch error"]),
            Row(
                "one fault at all is told once", origin: .certificate(.selfSigned),
                calm.addresses([.certificate(.selfSigned)], six: [.certificate(.selfSigned)]).refusing(
                    .certificate(.selfSigned)),
                ["origin.certificate-untrusted error"], ["the certificate is self-signed"]),
            Row(
                "ends soon at one", calm.addresses([good, good.expiring(at: .testing + 3 * 86400)], six: [good]),
                ["origin.certificate-expiring warning"], ["At 192.0.2.2 only"]),
            Row(
                "no TLS at one", calm.addresses([good, .failed(.tlsHandshake, .handshaking)], six: [good]),
                ["origin.tls-failed error"], ["At 192.0.2.2 only"]),
        ]

        @Test("each scene gives exactly these findings", arguments: scopes + dead + differing + certificates)
        func findings(_ row: Row) throws {
            let cdn: Reply? = row.mode == .production ? Self.good : nil
            let scene = row.mode == .production ? row.scene : row.scene.with { $0.edges = [] }
            let verdict = try verdict(
                origin: row.origin, cdn: cdn, unasked: .mode, mode: row.mode, scene: scene)
            let told = verdict.told.filter { !$0.hasPrefix("cdn.") && !$0.hasPrefix("origin.crawler") }
            #expect(told == row.findings)
            for words in row.words {
                #expect(
                    verdict.findings.first?.message.lowercased().contains(words.lowercased()) == true,
                    "no '\(words)' in: \(verdict.findings.first?.message ?? "")")
            }
            for finding in verdict.findings {
                #expect(!finding.message.isEmpty && finding.message.hasSuffix("."), "\(finding.rule)")
                #expect(!finding.fix.isEmpty && finding.fix.hasSuffix("."), "\(finding.rule)")
                #expect(finding.reference.hasPrefix("https://"), "\(finding.rule)")
            }
        }
    }
}
