// How hosting platforms and bot protections identify themselves.

import Foundation
import TestSupport
import Testing

@testable import Evidence

extension EvidenceSuite {
    @Suite("Hosting platforms")
    struct HostingTests {
        /// A reply that matches the row.
        private static func reply(_ sign: AnswerPattern) -> Reply {
            let headers = Dictionary(
                sign.headers.map { ($0.name, $0.part.isEmpty ? "abc" : "x \($0.part)") }, uniquingKeysWith: { $1 })
            let status = sign.statuses.contains(403) ? 403 : sign.statuses.upperBound
            if let code = sign.code { return .xml(status, code, headers) }
            return .page(status, sign.words.first.map { "<html>\($0)</html>" } ?? "<html>", headers)
        }

        @Test("each row of the table matches, whatever else the reply has", arguments: HostingTable.rows.indices)
        func rows(_ index: Int) throws {
            let row = HostingTable.rows[index]
            let reply = Self.reply(row.sign).with { $0.headers["X-Request-Id"] = "1" }
            let verdict = try verdict(origin: reply, cdn: nil, unasked: .mode, mode: .developer)
            guard case .finding(_, .origin(.status(let answer)), _) = verdict.diagnosis.cause,
                let fault = answer.hosting
            else {
                Issue.record("\(verdict.diagnosis.cause)")
                return
            }
            #expect(fault.platform == row.platform && fault.meaning == row.meaning)
            #expect(verdict.text.oneLine.contains(row.platform.rawValue))
            let finding = try #require(verdict.findings.first { $0.rule.rawValue == "origin.status" })
            for header in row.sign.headers {
                let value = try #require(finding.text.evidence[header.name.replacing("-", with: "_")])
                #expect(header.part.isEmpty || value.contains(header.part))
            }
            #expect(finding.text.evidence["code"] == row.sign.code)
            #expect((finding.text.evidence["body"] == nil) == row.sign.words.isEmpty)
            let readings = Readings(try Observation.of(origin: reply, cdn: nil))
            let isGone = reply.status == 404 || reply.status == 410
            #expect((readings.absence != nil) == (isGone || row.meaning.hasNoFile))
        }

        @Test("each protection is recognised, and its sign is evidence", arguments: BotProtection.rows.indices)
        func protections(_ index: Int) throws {
            let row = BotProtection.rows[index]
            let reply = Self.reply(row.sign)
            let verdict = try verdict(origin: reply, cdn: nil, unasked: .mode, mode: .developer)
            guard
                case .access(.challengedHere(let seen, status: _, passes: nil, elsewhere: nil, copy: nil)) = verdict
                    .diagnosis
                    .cause
            else {
                Issue.record("\(verdict.diagnosis.cause)")
                return
            }
            #expect(seen.vendor == row.vendor && seen.kind == row.kind)
            let finding = try #require(verdict.findings.first { $0.rule.rawValue == "origin.status" })
            #expect(finding.message.contains(row.vendor.rawValue))
            for header in row.sign.headers {
                let value = try #require(finding.text.evidence[header.name.replacing("-", with: "_")])
                #expect(header.part.isEmpty || value.contains(header.part))
            }
            #expect((finding.text.evidence["body"] == nil) == row.sign.words.isEmpty)
        }

        static let lookAlikes: [(Reply, String)] = [
            // CloudFront itself refuses, because of a rule: the object is not missing.
            (.xml(403, "AccessDenied", ["Server": "CloudFront"]), "origin-fault"),
            (.page(403, "<html>", ["Server": "AmazonS3"]), "origin-fault"),
            (.status(404, ["Server": "AmazonS3"]), "not-deployed"),
            // Every response through Imperva has this header.
            (.status(403, ["X-Iinfo": "1-2-3"]), "origin-fault"),
            (.status(403, ["Server": "AkamaiGHost"]), "origin-fault"),
            // A page of the site may contain any word.
            (.page(404, "<html>sec-cp-challenge", [:]), "not-deployed"),
            (.page(410, "<html>Incapsula incident ID", [:]), "not-deployed"),
            (.status(500, ["Server": "Vercel"]), "origin-fault"),
            (.status(404, ["Server": "Vercel"]), "not-deployed"),
            (.xml(200, "AccessDenied", ["Server": "AmazonS3"]), "file-fault"),
        ]

        @Test("responses that only look like a platform or a protection are not taken for one", arguments: lookAlikes)
        func lookAlike(_ reply: Reply, _ id: String) throws {
            #expect(try verdict(origin: reply, cdn: nil, unasked: .mode, mode: .developer).diagnosis.id.rawValue == id)
        }

        static let good = Reply.file(SampleFile.version(1))

        @Test("a file that mentions a bot protection, or comes through one, is not a challenge")
        func file() throws {
            let reply = Self.good.with {
                $0.headers["X-Iinfo"] = "1-2-3"
                $0.headers["CF-RAY"] = "8f0-AMS"
            }
            #expect(try verdict(origin: reply, cdn: reply).findings.isEmpty)
        }

        @Test("docs/reference/hosts.md is up to date")
        func documented() throws {
            let file = URL(filePath: #filePath).appending(path: "../../../docs/reference/hosts.md").standardized
            if ProcessInfo.processInfo.environment["AASA_REWRITE_EXPECTATIONS"] == "1" {
                try Data(HostsPage.text.utf8).write(to: file)
            }
            #expect(
                try String(contentsOf: file, encoding: .utf8) == HostsPage.text,
                "docs/reference/hosts.md is stale; run the tests with AASA_REWRITE_EXPECTATIONS=1")
        }

        @Test("each platform is documented or recorded, and each meaning occurs")
        func complete() {
            #expect(Set(HostingTable.rows.map(\.platform)) == Set(HostingPlatform.allCases))
            #expect(Set(HostingTable.rows.map(\.meaning)) == Set(HostingMeaning.allCases))
            #expect(Set(BotProtection.rows.map(\.vendor)) == Set(BotProtection.Vendor.allCases))
        }
    }
}
