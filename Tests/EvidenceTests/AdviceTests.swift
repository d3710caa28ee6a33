// What to do must fit what was seen, and must not contradict what the diagnosis says of the same cause.

import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Advice")
    struct AdviceTests {
        static let good = Reply.file(SampleFile.version(1))
        static let page = Reply.page(200, "<!doctype html><html>")
        static let refusedAddress = Reply.crawler(
            "SWCERR00202 Connections to private/reserved IP addresses are not allowed")

        static func placed(_ scopes: [AddressScope], cdn: Reply) -> Scene {
            Scene.calm(good, cdn: cdn).with {
                $0.addresses = scopes.enumerated().map { ("192.0.2.\($0.offset + 1)", $0.element, good) }
            }
        }

        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            var origin: Reply = good
            let scene: Scene
            let rule: String
            /// Words of the finding's fix, and of what the diagnosis says to do.
            let fix: String
            let action: String
            /// In neither of them.
            let unsaid: String
        }

        static let rows: [Row] = [
            Row(
                testDescription: "private addresses here alone", scene: placed([.private, .private], cdn: good),
                rule: "origin.not-public-address", fix: "nothing needs to be done at the site",
                action: "Nothing needs to be done at the site", unsaid: "this machine's address"),
            Row(
                testDescription: "private for Apple too",
                scene: placed([.private, .private], cdn: refusedAddress), rule: "origin.not-public-address",
                fix: "publish the domain on a public address", action: "Publish the domain on a public address",
                unsaid: "A and AAAA records"),
            Row(
                testDescription: "one of two addresses is private for Apple too",
                scene: placed([.private, .public], cdn: refusedAddress), rule: "origin.not-public-address",
                fix: "A and AAAA records", action: "A and AAAA records", unsaid: "ublish the domain"),
            Row(
                testDescription: "a page in place of the file", origin: page,
                scene: .calm(page, cdn: .crawler("SWCERR00401 Bad JSON content")), rule: "origin.content-type",
                fix: "catch-all route", action: "catch-all route", unsaid: "Content-Type: application/json"),
            Row(
                testDescription: "a word in place of the file", origin: .page(200, "OK"),
                scene: .calm(.page(200, "OK"), cdn: good), rule: "origin.content-type", fix: "catch-all route",
                action: "catch-all route", unsaid: "Content-Type: application/json"),
            Row(
                testDescription: "the file under a page's type",
                origin: good.with { $0.headers["Content-Type"] = "text/html" },
                scene: .calm(good.with { $0.headers["Content-Type"] = "text/html" }, cdn: good),
                rule: "origin.content-type", fix: "Content-Type: application/json",
                action: "Content-Type: application/json", unsaid: "catch-all"),
            Row(
                testDescription: "a bucket behind a redirect to another host of the site",
                origin: Reply.xml(403, "AccessDenied", ["Server": "AmazonS3"])
                    .redirected(to: "https://files.example.com/x"),
                scene: .calm(Reply.status(301).redirected(to: "https://files.example.com/x"), cdn: .status(404)),
                rule: "origin.status", fix: "let every client in the world", action: "Let every client in the world",
                unsaid: "upload"),
        ]

        @Test("a finding's advice fits the diagnosis", arguments: rows)
        func fits(_ row: Row) throws {
            let verdict = try verdict(origin: row.origin, cdn: Self.good, scene: row.scene)
            let finding = try #require(verdict.findings.first { $0.rule.rawValue == row.rule })
            let action = try #require(verdict.text.action)
            #expect(finding.fix.lowercased().contains(row.fix.lowercased()), "no '\(row.fix)' in: \(finding.fix)")
            #expect(action.lowercased().contains(row.action.lowercased()), "\(verdict.text.oneLine)")
            for text in [finding.fix, action] { #expect(!text.contains(row.unsaid), "\(text)") }
        }

        @Test("an address that always answers 503 is an error, and no note says that nothing needs to be done")
        func alwaysBusy() throws {
            let busy = Reply.status(503)
            var scene = Scene.calm(Self.good, cdn: Self.good).addresses([Self.good, busy], six: [Self.good])
            #expect(
                try verdict(origin: Self.good, cdn: Self.good, scene: scene).told == ["origin.address-differs error"])
            // Beside it, agents that meet a limit at a good address are a note.
            scene.agents = [(.crawler, .status(429))]
            #expect(
                try verdict(origin: Self.good, cdn: Self.good, scene: scene).told
                    == ["origin.address-differs error", "origin.rate-limited note"])
        }

        @Test(
            "where this machine is refused, only the file that was last seen here is evidence",
            arguments: [(1, "origin.status error"), (2, "origin.status warning"), (3, "origin.status error")])
        func otherCopy(_ version: Int, _ told: String) throws {
            // Version 1 was replaced by version 2 two hours ago.
            let history = try history(supersededHoursAgo: [2])
            let copy = Reply.file(SampleFile.version(version)).with { $0.headers["Age"] = "300" }
            let verdict = try verdict(origin: .status(403), cdn: copy, history: history)
            #expect(verdict.told.first == told)
        }
    }
}
