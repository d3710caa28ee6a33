import Curl
import Facts
import Foundation
import Lab
import LabFaults
import TestTraits
import Testing

extension CurlTests {
    @Suite struct CertificateTests {
        static let table: [(LabCertificate, CertificateProblem?)] = [
            (.valid, nil), (.expired, .expired), (.notYetValid, .notYetValid), (.expiring(in: .seconds(86_400)), nil),
            (.wrongName, .nameMismatch), (.selfSigned, .selfSigned), (.untrustedRoot, .untrustedRoot),
            (.missingIntermediate, .incompleteChain), (.privateAuthority, .incompleteChain),
            (.missingSecondIntermediate, .incompleteChain), (.ingressDefault, .selfSigned), (.commonNameOnly, nil),
        ]

        @Test(
            "each bad certificate is refused for its own reason, and is visible from the handshake alone",
            arguments: table)
        func certificate(_ certificate: LabCertificate, _ problem: CertificateProblem?) async throws {
            try await withLab { lab, driver in
                lab.origin(host).certificate = certificate
                lab.origin(host).behaviour = .reply(.json("{}"))
                let result = try await driver.perform(request(site))
                #expect(
                    result.failure?.kind == (problem == nil ? nil : .certificate),
                    "\(String(describing: result.error))")
                let first = problem == .untrustedRoot ? .incompleteChain : problem
                #expect(result.connection.tls?.problem == first, "\(String(describing: result.error))")
                #expect(result.status == (problem == nil ? 200 : nil))

                var probed = request(site)
                probed.purpose = .unverifiedHandshake
                let seen = try await driver.perform(probed)
                #expect(seen.error == nil)
                #expect(seen.status == nil)
                let chain = try #require(seen.connection.tls?.chain)
                #expect(result.connection.tls?.problem?.refined(by: chain) == problem)
                let leaf = try #require(chain.first)
                let names =
                    switch certificate {
                    case .wrongName: [LabCertificate.wrongNameHost]
                    case .ingressDefault: ["ingress.local"]
                    case .commonNameOnly: [] as [String]
                    default: [host]
                    }
                #expect(leaf.names == names)
                let namesIssuer = ![.selfSigned, .ingressDefault, .privateAuthority].contains(certificate)
                #expect(leaf.issuerURL == (namesIssuer ? "http://ca.test/issuer.cer" : nil))
                #expect(leaf.notBefore != nil && leaf.notAfter != nil)
                #expect((try #require(leaf.notAfter) < Date()) == (certificate == .expired))
                #expect(lab.origin(host).requests.count == (problem == nil ? 1 : 0), "a handshake sends no request")
            }
        }

        @Test("a good answer has version, chain, dates and timings")
        func facts() async throws {
            try await withLab { lab, driver in
                lab.origin(host).behaviour = .reply(.json("{}"))
                let result = try await driver.perform(request(site))
                let facts = result.connection
                let tls = try #require(facts.tls)
                #expect(tls.version == "TLSv1.3")
                #expect(facts.httpVersion == "1.1")
                #expect(tls.chain.count == 2, "leaf and intermediate")
                #expect(tls.chain.first?.issuer == tls.chain.last?.subject)
                #expect(tls.trusted)
                #expect(!result.isReused && !facts.viaProxy)
                let steps = [facts.timings.dns, facts.timings.connect, facts.timings.tls, facts.timings.firstByte]
                let known = steps.compactMap { $0 } + [facts.timings.total]
                #expect(known.count == 5)
                #expect(known == known.sorted())
                // The driver was given the address.
                #expect(facts.timings.dns == 0)
            }
        }

        /// In the format of a distribution; certificates outside it are not trusted.
        @Test("a directory of hashed certificates gives the same results", arguments: table)
        func folder(_ certificate: LabCertificate, _ problem: CertificateProblem?) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await withLab { lab, _ in
                try FileManager.default.copyItem(atPath: lab.caFile, toPath: folder.appending(path: "lab.pem").path)
                let rehash = try await ChildProcess.run(
                    URL(filePath: "/usr/bin/env"), ["openssl", "rehash", folder.path])
                try #require(rehash.exitCode == 0, "\(rehash.errors)")
                let driver = try CurlDriver(
                    network: NetworkSettings(caFolder: folder.path, connectTo: [lab.connectTo]))
                lab.origin(host).certificate = certificate
                lab.origin(host).behaviour = .reply(.json("{}"))
                let result = try await driver.perform(request(site))
                #expect(result.connection.tls?.problem == (problem == .untrustedRoot ? .incompleteChain : problem))
                #expect(result.status == (problem == nil ? 200 : nil))
                await driver.shutdown()
            }
        }

        @Test("an unreadable CA file is our fault, not the site's")
        func trustStore() async throws {
            let lab = try await Lab.start()
            let driver = try CurlDriver(
                network: NetworkSettings(caFile: "/nonexistent/ca.pem", connectTo: [lab.connectTo]))
            _ = lab.origin(host)
            let result = try await driver.perform(request(site))
            #expect(result.error?.code.description == "trust-store" && result.failure?.kind == .own)
            await driver.shutdown()
            await lab.shutdown()
        }

        @Test("the distribution's bundle does not trust the lab")
        func defaultBundle() async throws {
            let lab = try await Lab.start()
            let driver = try CurlDriver(network: NetworkSettings(connectTo: [lab.connectTo]))
            _ = lab.origin(host)
            let result = try await driver.perform(request(site))
            #expect(result.failure?.kind == .certificate)
            #expect(result.connection.tls?.problem == .incompleteChain)
            await driver.shutdown()
            await lab.shutdown()
        }
    }
}
