import Evidence
import Facts
import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

@testable import Probing

extension ProbingTests {
    @Suite struct CertificateTests {
        struct Refusal: Sendable, CustomTestStringConvertible {
            let certificate: LabCertificate
            let problem: CertificateProblem
            /// The number of certificates that the server sends.
            let chain: Int
            var testDescription: String { "\(certificate)" }
        }

        @Test(
            "a refused chain is still read, and each fault has its own result",
            arguments: [
                Refusal(certificate: .expired, problem: .expired, chain: 2),
                Refusal(certificate: .notYetValid, problem: .notYetValid, chain: 2),
                Refusal(certificate: .wrongName, problem: .nameMismatch, chain: 2),
                Refusal(certificate: .selfSigned, problem: .selfSigned, chain: 1),
                Refusal(certificate: .untrustedRoot, problem: .untrustedRoot, chain: 2),
                Refusal(certificate: .missingIntermediate, problem: .incompleteChain, chain: 1),
                Refusal(certificate: .privateAuthority, problem: .incompleteChain, chain: 1),
            ])
        func refused(_ refusal: Refusal) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").certificate = refusal.certificate
                // A second handshake reads the chain, within 5 s.
                let seen = try await attempt {
                    try await scene.observe()
                } again: {
                    $0.origin.connection?.tls?.chain.isEmpty != false
                }
                #expect(seen.origin.failure?.kind == .certificate)
                let tls = try #require(seen.origin.connection?.tls)
                #expect(!tls.trusted)
                #expect(tls.problem == refusal.problem)
                #expect(tls.chain.count == refusal.chain)
                let names = refusal.certificate == .wrongName ? [LabCertificate.wrongNameHost] : ["site.test"]
                #expect(tls.chain.first?.names == names)
                #expect(tls.chain.first?.notAfter != nil)
                let namesIssuer = ![.selfSigned, .privateAuthority].contains(refusal.certificate)
                #expect((tls.chain.first?.issuerURL != nil) == namesIssuer)
                #expect(tls.detail?.isEmpty == false)
                // A server with an unverified certificate never gets a request.
                #expect(scene.requests("site.test").isEmpty)
            }
        }

        @Test("a certificate of a later hop is checked too")
        func laterHop() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").on(path: wellKnown, .redirect(status: 301, location: "https://b.test/f"))
                scene.lab.origin("b.test").certificate = .wrongName
                let seen = try await scene.observe()
                #expect(seen.origin.redirects.count == 1)
                #expect(seen.origin.failure?.kind == .certificate)
                #expect(seen.origin.connection?.tls?.problem == .nameMismatch)
            }
        }
    }
}
