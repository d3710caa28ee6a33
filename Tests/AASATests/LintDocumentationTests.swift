// The rules generate docs/reference/lint-rules.md, and their findings in real files docs/reference/lint-corpus.md.
// AASA_REWRITE_EXPECTATIONS=1 writes both again. Review the diff.

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

        @Test("docs/reference/lint-rules.md is up to date")
        func rules() throws { try compare(LintRulesPage.text, with: "lint-rules.md") }

        @Test("docs/reference/lint-corpus.md is up to date, and gives a reason for each error rule")
        func corpus() throws {
            guard let corpus = Corpus.find(holding: "aasa") else { return }
            let files = try corpus.files(in: "aasa", withExtension: "aasa").map { ($0.name, Linter.lint($0.bytes)) }
            let page = LintCorpusPage(files)
            #expect(page.undefended.isEmpty, "explain in LintCorpusPage why these are errors: \(page.undefended)")
            #expect(page.miscounted.isEmpty, "`seen` has a wrong number of files: \(page.miscounted)")
            try compare(page.text, with: "lint-corpus.md")
        }
    }
}
