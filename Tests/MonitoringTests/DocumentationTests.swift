import AASA
import Evidence
import Foundation
import Monitoring
import TestTraits
import Testing

@Suite("the documentation of findings and kinds", .computing)
struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test(
        "docs/reference/alerts.md names for each kind exactly the rules that feed it", arguments: IncidentKind.ofDomains
    )
    func kinds(kind: IncidentKind) throws {
        let row = try #require(
            try text("docs/reference/alerts.md").split(separator: "\n").first { $0.hasPrefix("| `\(kind.rawValue)` |") }
        )
        let last = try #require(row.split(separator: "|").last)
        let named = last.matches(of: /`([a-z0-9.-]+)`/).map { String($0.1) }
        // The linter's rules have a separate page.
        #expect(
            Set(named) == Set(kind.rules.map(\.rawValue).filter { kind != .fileBroken || !Self.ofLinter.contains($0) }))
    }

    @Test(
        "docs/reference/rules.md has a row for each rule that feeds a kind",
        arguments: IncidentKind.ofDomains.flatMap(\.rules).map(\.rawValue).filter { !ofLinter.contains($0) }.sorted())
    func rules(rule: String) throws {
        #expect(try text("docs/reference/rules.md").contains("| `\(rule)` |"))
    }

    private static let ofLinter = Set(Linter.rules.map { Rule(lint: $0.id).rawValue })

    /// Rules that open no incident, with the reason.
    private static let silent: [String: String] = [
        "origin.certificate-chain-expired": "a note: it was not needed",
        "origin.certificate-chain-expiring": "a warning: the leaf is what certificate.expiring tells of",
        "origin.address-stalls": "a warning: our own asking may have brought it about",
        "origin.rate-limited": "a note: our own asking may have brought it about",
        "origin.ipv6-unchecked": "a note: nothing is known",
        "origin.ipv4-unchecked": "a note: nothing is known",
        "origin.single-family": "a note: no fault",
        "origin.root-copy-differs": "a warning: current devices do not read the copy at the root",
        "cdn.formatting-differs": "a note: no difference in meaning",
        "cdn.without-effect": "a note: phones do the same",
        "cdn.unreachable": "says nothing of the file: cdn conditions are unknown then",
        "aasa.more": "a note: says that there are more findings",
        "cdn.wide": "it is about many domains, and makes a global incident",
        "cdn.edge-unreachable": "says nothing of the file",
    ]

    @Test("each documented rule either feeds a kind or is listed as silent; our own rules feed none")
    func decided() throws {
        let documented = try text("docs/reference/rules.md").matches(of: /\n\| `([a-z]+\.[a-z0-9-]+)` \|/).map {
            String($0.1)
        }
        #expect(documented.count > 50)
        for rule in documented where !rule.hasPrefix("monitor.") {
            let isFed = Rule(rawValue: rule).feeds != nil
            #expect(isFed != (Self.silent[rule] != nil), "\(rule)")
        }
        #expect(!IncidentKind.ofDomains.flatMap(\.rules).contains { $0.rawValue.hasPrefix("monitor.") })
    }
}

extension IncidentKind {
    /// The rules that feed this kind, as docs/reference/alerts.md lists them.
    fileprivate var rules: Set<Rule> { Rule.ofDomains.filter { $0.feeds == self } }
}
