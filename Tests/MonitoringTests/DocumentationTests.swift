import Evidence
import Foundation
import Monitoring
import Testing

@Suite("the documentation of findings and kinds")
struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("docs/alerts.md names for each kind just the rules that feed it", arguments: IncidentKind.rules.map(\.kind))
    func kinds(kind: IncidentKind) throws {
        let row = try #require(
            try text("docs/alerts.md").split(separator: "\n").first { $0.hasPrefix("| `\(kind.rawValue)` |") })
        let last = try #require(row.split(separator: "|").last)
        let named = last.matches(of: /`([a-z.-]+)`/).map { String($0.1) }
        #expect(named == IncidentKind.rules.first { $0.kind == kind }?.rules)
    }

    @Test("docs/rules.md has a row for each rule that feeds a kind", arguments: IncidentKind.rules.flatMap(\.rules))
    func rules(rule: String) throws {
        #expect(try text("docs/rules.md").contains("| `\(rule)` |"))
    }
}
