import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Checks")
    struct CheckTests {
        /// One observation and all that is found in it, as `rule severity`, worst first.
        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let origin: Reply
            let cdn: Reply?
            let findings: [String]

            init(_ name: String, _ origin: Reply, _ findings: [String]) {
                self.init(name, origin, nil, findings)
            }

            init(_ name: String, _ origin: Reply, _ cdn: Reply?, _ findings: [String]) {
                testDescription = name
                self.origin = origin
                self.cdn = cdn
                self.findings = findings
            }
        }

        static let good = Reply.file(SampleFile.version(1))

        static func type(_ type: String?) -> Reply { good.with { $0.headers["Content-Type"] = type } }

        static func cut(_ kind: Failure.Kind) -> Reply {
            good.with { $0.end = .cutShort(Failure(kind: kind, phase: .receiving, detail: "curl's words")) }
        }

        static func padded(to size: Int) -> Reply {
            let file = SampleFile.version(1)
            return .file(file + String(repeating: " ", count: size - file.utf8.count))
        }

        static func encoded(_ encoding: String) -> Reply { good.with { $0.headers["Content-Encoding"] = encoding } }

        static let rows: [Row] = [
            Row("all is well", good, good, []),
            Row("no such name", .failed(.nameNotFound, .resolving), ["origin.dns-failed error"]),
            Row("no address", .failed(.noAddress, .resolving), ["origin.dns-failed error"]),
            Row("SERVFAIL", .failed(.nameServerFailure, .resolving), ["monitor.name-server-failed error"]),
            Row("no name server", .failed(.noNameServer, .resolving), ["monitor.name-server-failed error"]),
            Row("refused", .failed(.connectionRefused), ["origin.unreachable error"]),
            Row("no route", .failed(.unreachable), ["origin.unreachable error"]),
            Row("our proxy fails", .failed(.proxy), ["monitor.fetch-failed error"]),
            Row("no answer in time", .failed(.timedOut, .waiting), ["origin.timeout error"]),
            Row("reset", .failed(.connectionReset, .waiting), ["origin.connection-reset error"]),
            Row("endless headers", .failed(.headersTooLarge, .waiting), ["origin.headers-too-large error"]),
            Row("no HTTP", .failed(.malformedAnswer, .waiting), ["origin.malformed-answer error"]),
            Row("bad encoding", .failed(.badEncoding, .receiving), ["origin.content-encoding error"]),
            Row("a private address", .failed(.privateAddress), ["origin.not-public-address error"]),
            Row("our own fault", .failed(.own), ["monitor.fetch-failed error"]),
            Row("no handshake", .failed(.tlsHandshake, .handshaking), ["origin.tls-failed error"]),
            Row("old TLS", .failed(.tlsVersion, .handshaking), ["origin.tls-version error"]),
            Row("expired", .certificate(.expired), ["origin.certificate-expired error"]),
            Row("not yet valid", .certificate(.notYetValid), ["origin.certificate-not-yet-valid error"]),
            Row("wrong name", .certificate(.nameMismatch), ["origin.certificate-name-mismatch error"]),
            Row("self-signed", .certificate(.selfSigned), ["origin.certificate-untrusted error"]),
            Row("private root", .certificate(.untrustedRoot), ["origin.certificate-untrusted error"]),
            Row("revoked", .certificate(.revoked), ["origin.certificate-untrusted error"]),
            Row("other", .certificate(.other), ["origin.certificate-untrusted error"]),
            Row("half a chain", .certificate(.incompleteChain), ["origin.certificate-chain-incomplete error"]),
            Row("ends in 13 days", good.expiring(at: .testing + 13 * 86400), ["origin.certificate-expiring warning"]),
            Row("ends in 15 days", good.expiring(at: .testing + 15 * 86400), []),
            Row(
                "the leaf is good, an old cross-signed one is not",
                good.expiring(at: .testing + 15 * 86400).with {
                    $0.tls?.chain.append(
                        CertificateFacts(
                            subject: "CN=Old", issuer: "CN=Older", notBefore: nil, notAfter: .testing - 1, names: []))
                }, []),
            Row("moved within the site", good.redirected(to: "https://www.example.com/x"), ["origin.redirect warning"]),
            Row("moved to another site", good.redirected(to: "https://example.net/x"), ["origin.redirect error"]),
            Row(
                "moved to HTTP", good.redirected(to: "http://example.com/", stop: .insecure),
                ["origin.redirect-insecure error"]),
            Row("a circle", good.redirected(to: "https://example.com/", stop: .loop), ["origin.redirect-loop error"]),
            Row(
                "too many", good.redirected(to: "https://example.com/", stop: .tooMany), ["origin.redirect-loop error"]),
            Row("no Location", good.redirected(to: "", stop: .unreadable), ["origin.redirect error"]),
            Row(
                "moved into a private network",
                good.redirected(to: "https://intranet.example.com/", stop: .privateAddress).with {
                    $0.failure = Failure(kind: .privateAddress, phase: .connecting, detail: "refused")
                }, ["origin.not-public-address error"]),
            Row(
                "a stop without a hop is not lost", .status(302).with { $0.stop = .unreadable }, ["origin.status error"]
            ),
            Row(
                "moved to nothing", Reply.status(404).redirected(to: "https://www.example.com/x"),
                ["origin.status error", "origin.redirect warning"]),
            Row("not there", .status(404), ["origin.status error"]),
            Row("forbidden", .status(403), ["origin.status error"]),
            Row("too often", .status(429), ["origin.status error"]),
            Row("broken", .status(500), ["origin.status error"]),
            Row("no content", .status(204), ["origin.status error"]),
            Row("JSON of another type", type("application/octet-stream"), ["origin.content-type note"]),
            Row("no type", type(nil), ["origin.content-type note"]),
            Row("a charset", type("Application/JSON; charset=utf-8"), []),
            Row("HTML's type", type("text/html; charset=utf-8"), ["origin.content-type error"]),
            Row("a page", .file("<html>"), ["aasa.json-syntax error"]),
            Row("empty", .file(""), ["aasa.json-syntax error"]),
            Row("an array", .file("[]"), ["aasa.root-not-object error"]),
            Row("no service", .file("{}"), ["aasa.no-service error"]),
            Row("a misspelt service", .file(#"{"appLinks":{}}"#), ["aasa.no-service error"]),
            Row("a byte order mark", .file("\u{FEFF}" + SampleFile.version(1)), ["aasa.byte-order-mark warning"]),
            Row(
                "a key twice", .file(#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]},"x":1,"x":2}"#),
                ["aasa.json-duplicate-key warning", "aasa.unknown-key note", "aasa.unknown-key note"]),
            Row(
                "a placeholder, also on a domain of examples",
                .file(#"{"webcredentials":{"apps":["TEAMID.com.acme.shop"]}}"#), ["aasa.app-id-placeholder error"]),
            Row("as large as allowed", padded(to: 131_072), ["aasa.file-size-near-limit warning"]),
            Row("one byte too large", padded(to: 131_073), ["origin.too-large error"]),
            Row("capped", good.with { $0.end = .capped(limit: 1000) }, ["origin.too-large error"]),
            Row("cut off", cut(.connectionReset), ["origin.truncated error"]),
            Row("a body too slow to complete", cut(.timedOut), ["origin.timeout error"]),
            Row("a body that does not match its encoding", cut(.badEncoding), ["origin.content-encoding error"]),
            Row(
                "cut within its compression",
                Reply.file(String(SampleFile.version(1).dropLast(5))).with {
                    $0.headers["Content-Encoding"] = "gzip"
                }, ["origin.truncated error"]),
            Row("an encoding that is not a compression", encoded("aws-chunked"), ["origin.content-encoding warning"]),
            Row("a charset as encoding", encoded("utf-8"), ["origin.content-encoding warning"]),
            Row("an unrequested compression", encoded("br"), ["origin.content-encoding error"]),
            Row("the encoding identity", encoded("identity"), []),
            Row(
                "a page with an invalid encoding",
                Reply.file("<html>").with { $0.headers["Content-Encoding"] = "none" },
                ["origin.content-encoding error"]),
            Row(
                "the crawler's word beside a copy", good,
                good.with { $0.headers["Apple-Failure-Reason"] = "SWCERR00301 Timeout" },
                ["cdn.crawler-error warning"]),
            Row(
                "the crawler's word beside an old copy", good,
                Reply.file(SampleFile.version(2)).with { $0.headers["Apple-Failure-Reason"] = "SWCERR00101 Bad: 403" },
                ["cdn.crawler-error warning", "cdn.divergent warning"]),
            Row("slow", good.with { $0.firstByte = 2001 }, ["origin.slow warning"]),
            Row("very slow", good.with { $0.firstByte = 5001 }, ["origin.slow error"]),
            Row("the CDN has no copy", good, .status(404), ["cdn.missing error"]),
            Row("neither has one", .status(404), .status(404), ["origin.status error"]),
            Row("the crawler's reason", good, .crawler("SWCERR00301 Timeout"), ["cdn.crawler-error error"]),
            Row("the CDN unreachable", good, .failed(.timedOut), ["cdn.unreachable warning"]),
            Row("the CDN in trouble", good, .status(502), ["cdn.unreachable warning"]),
            Row("a gate before the CDN", good, .status(302), ["cdn.unreachable warning"]),
            Row("half a copy", good, cut(.connectionReset), ["cdn.unreachable warning"]),
            Row("a page at the CDN", good, .file("<html>"), ["cdn.bad-copy error"]),
            Row("the same page at both", .file("<html>"), .file("<html>"), ["aasa.json-syntax error"]),
            Row("another file", good, .file(SampleFile.version(2)), ["cdn.divergent warning"]),
            Row("formatting", good, .file(SampleFile.spaced(1)), ["cdn.formatting-differs note"]),
            Row(
                "changed long ago", good.with { $0.headers["Last-Modified"] = "Thu, 19 Nov 2026 07:00:00 GMT" },
                .file(SampleFile.version(2)), ["cdn.divergent warning"]),
            Row(
                "just changed", good.with { $0.headers["Last-Modified"] = "Sat, 21 Nov 2026 06:00:00 GMT" },
                .file(SampleFile.version(2)), ["cdn.propagating note"]),
        ]

        @Test("each observation gives exactly these findings", arguments: rows)
        func findings(_ row: Row) throws {
            let verdict = try verdict(origin: row.origin, cdn: row.cdn)
            #expect(verdict.findings.map { "\($0.rule) \($0.severity.rawValue)" } == row.findings)
            let worst = verdict.findings.map(\.severity).max()
            let isOwn = verdict.findings.allSatisfy { $0.severity != .error || $0.rule.rawValue.hasPrefix("monitor.") }
            let level: Verdict.Level =
                worst == .error ? (isOwn ? .unknown : .failing) : worst == .warning ? .warning : .ok
            #expect(verdict.level == level)
            for finding in verdict.findings {
                #expect(!finding.message.isEmpty && finding.message.hasSuffix("."), "\(finding.rule)")
                #expect(!finding.fix.isEmpty && finding.fix.hasSuffix("."), "\(finding.rule)")
                #expect(finding.reference.hasPrefix("https://"), "\(finding.rule)")
            }
        }

        @Test("a linter finding has its place, the other places and the example as evidence")
        func lintEvidence() throws {
            let text =
                #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"components":[{"/":"/a/*"},{"/":"/a/b"}]}]}}"#
            let findings = try verdict(origin: .file(text), cdn: nil).findings
            #expect(findings.map(\.rule.rawValue) == ["aasa.rule-unreachable"])
            #expect(
                findings.first?.text.evidence == [
                    "line": "1", "column": "91", "pointer": "/applinks/details/0/components/1", "example": "/a/b",
                    "related_place_1": "1:78", "related_pointer_1": "/applinks/details/0/components/0",
                ])
        }

        @Test(
            "guessing the redirect's target can only change a warning to an error, or back",
            arguments: [
                ("https://www.example.com/", "warning"), ("https://EXAMPLE.com/", "warning"),
                ("https://cdn.example.com/", "warning"), ("https://notexample.com/", "error"),
                ("https://example.com.evil.test/", "error"), ("nonsense", "error"),
            ])
        func site(_ target: String, _ severity: String) throws {
            let found = try verdict(origin: Self.good.redirected(to: target), cdn: nil).findings
            #expect(found.map(\.severity.rawValue) == [severity])
        }
    }
}
