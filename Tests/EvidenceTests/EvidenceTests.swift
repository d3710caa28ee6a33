// The evidence has all that a finding's sentence says, so a reader who doubts it can check.

import Evidence
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Evidence of findings")
    struct EvidenceOfFindings {
        private static func findings() throws -> [(String, Finding)] {
            let stories = try Story.all.flatMap { story in
                try verdict(
                    story.domain, origin: story.origin, cdn: story.cdn,
                    unasked: story.mode == .production ? .originHasNoFile : .mode,
                    mode: story.mode, scene: story.scene, expectations: story.expectations
                ).findings.map { (story.testDescription, $0) }
            }
            let rows = try CheckTests.rows.flatMap { row in
                try verdict(origin: row.origin, cdn: row.cdn).findings.map { (row.testDescription, $0) }
            }
            let views = try (ViewTests.agents + ViewTests.vantages + ViewTests.roots + ViewTests.pages).flatMap { row in
                try verdict(origin: row.origin, cdn: ViewTests.good, scene: row.scene).findings
                    .map { (row.testDescription, $0) }
            }
            return stories + rows + views
        }

        @Test("each status, URL, header and address in a sentence is in the evidence")
        func rests() throws {
            let all = try Self.findings()
            #expect(all.count > 200)
            for (name, finding) in all {
                let evidence = finding.text.evidence.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
                let said =
                    finding.message.matches(of: /status (\d{3})/).map { String($0.1) }
                    + finding.message.matches(of: /https?:\/\/[^\s,)'"]*[^\s,)'":;.]/).map { String($0.0) }
                    + finding.message.matches(of: /\d+\.\d+\.\d+\.\d+/).map { String($0.0) }
                    + finding.message.matches(of: /SHA-256 ([0-9a-f]{8})/).map { String($0.1) }
                    + finding.message.matches(of: /SWCERR\d+/).map { String($0.0) }
                for words in said {
                    #expect(
                        evidence.lowercased().contains(words.lowercased()),
                        "\(name): '\(words)' of '\(finding.message)' is not in \(finding.text.evidence)")
                }
            }
        }

        @Test("a finding behind a redirect has the redirects as evidence")
        func redirects() throws {
            for (name, finding) in try Self.findings() where finding.message.contains("behind the redirect") {
                #expect(finding.text.evidence["redirects"]?.contains("→ 30") == true, "\(name): \(finding)")
            }
        }
    }
}
