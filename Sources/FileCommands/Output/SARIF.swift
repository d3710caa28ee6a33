// The Static Analysis Results Interchange Format, which code hosts show beside the source:
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

import AASA
import Evidence
import Foundation

enum SARIF {
    /// `failures`: why sources could not be read.
    static func log(of results: [LintResult], failures: [String]) -> OrderedJSON {
        let rules = Linter.rules
        var indices: [String: Int] = [:]
        for (index, rule) in rules.enumerated() { indices[rule.id] = index }
        let driver = OrderedJSON.object([
            ("name", .string("aasa-monitor")), ("version", .string(Version.number)),
            ("informationUri", .string(Version.home)), ("rules", .array(rules.map(descriptor))),
        ])
        let entries = results.flatMap { result in result.report.findings.map { entry($0, result, indices) } }
        var run: [(String, OrderedJSON)] = [("tool", .object([("driver", driver)]))]
        if !failures.isEmpty {
            // Otherwise a code host would count the findings of unread sources as fixed.
            let notifications = failures.map {
                OrderedJSON.object([("level", .string("error")), ("message", text($0))])
            }
            run.append(
                (
                    "invocations",
                    .array([
                        .object([
                            ("executionSuccessful", .bool(false)),
                            ("toolExecutionNotifications", .array(notifications)),
                        ])
                    ])
                ))
        }
        run += [("columnKind", .string("unicodeCodePoints")), ("results", .array(entries))]
        return .object([
            ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")), ("version", .string("2.1.0")),
            ("runs", .array([.object(run)])),
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
        let uri = uri(result.text)
        var members: [(String, OrderedJSON)] = [("ruleId", .string("aasa.\(finding.rule)"))]
        if let index = indices[finding.rule] { members.append(("ruleIndex", .integer(index))) }
        members += [
            ("level", .string(finding.severity.rawValue)), ("message", text("\(finding.message); \(finding.fix)")),
            ("locations", .array([.object([("physicalLocation", place(uri, finding.start, finding.end))])])),
        ]
        let related = finding.related.enumerated().map { index, related in
            OrderedJSON.object([
                ("id", .integer(index + 1)), ("message", text(related.message)),
                ("physicalLocation", place(uri, related.start, related.end)),
            ])
        }
        if !related.isEmpty { members.append(("relatedLocations", .array(related))) }
        return .object(members)
    }

    private static func place(_ uri: String, _ start: SourcePosition, _ end: SourcePosition) -> OrderedJSON {
        .object([
            ("artifactLocation", .object([("uri", .string(uri))])),
            (
                "region",
                .object([
                    ("startLine", .integer(start.line)), ("startColumn", .integer(start.column)),
                    ("endLine", .integer(end.line)), ("endColumn", .integer(end.column)),
                ])
            ),
        ])
    }

    private static func text(_ text: String) -> OrderedJSON { .object([("text", .string(text))]) }

    /// A relative reference for a path, a URL for a site.
    private static func uri(_ text: SourceText) -> String {
        // Text before a colon would be a scheme.
        let allowed = CharacterSet.urlPathAllowed.subtracting([":"])
        return switch text.source {
        case .path(let path): path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        case .standardInput: "stdin"
        case .origin, .cdn: text.url ?? text.name
        }
    }
}
