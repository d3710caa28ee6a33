import Foundation
import Testing

@testable import AASA

extension AASASuite {
    /// Each rule fulfils its own description.
    @Suite("Lint rules")
    struct LintRuleTests {
        static let ids = LintRegistry.rules.map { $0.description.id }

        private func rule(_ id: String) throws -> any LintRule.Type {
            try #require(LintRegistry.rules.first { $0.description.id == id })
        }

        @Test("a rule finds its own example, with its severity", arguments: ids)
        func example(_ id: String) throws {
            let rule = try rule(id)
            let findings = Linter.lint(rule.exampleBytes).findings.filter { $0.rule == id }
            #expect(!findings.isEmpty, "\(id)")
            for finding in findings {
                #expect(finding.severity == rule.description.severity)
                #expect(!finding.message.isEmpty && !finding.fix.isEmpty)
            }
        }

        @Test("a rule's corrected example has no finding of the rule and no error", arguments: ids)
        func fixedExample(_ id: String) throws {
            let report = Linter.lint(Array(try rule(id).description.fixedExample.utf8))
            #expect(report.isValid, "\(id): \(report.findings.map(\.message))")
            #expect(!report.findings.contains { $0.rule == id }, "\(id): \(report.findings.map(\.message))")
        }

        @Test("ids are unique kebab-case, and each rule under Rules/ is listed and named after its id")
        func names() throws {
            #expect(Set(Self.ids).count == Self.ids.count)
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Sources/AASA/Lint/Rules")
            let declared = try FileManager.default.contentsOfDirectory(atPath: folder.path).flatMap { file in
                try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                    .matches(of: /enum (\w+): (?:LintRule|AppIDTextRule)\b/).map { String($0.output.1) }
            }
            #expect(declared.sorted() == LintRegistry.rules.map { String(describing: $0) }.sorted())
            for (id, rule) in zip(Self.ids, LintRegistry.rules) {
                #expect(id.allSatisfy { $0 == "-" || ("a"..."z").contains($0) }, "\(id)")
                #expect(String(describing: rule).lowercased() == id.replacing("-", with: ""))
                let words = rule.description
                #expect(!words.seen.isEmpty, "\(id)")
                #expect(
                    words.reference.hasPrefix("https://") && !words.title.hasSuffix(".") && words.why.hasSuffix("."))
            }
        }

        @Test("the ids that other documents mention exist")
        func promised() {
            let promised = [
                "json-syntax", "json-duplicate-key", "byte-order-mark", "root-not-object", "no-service",
                "app-id-format",
                "component-type", "rule-unreachable", "exclude-after-include",
            ]
            #expect(promised.allSatisfy(Self.ids.contains))
        }
    }
}
