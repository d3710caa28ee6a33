import AASA
import Foundation

extension Checks {
    /// Whether the origin's body is a file at all. Devices read strict JSON with an object at its root.
    @Sendable static func fileSyntax(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status == 200, answer.body.end == .complete,
            let reading = context.readings.originBody
        else { return [] }
        var findings: [Finding] = []
        if let error = reading.syntaxError {
            findings.append(
                Finding(
                    rule: .aasa("json-syntax"), severity: .error,
                    message: "the file is no valid JSON: line \(error.position.line), column "
                        + "\(error.position.column): \(error.message)".displayable
                        + (error.cause.map { "; \($0.explanation)" } ?? ""),
                    evidence: [
                        "line": "\(error.position.line)", "column": "\(error.position.column)",
                        "cause": error.cause?.rawValue ?? "unknown",
                    ],
                    fix: error.cause == .htmlPage
                        ? "exempt /.well-known/apple-app-site-association from the catch-all route and serve the file"
                        : "correct the file there; any JSON tool shows the same place", reference: Reference.json))
        }
        guard let document = reading.document else { return findings }
        if document.root.members == nil {
            findings.append(
                Finding(
                    rule: .aasa("root-not-object"), severity: .error,
                    message: "the file's outermost value is not an object",
                    fix: "begin the file with {\"applinks\": …}", reference: Reference.supportingDomains))
        } else if !reading.namesService {
            findings.append(
                Finding(
                    rule: .aasa("no-service"), severity: .error,
                    message: "the file names none of the services that Apple knows",
                    evidence: ["keys": (document.root.members ?? []).prefix(10).map(\.key).joined(separator: ", ")],
                    fix: "add applinks, webcredentials or appclips; keys are case-sensitive",
                    reference: Reference.supportingDomains))
        }
        if document.hasByteOrderMark {
            findings.append(
                Finding(
                    rule: .aasa("byte-order-mark"), severity: .warning,
                    message: "the file begins with a byte order mark, which strict parsers refuse",
                    fix: "save it as UTF-8 without byte order mark", reference: Reference.json))
        }
        for duplicate in document.duplicateKeys.prefix(5) {
            findings.append(
                Finding(
                    rule: .aasa("json-duplicate-key"), severity: .warning,
                    message: "line \(duplicate.second.line) repeats the key "
                        + "'\(duplicate.key.displayable.shortened(to: 100))' of line \(duplicate.first.line)",
                    evidence: ["line": "\(duplicate.second.line)", "column": "\(duplicate.second.column)"],
                    fix: "keep one of the two; which one counts is undefined", reference: Reference.json))
        }
        return findings
    }
}
