// GitLab's Code Quality report, which a merge request shows beside the lines:
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format

import AASA
import Evidence

enum CodeQuality {
    static func report(of results: [LintResult]) -> OrderedJSON {
        var seen: [String: Int] = [:]
        return .array(
            results.flatMap { result in
                let name = result.text.name
                let path = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
                return result.report.findings.map { finding in
                    // If two findings have one fingerprint, GitLab shows only the first. The line is not part of it: a
                    // finding that moves is not a new one.
                    let identity = "\(path)\n\(finding.rule)\n\(finding.pointer)"
                    seen[identity, default: 0] += 1
                    let fingerprint = ContentHash(of: "\(identity)\n\(seen[identity] ?? 0)".utf8).hex
                    return issue(finding, path, fingerprint)
                }
            })
    }

    private static func issue(_ finding: LintFinding, _ path: String, _ fingerprint: String) -> OrderedJSON {
        let lines = [("begin", finding.start.line), ("end", finding.end.line)].map { ($0, OrderedJSON.integer($1)) }
        return .object([
            ("description", .string("\(finding.message); \(finding.fix)".displayable)),
            ("check_name", .string("aasa.\(finding.rule)")), ("fingerprint", .string(fingerprint)),
            ("severity", .string(severity(finding.severity))),
            ("location", .object([("path", .string(path)), ("lines", .object(lines))])),
        ])
    }

    private static func severity(_ severity: LintSeverity) -> String {
        switch severity {
        case .error: "critical"
        case .warning: "minor"
        case .note: "info"
        }
    }
}
