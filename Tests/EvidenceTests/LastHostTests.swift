// A finding names the host that it is about. Behind a redirect this is not the domain.

import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("The host behind a redirect")
    struct LastHostTests {
        static let good = Reply.file(SampleFile.version(1))
        static let target = "https://www.example.com/x"
        static let moved = Reply.status(301).redirected(to: target)
        /// Every address of the domain redirects.
        static let scene = Scene.calm(moved, cdn: good)

        static func tls(_ words: String) -> Reply {
            Reply.failed(.tlsHandshake, .handshaking).with { $0.failure?.detail = words }
        }

        @Test(
            "a fault behind a redirect names the host behind it",
            arguments: [
                (Reply.certificate(.nameMismatch), "is not for www.example.com", "names include www.example.com"),
                (.certificate(.expired), "the certificate expired", "renew"),
                (tls("tlsv1 unrecognized name"), "does not know the name www.example.com", "add www.example.com"),
                (tls("unexpected eof"), "TLS", "certificate for www.example.com"),
                (.failed(.nameNotFound, .resolving), "www.example.com does not resolve", "A and AAAA records"),
                (.failed(.timedOut, .waiting), "did not answer", "cold start"), (.status(404), "status 404", "deploy"),
                (.status(503), "the server answers with status 503", "error log"),
            ])
        func behind(_ reply: Reply, _ words: String, _ fix: String) throws {
            for scene in [nil, Self.scene] {
                let reply = reply.redirected(to: Self.target)
                let verdict =
                    if let scene { try verdict(origin: reply, cdn: nil, scene: scene) } else {
                        try verdict(origin: reply, cdn: nil)
                    }
                let finding = try #require(verdict.findings.first)
                #expect(finding.message.hasPrefix("Behind the redirect to www.example.com: "), "\(finding.message)")
                #expect(
                    finding.message.lowercased().contains(words.lowercased()), "no '\(words)' in: \(finding.message)")
                #expect(finding.fix.lowercased().contains(fix.lowercased()), "\(finding.fix)")
                #expect(finding.text.evidence["redirect_host"] == "www.example.com")
                // The address is one of the domain's own, which the other host may share.
                #expect(!finding.message.contains("192.0.2.1 only"), "\(finding.message)")
                #expect(verdict.text.oneLine.contains("www.example.com"), "\(verdict.text.oneLine)")
            }
        }

        @Test("a page instead of the file is from the host behind the redirect")
        func page() throws {
            let reply = Reply.page(200, "<!doctype html><title>Home</title>").redirected(to: Self.target)
            let findings = try verdict(origin: reply, cdn: nil).findings
            let type = try #require(findings.first { $0.rule.rawValue == "origin.content-type" })
            #expect(type.message.hasPrefix("Behind the redirect to www.example.com: "), "\(type.message)")
        }

        @Test("a fault at an address of the domain names the domain, wherever the domain redirects to")
        func address() throws {
            let scene = Self.scene.addresses([Self.moved, .certificate(.nameMismatch)])
            let verdict = try verdict(
                origin: Reply.certificate(.nameMismatch).redirected(to: Self.target), cdn: nil, scene: scene)
            let messages = verdict.findings.filter { $0.rule.rawValue == "origin.certificate-name-mismatch" }.map(
                \.message)
            #expect(
                messages == [
                    "Behind the redirect to www.example.com: The certificate is not for www.example.com but for example.com.",
                    "At 192.0.2.2 only (1 of 2 addresses): The certificate is not for example.com but for example.com.",
                ])
        }

        @Test("a fault at the only address that answers says that the others do not answer")
        func lastAddress() throws {
            let expired = Reply.certificate(.expired)
            let scene = Scene.calm(expired, cdn: Self.good).addresses([expired, .failed(.timedOut)])
            let messages = try verdict(origin: expired, cdn: nil, scene: scene).findings.map(\.message)
            #expect(
                messages.contains { $0.hasPrefix("At 192.0.2.1, while the other addresses do not answer: ") },
                "\(messages)")
            #expect(
                messages.contains { $0.hasPrefix("1 of the 2 addresses does not answer: ") },
                "\(messages)")
        }

        @Test("a redirect within the host, or one that was not followed, names no other host")
        func here() throws {
            let within = try verdict(origin: Reply.status(404).redirected(to: "https://EXAMPLE.com/x"), cdn: nil)
            #expect(
                within.findings.first?.message
                    == "Behind the redirect to https://EXAMPLE.com/x: Your server answers with status 404 in place of 200."
            )
            #expect(within.findings.first?.text.evidence["redirect_host"] == nil)
            // The fault is the redirect, not a missing bucket at its target.
            let bucket = try verdict(
                origin: Reply.xml(404, "NoSuchBucket", ["Server": "AmazonS3"]).redirected(to: "https://example.com/x"),
                cdn: nil)
            #expect(bucket.findings.first?.fix == within.findings.first?.fix)
            let stopped = try verdict(
                origin: Reply.certificate(.expired).redirected(to: Self.target, stop: .loop), cdn: nil)
            #expect(stopped.findings.allSatisfy { !$0.message.contains("behind") })
        }

        @Test("an expiring certificate names the host that serves it, or the domain itself if both serve it")
        func expiring() throws {
            let end = Date.testing + 3 * 86400
            let shared = Self.good.expiring(at: end).redirected(to: Self.target)
            let alone = try verdict(origin: shared, cdn: nil).findings
            #expect(
                alone.first { $0.rule.rawValue == "origin.certificate-expiring" }?.message.hasPrefix("Behind") == true)
            let both = try verdict(
                origin: shared, cdn: nil, scene: Scene.calm(Self.moved.expiring(at: end), cdn: Self.good)
            ).findings.filter { $0.rule.rawValue == "origin.certificate-expiring" }
            #expect(both.map { $0.message.prefix(22) } == ["The certificate expire"])
        }

        @Test("the diagnosis stays short, however long the site's text is", arguments: [100, 5000])
        func bounded(_ length: Int) throws {
            let long = String(repeating: "x", count: length)
            let replies: [(Reply, Reply?)] = [
                (Self.good.redirected(to: "https://example.net/\(long)"), nil),
                (Self.good, .crawler("SWCERR00101 Bad HTTP Response: 500 \(long)")),
                (Self.good, .crawler("SWCERR00301 Timeout", details: #"{"cause":"\#(long)"}"#)),
                (Self.good, .crawler("SWCERR00302 x509 \(long)")), (Self.good, .crawler("SWCERR00999 \(long)")),
                (Self.good.with { $0.headers["Content-Type"] = "text/html; \(long)" }, nil),
                (Reply.certificate(.nameMismatch).with { $0.tls?.chain[0].names = [long, long, long, long] }, nil),
                (.status(404).redirected(to: "https://\(long.prefix(60)).example.com/\(long)"), nil),
            ]
            for (origin, cdn) in replies {
                let diagnosis = try verdict(origin: origin, cdn: cdn).text.oneLine
                #expect(diagnosis.count < 700, "\(diagnosis)")
                #expect(!diagnosis.contains(String(repeating: "x", count: 101)))
            }
        }
    }
}
