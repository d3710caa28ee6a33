import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Other views")
    struct ViewTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let origin: Reply
            let scene: Scene
            let findings: [String]
            let words: [String]

            init(
                _ name: String, origin: Reply = good, _ scene: Scene, _ findings: [String], _ words: [String] = []
            ) {
                testDescription = name
                self.origin = origin
                self.scene = scene
                self.findings = findings
                self.words = words
            }
        }

        static let good = Reply.file(SampleFile.version(1))
        static let other = Reply.file(SampleFile.version(2))
        static let calm = Scene.calm(good, cdn: good)
        static let moved = Reply.status(301).redirected(to: "https://www.example.com/x")
        static let followed = good.redirected(to: "https://www.example.com/x")

        static let agents: [Row] = [
            Row("the same", calm, []),
            Row("other bytes, the same meaning", calm.refusing(.file(SampleFile.spaced(1))), []),
            Row(
                "forbidden", calm.refusing(.status(403)), ["origin.crawler-refused error"],
                ["AASA-Bot and CFNetwork get 403"]),
            Row(
                "too often", calm.refusing(.status(429)), ["origin.rate-limited note"],
                ["2 of this check's 5 requests got status 429"]),
            Row("in trouble for a moment", calm.refusing(.status(503)), ["origin.rate-limited note"], ["status 503"]),
            Row(
                "a challenge that looks like a limit", calm.refusing(.status(429, ["CF-Mitigated": "challenge"])),
                ["origin.crawler-refused error"], ["(cf-mitigated: challenge)"]),
            Row(
                "another file", calm.refusing(other), ["origin.address-differs error"],
                ["serves two versions of the file", "AASA-Bot and CFNetwork"]),
            Row("a page", calm.refusing(.file("<html>")), ["origin.crawler-refused error"], ["HTML page"]),
            Row(
                "a challenge", calm.refusing(.status(403, ["CF-Mitigated": "challenge"])),
                ["origin.crawler-refused error"], ["(cf-mitigated: challenge)"]),
            Row("silence", calm.refusing(.failed(.timedOut, .waiting)), ["origin.crawler-refused error"], ["in time"]),
            Row("a redirect", calm.refusing(moved), ["origin.crawler-refused error"], ["redirects to"]),
            Row("our own fault", calm.refusing(.failed(.own)), []),
            Row(
                "one of the two", calm.with { $0.agents[1].reply = .status(403) }, ["origin.crawler-refused error"],
                ["CFNetwork gets 403"]),
            Row("all are forbidden", origin: .status(403), .calm(.status(403), cdn: good), ["origin.status warning"]),
            Row(
                "only ours is forbidden", origin: .status(403),
                Scene.calm(.status(403), cdn: good).refusing(good), ["origin.status warning"]),
            Row(
                "all are redirected alike", origin: followed, .calm(moved, cdn: good), ["origin.redirect warning"]),
            Row(
                "ours is redirected to the file, Apple's is forbidden", origin: followed,
                Scene.calm(moved, cdn: good).refusing(.status(403)),
                ["origin.crawler-refused error", "origin.redirect warning"]),
            Row(
                "ours is redirected to the file, Apple's has it at once", origin: followed,
                Scene.calm(moved, cdn: good).refusing(good), ["origin.redirect warning"]),
            Row(
                "addresses unknown, redirected alike", origin: followed,
                Scene.calm(moved, cdn: good).with {
                    $0.addresses = []; $0.source = .proxy
                },
                ["origin.redirect warning"]),
            Row(
                "addresses unknown, forbidden",
                calm.refusing(.status(403)).with {
                    $0.addresses = []; $0.source = .proxy
                },
                ["origin.crawler-refused error"]),
        ]

        static func seen(_ replies: Reply...) -> Scene {
            calm.with { $0.vantages = replies.enumerated().map { ("place\($0.offset + 1)", $0.element) } }
        }

        static let vantages: [Row] = [
            Row("the same elsewhere", seen(good, .file(SampleFile.spaced(1))), []),
            Row(
                "forbidden elsewhere", seen(good, .status(403)), ["origin.vantage-refused error"],
                ["from place2 your server answers with status 403"]),
            Row("another file elsewhere", seen(other), ["origin.address-differs error"], ["serves a different file"]),
            Row("no answer elsewhere", seen(.failed(.timedOut)), ["origin.vantage-refused error"]),
            Row("the proxy fails", seen(.failed(.proxy)), ["monitor.vantage-failed warning"], ["place1"]),
            Row(
                "one of each", seen(.failed(.proxy), .status(451), good),
                ["origin.vantage-refused error", "monitor.vantage-failed warning"], ["451"]),
            Row(
                "forbidden everywhere", origin: .status(403),
                Scene.calm(.status(403), cdn: good).with { $0.vantages = [("x", .status(403))] },
                ["origin.status error"]),
        ]

        static func root(_ reply: Reply, origin: Reply = good) -> Scene {
            Scene.calm(origin, cdn: good).with { $0.rootCopy = reply }
        }

        static let roots: [Row] = [
            Row("the same at the root", root(.file(SampleFile.spaced(1))), []),
            Row(
                "another at the root", root(other), ["origin.root-copy-differs warning"], ["depends on the client"]),
            Row("a page at the root", root(.file("<html>")), []),
            Row("an object that is no such file at the root", root(.file("{}")), []),
            Row(
                "at the root only", origin: .status(404), root(good, origin: .status(404)),
                ["origin.status error", "origin.root-only warning"]),
            Row(
                "forbidden, there at the root", origin: .status(403), root(good, origin: .status(403)),
                ["origin.status warning"]),
        ]

        static func page(_ reply: Reply, appStore: String? = nil) -> Scene {
            calm.with { $0.pages = [("https://example.com/help", reply, appStore)] }
        }

        static let missing = ["expect.page-missing error"]

        static let pages: [Row] = [
            Row("a page", page(.file("<html>")), []),
            Row("a page after a redirect", page(Reply.file("<html>").redirected(to: "https://www.example.com/h")), []),
            Row("a page larger than is read", page(Reply.file("<html>").with { $0.end = .capped(limit: 6) }), []),
            Row(
                "the App Store", page(moved, appStore: "https://apps.apple.com/app/id1"), []),
            Row("no page", page(.status(404)), missing, ["https://example.com/help", "status 404"]),
            Row("a broken page", page(.status(500)), missing, ["status 500"]),
            Row(
                "no page after a redirect", page(Reply.status(404).redirected(to: "https://x.test/h")), missing,
                ["it redirects to https://x.test/h, which answers with status 404"]),
            Row(
                "out of HTTPS", page(moved.redirected(to: "http://example.com/", stop: .insecure)), missing,
                ["http://example.com/, which is not HTTPS"]),
            Row(
                "in a circle", page(good.redirected(to: "https://example.com/", stop: .loop)), missing, ["form a loop"]),
            Row("without end", page(good.redirected(to: "https://example.com/", stop: .tooMany)), missing, ["1 hops"]),
            Row("to nowhere", page(good.redirected(to: "", stop: .unreadable)), missing, ["without a Location header"]),
            Row("no TLS", page(.certificate(.expired)), missing, ["refused (expired)"]),
            Row("no answer", page(.failed(.timedOut, .waiting)), missing, ["does not answer in time"]),
            Row("our own fault", page(.failed(.own)), []),
        ]

        @Test("each view gives exactly these findings", arguments: agents + vantages + roots + pages)
        func findings(_ row: Row) throws {
            let verdict = try verdict(origin: row.origin, cdn: Self.good, scene: row.scene)
            #expect(verdict.told == row.findings)
            for words in row.words {
                #expect(
                    verdict.findings.first?.message.lowercased().contains(words.lowercased()) == true,
                    "no '\(words)' in: \(verdict.findings.first?.message ?? "")")
            }
            for finding in verdict.findings {
                #expect(finding.message.hasSuffix(".") && !finding.fix.isEmpty && finding.fix.hasSuffix("."))
            }
        }

        @Test("the evidence of a refused crawler has both answers, the agent and what the firewall says of itself")
        func evidence() throws {
            let reply = Reply.status(403, ["Server": "cloudflare", "CF-Ray": "8f0-AMS", "CF-Mitigated": "challenge"])
            let evidence = try #require(
                try verdict(origin: Self.good, cdn: Self.good, scene: Self.calm.refusing(reply)).findings.first
            ).text.evidence
            #expect(evidence["plain_status"] == "200")
            #expect(evidence["plain_sha256"]?.count == 64)
            #expect(evidence["crawler_status"] == "403")
            #expect(evidence["crawler_user_agent"] == AgentResult.Agent.crawler.userAgent)
            #expect(evidence["crawler_sha256"]?.count == 64)
            #expect(evidence["crawler_server"] == "cloudflare")
            #expect(evidence["crawler_cf_ray"] == "8f0-AMS")
            #expect(evidence["device_cf_mitigated"] == "challenge")
            #expect(evidence["address"] == "192.0.2.1")
        }

        @Test(
            "a page is asked for at an absolute URL of the domain alone",
            arguments: [
                ("/help", "https://example.com/help"), ("help?x=1", "https://example.com/help?x=1"),
                ("https://example.com/a#b", "https://example.com/a"),
                ("https://EXAMPLE.com/a", "https://example.com/a"),
                ("http://example.com/a", "https://example.com/a"),
                ("https://example.com:443/a", "https://example.com/a"),
                ("https://www.example.com/a", nil),
                ("https://example.com:8443/a", nil), ("https://user@example.com/a", nil), ("app://example.com/a", nil),
                ("/a b/ü", "https://example.com/a%20b/%C3%BC"), ("//evil.test/a", "https://example.com//evil.test/a"),
            ] as [(String, String?)])
        func pageURLs(_ url: String, _ asked: String?) throws {
            let domain = try Domain("example.com")
            let pages = Expectations(urls: [ExpectedURL(url: url, page: true)]).pages(of: domain)
            #expect(pages == [asked].compactMap(\.self))
            #expect(Expectations(urls: [ExpectedURL(url: url, opens: .nothing)]).pages(of: domain).isEmpty)
            let twice = [ExpectedURL(url: url, page: true), ExpectedURL(url: url, opens: .nothing, page: true)]
            #expect(Expectations(urls: twice).pages(of: domain) == pages)
        }
    }
}
