// The Static Analysis Results Interchange Format, which code hosts show beside the source:
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

import AASA
import Evidence
import Foundation

enum SARIF {
    static func log(of results: [LintResult]) -> OrderedJSON {
        let rules = Linter.rules
        var indices: [String: Int] = [:]
        for (index, rule) in rules.enumerated() { indices[rule.id] = index }
        let driver = OrderedJSON.object([
            ("name", .string("aasa-monitor")), ("version", .string(Version.number)),
            ("informationUri", .string(Version.home)), ("rules", .array(rules.map(descriptor))),
        ])
        let entries = results.flatMap { result in result.report.findings.map { entry($0, result, indices) } }
        let run = OrderedJSON.object([
            ("tool", .object([("driver", driver)])), ("columnKind", .string("unicodeCodePoints")),
            ("results", .array(entries)),
        ])
        return .object([
            ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")), ("version", .string("2.1.0")),
            ("runs", .array([run])),
        ])
    }

    private static func descriptor(_ rule: LintRuleDescription) -> OrderedJSON {
        .object([
            ("id", .string("aasa.\(rule.id)")),
            ("shortDescription", text(rule.title)),
            ("fullDescription", text(rule.why)),
            ("help", text(rule.fix)),
            ("helpUri", .string(rule.reference)),
            ("defaultConfiguration", .object([("level", .string(rule.severity.rawValue))])),
        ])
    }

    private static func entry(_ finding: LintFinding, _ result: LintResult, _ indices: [String: Int]) -> OrderedJSON {
        let region = OrderedJSON.object([
            ("startLine", .integer(finding.start.line)), ("startColumn", .integer(finding.start.column)),
            ("endLine", .integer(finding.end.line)), ("endColumn", .integer(finding.end.column)),
        ])
        let artifact = OrderedJSON.object([("uri", .string(uri(result.text.source)))])
        let place = OrderedJSON.object([("artifactLocation", artifact), ("region", region)])
        var members: [(String, OrderedJSON)] = [("ruleId", .string("aasa.\(finding.rule)"))]
        if let index = indices[finding.rule] { members.append(("ruleIndex", .integer(index))) }
        members += [
            ("level", .string(finding.severity.rawValue)), ("message", text("\(finding.message); \(finding.fix)")),
            ("locations", .array([.object([("physicalLocation", place)])])),
        ]
        return .object(members)
    }

    private static func text(_ text: String) -> OrderedJSON { .object([("text", .string(text))]) }

    /// A relative reference for a path, a URL for a site.
    private static func uri(_ source: FileSource) -> String {
        switch source {
        case .path(let path):
            // What stands before a colon would be a scheme.
            path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.subtracting([":"])) ?? path
        case .standardInput: "stdin"
        case .origin(let domain): domain.wellKnownURL
        case .cdn(let domain): "https://app-site-association.cdn-apple.com/a/v1/\(domain)"
        }
    }
}
