import Facts
import Foundation
import TestSupport
import Testing

@testable import Evidence

extension EvidenceSuite {
    @Suite("TLS")
    struct CertificateTests {
        static func certificate(_ subject: String, by issuer: String, days: Double = 100) -> CertificateFacts {
            CertificateFacts(
                subject: subject, issuer: issuer, notBefore: .testing - 100 * 86400, notAfter: .testing + days * 86400,
                names: subject == "leaf" ? ["example.com"] : [], issuerURL: "http://ca.example/issuer.cer")
        }

        static func own(_ subject: String, _ names: [String] = ["ingress.local"]) -> CertificateFacts {
            CertificateFacts(
                subject: subject, issuer: subject, notBefore: .testing - 100 * 86400, notAfter: .testing + 86400 * 100,
                names: names)
        }

        static func served(_ chain: CertificateFacts...) -> Reply {
            Reply.file(SampleFile.version(1)).with { $0.tls?.chain = chain }
        }

        static func refused(_ problem: CertificateProblem, _ chain: CertificateFacts...) -> Reply {
            Reply.certificate(problem).with { $0.tls?.chain = chain }
        }

        @Test(
            "an authority has the name that people know, and no list of attributes",
            arguments: [
                ("C = US, O = Let's Encrypt, CN = R11", "R11"), ("CN=mkcert", "mkcert"), ("R3", "R3"),
                ("C = US, O = Example Trust", "Example Trust"), ("C = DE, CN =", "C = DE, CN ="), ("", ""),
                (#"C = US, O = "Example, Inc.", OU = A"#, "Example, Inc."),
                (#"O = "Entrust, Inc.", CN = "Entrust CA, L1K""#, "Entrust CA, L1K"),
                ("CNX = a, O = b", "b"), ("C = US, ST = Ohio", "C = US, ST = Ohio"),
            ])
        func authority(_ subject: String, _ name: String) { #expect(CertificateFacts.name(in: subject) == name) }

        @Test("sentences name the authority, and the evidence keeps all that the certificate says")
        func authorityInSentence() throws {
            let issuer = "C = US, O = Let's Encrypt, CN = R11"
            let reply = Self.refused(.incompleteChain, Self.certificate("leaf", by: issuer))
            let finding = try #require(try verdict(origin: reply, cdn: nil).findings.first)
            #expect(finding.text.message.contains("(R11 is missing)"), "\(finding.text.message)")
            #expect(finding.text.evidence["missing_issuer"] == issuer)
            #expect(finding.text.evidence["issuer"] == issuer)
        }

        @Test(
            "the certificate at fault is named, be it the leaf or one above it",
            arguments: [
                (refused(.incompleteChain, certificate("leaf", by: "R3")), "R3 is missing"),
                (
                    refused(.incompleteChain, certificate("leaf", by: "R3"), certificate("R3", by: "Root X")),
                    "Root X is missing"
                ),
                (
                    refused(.incompleteChain, certificate("leaf", by: "R3"), certificate("stray", by: "Other")),
                    "R3 is missing"
                ),
                (
                    refused(.untrustedRoot, certificate("leaf", by: "CA"), certificate("CA", by: "CA")),
                    "not publicly trusted (CA)"
                ),
                (refused(.expired, certificate("leaf", by: "R3", days: -1)), "the certificate expired on"),
                (
                    refused(.expired, certificate("leaf", by: "R3"), certificate("R3", by: "X", days: -1)),
                    "an intermediate certificate expired on 20 Nov 2026 (R3)"
                ),
                (refused(.nameMismatch, certificate("leaf", by: "R3")), "but for example.com"),
                (
                    refused(.selfSigned, own("O = Acme Co, CN = Kubernetes Ingress Controller Fake Certificate")),
                    "default certificate of its software (Kubernetes Ingress Controller Fake Certificate"
                ),
                (refused(.selfSigned, own("CN = TRAEFIK DEFAULT CERT")), "software (TRAEFIK DEFAULT CERT"),
                (refused(.expired, own("C = CH, O = Plesk, CN = Plesk")), "software (Plesk"),
                (refused(.selfSigned, own("CN=localhost")), "does not know example.com"),
                (
                    refused(.selfSigned, own("C = --, O = MyCompany, CN = localhost.localdomain, emailAddress = x@y")),
                    "software (localhost.localdomain"
                ),
                // A name that means nobody, and the host among the others.
                (refused(.selfSigned, own("CN = web server", ["example.com"])), "is self-signed"),
                (refused(.selfSigned, own("CN = server7.hoster.example")), "is self-signed"),
            ])
        func named(_ reply: Reply, _ words: String) throws {
            let finding = try #require(try verdict(origin: reply, cdn: nil).findings.first)
            #expect(finding.message.lowercased().contains(words.lowercased()), "no '\(words)' in: \(finding.message)")
        }

        @Test("that an intermediate is missing is said only where the certificate tells where it is found")
        func privateAuthority() throws {
            var leaf = Self.certificate("leaf", by: "CN=mkcert")
            leaf.issuerURL = nil
            let verdict = try verdict(origin: Self.refused(.incompleteChain, leaf), cdn: nil)
            #expect(verdict.told == ["origin.certificate-untrusted error"])
            let finding = try #require(verdict.findings.first)
            #expect(finding.text.evidence["missing_issuer"] == "CN=mkcert")
            for words in [
                "mkcert", "an intermediate certificate is missing", "public authority, with its full chain",
            ] {
                #expect(
                    verdict.text.oneLine.lowercased().contains(words.lowercased()),
                    "no '\(words)' in: \(verdict.text.oneLine)")
            }
            #expect(!verdict.text.oneLine.contains("browsers"))
        }

        @Test(
            "a place in a company's own network is no place where everybody finds the issuer",
            arguments: [
                ("http://x1.i.lencr.org/", true), ("https://pki.example.com/ca.cer", true),
                ("http://pki/ca.cer", false),
                ("http://pki.corp.local/ca.cer", false), ("ldap:///CN=Corp,CN=AIA?cACertificate", false), ("", false),
            ])
        func issuerLocation(_ url: String, _ isPublic: Bool) throws {
            var intermediate = Self.certificate("R3", by: "Root X2")
            intermediate.issuerURL = url
            let chain = [Self.certificate("leaf", by: "R3"), intermediate]
            let reply = Reply.certificate(.incompleteChain).with { $0.tls?.chain = chain }
            let rule = isPublic ? "origin.certificate-chain-incomplete error" : "origin.certificate-untrusted error"
            #expect(try verdict(origin: reply, cdn: nil).told == [rule])
        }

        @Test("a certificate without a subject alternative name is refused by iOS, though OpenSSL takes it")
        func withoutNames() throws {
            let bare = Self.served(Self.own("CN = example.com", []))
            let all = try verdict(origin: bare, cdn: Story.good, scene: .calm(bare, cdn: Story.good))
            #expect(all.told == ["origin.certificate-name-mismatch error"])
            #expect(all.text.oneLine.contains("only as its common name") && !all.text.oneLine.contains("may use any"))
            let one = try verdict(
                origin: Story.good, cdn: Story.good,
                scene: Scene.calm(Story.good, cdn: Story.good).addresses([Story.good, bare], six: [Story.good]))
            #expect(one.told == ["origin.certificate-name-mismatch error"])
            #expect(one.text.oneLine.contains("At 192.0.2.2 only"))
            // Another TLS library tells neither version nor names.
            #expect(try verdict(origin: bare.with { $0.tls?.version = nil }, cdn: nil).findings.isEmpty)
        }

        static func named(_ names: [String], days: Double = -1) -> CertificateFacts {
            var leaf = certificate("leaf", by: "R3", days: days)
            leaf.names = names
            return leaf
        }

        @Test(
            "a certificate that is out of date and for another name is told as both",
            arguments: [
                (["x.example"], true), (["*.www.example.com", "example.org"], true), (["*.com"], false),
                (["*.example.com"], true), (["EXAMPLE.com"], false), (["www.example.com", "example.com"], false),
                ([], false),
            ] as [([String], Bool)])
        func expiredForAnotherName(_ names: [String], _ isForAnother: Bool) throws {
            let old = try verdict(origin: Self.refused(.expired, Self.named(names)), cdn: nil)
            let early = try verdict(origin: Self.refused(.notYetValid, Self.named(names)), cdn: nil)
            #expect(old.told == ["origin.certificate-expired error"])
            for verdict in [old, early] {
                #expect(verdict.text.oneLine.contains("is not for ") == isForAnother)
                #expect(verdict.text.oneLine.contains("must include ") == isForAnother)
            }
        }

        @Test(
            "an intermediate that the chain leads through is dated, a stray one is not",
            arguments: [
                (
                    served(certificate("leaf", by: "R3"), certificate("R3", by: "X", days: 3)),
                    ["origin.certificate-chain-expiring warning"]
                ),
                (
                    served(certificate("leaf", by: "R3"), certificate("R3", by: "X", days: -3)),
                    ["origin.certificate-chain-expired note"]
                ),
                (served(certificate("leaf", by: "R3"), certificate("old", by: "X", days: -3)), []),
                (served(certificate("leaf", by: "X"), certificate("X", by: "X", days: 3)), []),
                (served(certificate("leaf", by: "R3"), certificate("R3", by: "leaf", days: 30)), []),
            ] as [(Reply, [String])])
        func dates(_ reply: Reply, _ findings: [String]) throws {
            #expect(try verdict(origin: reply, cdn: nil).told == findings)
        }

        @Test(
            "a handshake that fails is told by the alert, or by its absence",
            arguments: [
                ("error:0A00010B:SSL routines::wrong version number", HandshakeFault.plainText),
                ("TLS connect error: error:0A0000C6:SSL routines::packet length too long", .plainText),
                ("error:0A000458:SSL routines::tlsv1 unrecognized name", .unknownName),
                ("error:0A000458:SSL routines::ssl/tls alert unrecognized name", .unknownName),
                ("error:0A000458:SSL routines::tlsv1 alert unrecognized_name", .unknownName),
                ("error:0A000410:SSL routines::sslv3 alert handshake failure", .noCommonCipher),
                ("error:0A000410:SSL routines::ssl/tls alert handshake failure (0x28)", .noCommonCipher),
                ("error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0", .clientCertificate),
                ("error:0A000438:SSL routines::tlsv1 alert internal error", .alert("internal error")),
                ("unexpected eof while reading", .closed), ("", .other), ("alert ", .other),
            ])
        func handshake(_ words: String, _ fault: HandshakeFault) throws {
            #expect(HandshakeFault(words: words) == fault)
            let reply = Reply.failed(.tlsHandshake, .handshaking).with { $0.failure?.detail = words }
            let finding = try #require(try verdict(origin: reply, cdn: nil).findings.first)
            #expect(finding.rule.rawValue == "origin.tls-failed")
            if case .alert(let name) = fault { #expect(finding.message.contains("'\(name)'")) }
        }

        @Test(
            "a redirect to a login page, or by way of HTTP, is no matter of taste",
            arguments: [
                ("https://example.com/login?next=x", "origin.redirect error", "login page"),
                ("https://sso.example.com/", "origin.redirect error", "login page"),
                ("https://example.com/accounts/signin.php", "origin.redirect error", "login page"),
                ("https://example.com/author", "origin.redirect warning", "not allowed"),
            ])
        func login(_ target: String, _ told: String, _ words: String) throws {
            let verdict = try verdict(
                origin: Reply.file(SampleFile.version(1)).redirected(to: target, status: 302), cdn: nil)
            #expect(verdict.told == [told])
            let finding = try #require(verdict.findings.first)
            #expect(finding.message.lowercased().contains(words.lowercased()), "no '\(words)' in: \(finding.message)")
            #expect(finding.text.evidence["redirects"] == "https example.com → 302 → \(target)")
        }

        @Test("a hop through HTTP is an error though it ends within HTTPS")
        func insecureHop() throws {
            var reply = Reply.file(SampleFile.version(1)).redirected(to: "http://example.com/")
            reply.redirects.append(
                RedirectHop(
                    status: 301, from: "http://example.com/", location: "https://example.com/b",
                    target: "https://example.com/b"))
            let found = try verdict(origin: reply, cdn: nil)
            #expect(found.told == ["origin.redirect-insecure error"])
        }
    }
}
