// What is told of other places, of single addresses that refuse Apple, and of answers that break off.

import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Who is reached where")
    struct ReachTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let reply: Reply
            let seen: String
            let message: String
            let fix: String
            var diagnosis = ""

            init(_ reply: Reply, _ seen: String, _ message: String, _ fix: String, diagnosis: String = "") {
                self.reply = reply
                self.seen = seen
                self.message = message
                self.fix = fix
                self.diagnosis = diagnosis
                testDescription = "\(seen): \(message)"
            }
        }

        static let good = Reply.file(SampleFile.version(1))
        static let old = Reply.file(SampleFile.version(2))

        static let vantages: [Row] = [
            Row(.status(403), "refused", "status 403", "every address in every country"),
            Row(.status(451), "refused", "status 451", "every address in every country"),
            Row(.status(429), "rate_limited", "status 429", "rate limits"),
            Row(.status(404), "absent", "status 404: there is no file", "deploy the file to every server"),
            Row(.status(503), "server_trouble", "status 503", "error log"),
            Row(.file("<html>"), "page", "HTML page", "challenges"),
            Row(.failed(.timedOut), "unreachable", "in time", "firewall"),
            Row(.failed(.connectionRefused), "unreachable", "refuses connections", "firewall"),
            Row(.failed(.connectionReset, .handshaking), "unreachable", "ends the connection", "firewall"),
            Row(.failed(.nameNotFound, .resolving), "no_such_name", "does not resolve", "name servers"),
            Row(.failed(.tlsHandshake, .handshaking), "handshake", "TLS handshake", "TLS 1.2"),
            Row(.certificate(.expired), "certificate", "a certificate that is refused (expired)", "same certificate"),
            Row(
                .certificate(.untrustedRoot), "certificate", "(untrusted root)", "that network inspects TLS",
                diagnosis: "the same certificate"),
            Row(
                Reply.status(302).redirected(to: "https://example.com/de"), "redirect", "redirects to",
                "no redirect by country"),
            Row(
                old, "other_file", "serves a different file", "same file to every server", diagnosis: "purge the caches"
            ),
        ]

        @Test("what another place is given is told for what it is, with its own repair", arguments: vantages)
        func vantage(_ row: Row) throws {
            let scene = Scene.calm(Self.good, cdn: Self.good).with { $0.vantages = [("abroad", row.reply)] }
            let verdict = try verdict(origin: Self.good, cdn: Self.good, scene: scene)
            // Who gets another version of the file is not refused.
            let rule = row.seen == "other_file" ? "origin.address-differs" : "origin.vantage-refused"
            #expect(verdict.told == ["\(rule) \(row.seen == "rate_limited" ? "warning" : "error")"])
            let finding = try #require(verdict.findings.first)
            #expect(finding.text.evidence["seen"] == row.seen)
            #expect(finding.message.contains("from abroad your server "))
            #expect(finding.message.contains(row.message), "\(finding.message)")
            #expect(finding.fix.lowercased().contains(row.fix.lowercased()), "no '\(row.fix)' in: \(finding.fix)")
            #expect(row.diagnosis.isEmpty || verdict.text.oneLine.contains(row.diagnosis), "\(verdict.text.oneLine)")
            let isPlace = ["refused", "page", "unreachable"].contains(row.seen)
            #expect((verdict.diagnosis.id == .vantageRefused) == isPlace, "\(verdict.text.oneLine)")
        }

        @Test("an old file elsewhere that Apple has too is told as that")
        func applesFile() throws {
            let scene = Scene.calm(Self.good, cdn: Self.old).with { $0.vantages = [("abroad", Self.old)] }
            let finding = try #require(
                try verdict(origin: Self.good, cdn: Self.old, scene: scene).findings.first {
                    $0.rule.rawValue == "origin.address-differs"
                })
            #expect(finding.text.evidence["seen"] == "apples_file")
            #expect(finding.message.contains("the one that Apple's CDN has"))
        }

        @Test("places with different troubles have a finding each")
        func several() throws {
            let scene = Scene.calm(Self.good, cdn: Self.good).with {
                $0.vantages = [("a", .status(404)), ("b", .status(403)), ("c", .status(403)), ("d", Self.good)]
            }
            let findings = try verdict(origin: Self.good, cdn: Self.good, scene: scene).findings
            #expect(Set(findings.map { $0.text.evidence["seen"] ?? "" }) == ["refused", "absent"])
            let refused = try #require(findings.first { $0.text.evidence["seen"] == "refused" })
            #expect(refused.message.contains("from b your server") && refused.message.contains("from c your server"))
            #expect(!refused.message.contains("from a it"))
        }

        @Test("an address that alone refuses Apple's agents is named", arguments: [true, false])
        func crawlerAtOneAddress(_ isPart: Bool) throws {
            let scene = Scene.calm(Self.good, cdn: Self.good).addresses([Self.good, Self.good])
            var observation = try Observation.of(origin: Self.good, cdn: Self.good, scene: scene)
            let refusal = Reply.status(403)
            let refused = try Observation.of(origin: refusal, cdn: nil, unasked: .mode).origin
            let plain = observation.origin
            observation.full?.agents = ["192.0.2.1", "192.0.2.2"].flatMap { address in
                AgentResult.Agent.allCases.map { agent in
                    let isRefused = address == "192.0.2.2" || !isPart
                    return AgentResult(agent: agent, address: address, retrieval: isRefused ? refused : plain)
                }
            }
            let verdict = Verdict(
                of: Readings(observation), history: .none, checks: CheckSettings(certificateWarning: .zero),
                now: .testing)
            let finding = try #require(verdict.findings.first { $0.rule.rawValue == "origin.crawler-refused" })
            let place = "(at 192.0.2.2 only, of 2 addresses tried)"
            #expect(finding.message.contains(place) == isPart, "\(finding.message)")
            #expect(finding.text.evidence["addresses"] == (isPart ? "192.0.2.2" : nil))
            #expect(verdict.text.oneLine.contains("192.0.2.2") == isPart, "\(verdict.text.oneLine)")
        }

        static let faults: [(Reply, String, String)] = [
            (.failed(.timedOut, .receiving), "origin.timeout error", "did not finish the headers"),
            (.failed(.truncated, .receiving), "origin.truncated error", "while it sent its headers"),
            (.failed(.connectionReset, .receiving), "origin.connection-reset error", "while it sent its headers"),
            (.failed(.connectionReset, .waiting), "origin.connection-reset error", "without an answer"),
            (.failed(.noIPv6Address, .resolving), "origin.unreachable error", "example.com has no IPv6 address"),
            (.failed(.noIPv4Address, .resolving), "origin.unreachable error", "example.com has no IPv4 address"),
            (
                good.with {
                    $0.end = .cutShort(Failure(kind: .truncated, phase: .receiving, detail: "eof"))
                    $0.headers["Content-Length"] = "1000"
                }, "origin.truncated error", "(Content-Length says 1,000)"
            ),
        ]

        @Test("an answer that breaks off, or a family that is missing, is told for what it is", arguments: faults)
        func fault(_ reply: Reply, _ told: String, _ words: String) throws {
            let verdict = try verdict(origin: reply, cdn: Self.good, scene: Scene())
            #expect(verdict.told == [told])
            #expect(
                verdict.findings.first?.message.lowercased().contains(words.lowercased()) == true,
                "no '\(words)' in: \(verdict.findings.first?.message ?? "")")
        }

        @Test(
            "a server that closes in the handshake is told as such",
            arguments: [
                "TLS connect error: error:0A000126:SSL routines::unexpected eof while reading",
                "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to example.com:443",
                "OpenSSL SSL_connect: SSL_ERROR_ZERO_RETURN in connection to example.com:443",
            ])
        func handshake(_ detail: String) throws {
            let reply = Reply.failed(.tlsHandshake, .handshaking).with { $0.failure?.detail = detail }
            let verdict = try verdict(origin: reply, cdn: Self.good, scene: Scene())
            #expect(verdict.told == ["origin.tls-failed error"])
            #expect(
                verdict.findings.first?.message
                    == "example.com closes the connection during the TLS handshake.")
        }

        @Test(
            "a redirect that no client can follow says where it points to, cleaned",
            arguments: [
                ("javascript:alert(1)", "'javascript:alert(1)', which no client can follow"),
                ("\u{1B}[31mhttps://x\u{07}.test/", "which no client can follow"), ("", "without a Location header"),
            ])
        func oddRedirect(_ location: String, _ words: String) throws {
            let reply = Reply.status(302).with {
                $0.redirects = [RedirectHop(status: 302, from: "https://example.com/", location: location, target: nil)]
                $0.stop = .unreadable
            }
            let verdict = try verdict(origin: reply, cdn: Self.good, scene: Scene())
            #expect(verdict.told == ["origin.redirect error"])
            let message = try #require(verdict.findings.first?.message)
            #expect(message.lowercased().contains(words.lowercased()), "no '\(words)' in: \(message)")
            #expect(!message.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
    }
}
