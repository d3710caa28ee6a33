// docs/reference/lint-rules.md is written from the rules, docs/reference/lint-corpus.md from what they find in real
// files. AASA_REWRITE_EXPECTATIONS=1 writes both anew; the diff is to be reviewed.

import AASA
import Foundation
import TestSupport
import Testing

extension AASASuite {
    @Suite("Lint documentation")
    struct LintDocumentationTests {
        private let isRewriting = ProcessInfo.processInfo.environment["AASA_REWRITE_EXPECTATIONS"] == "1"

        private func compare(_ text: String, with name: String) throws {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("docs/reference")
            let file = folder.appendingPathComponent(name)
            if isRewriting { try Data(text.utf8).write(to: file) }
            let written = try String(decoding: Data(contentsOf: file), as: UTF8.self)
            #expect(written == text, "docs/reference/\(name) is stale; run the tests with AASA_REWRITE_EXPECTATIONS=1")
        }

        @Test("docs/reference/lint-rules.md is fresh")
        func rules() throws { try compare(LintRulesPage.text, with: "lint-rules.md") }

        @Test("docs/reference/lint-corpus.md is fresh, and each error rule in it is defended")
        func corpus() throws {
            guard let corpus = Corpus.find(holding: "aasa") else { return }
            let files = try corpus.files(in: "aasa", withExtension: "aasa").map { ($0.name, Linter.lint($0.bytes)) }
            let page = LintCorpusPage(files)
            #expect(page.undefended.isEmpty, "say in LintCorpusPage why these are right: \(page.undefended)")
            #expect(page.miscounted.isEmpty, "the `seen` of these is another number: \(page.miscounted)")
            try compare(page.text, with: "lint-corpus.md")
        }
    }
}
