// Judges a file by all rules. Reads the bytes once into a subject, lets each rule look at it, then finds the lines and
// columns of all findings.

/// The linter: what is wrong with an apple-app-site-association file, and what devices make of it.
public enum Linter {
    /// Counts up whenever a rule is added, removed or judges otherwise: who keeps findings keeps this beside them.
    public static let version = 4

    /// All rules, in the order of docs/lint-rules.md.
    public static let rules: [LintRuleDescription] = LintRegistry.rules.map { $0.description }

    /// Time grows linearly with the file, on any bytes.
    public static func lint(_ bytes: [UInt8]) -> LintReport {
        let subject = LintSubject(bytes)
        var drafts: [FindingSink.Draft] = []
        for rule in LintRegistry.rules {
            var sink = FindingSink(rule: rule.description)
            rule.check(subject, &sink)
            drafts += sink.all
        }
        return LintReport(findings: placed(drafts, in: subject), file: subject.file)
    }

    private static func placed(_ drafts: [FindingSink.Draft], in subject: LintSubject) -> [LintFinding] {
        let findings = drafts.map { draft in
            LintFinding(
                rule: draft.rule.id, severity: draft.rule.severity, message: draft.message, fix: draft.fix,
                reference: draft.rule.reference, range: draft.range,
                start: subject.position(of: draft.range.lowerBound), end: subject.position(of: draft.range.upperBound),
                pointer: draft.pointer, related: draft.related.map { place(of: $0, in: subject) },
                example: draft.example)
        }
        return findings.enumerated()
            .sorted { left, right in
                let (one, other) = (left.element, right.element)
                // What weighs more comes first where two stand at one place; else the order of the rules.
                return (one.range.lowerBound, other.severity, left.offset)
                    < (other.range.lowerBound, one.severity, right.offset)
            }
            .map(\.element)
    }
    private static func place(of related: FindingSink.Related, in subject: LintSubject) -> LintPlace {
        LintPlace(
            message: related.message, range: related.range, start: subject.position(of: related.range.lowerBound),
            end: subject.position(of: related.range.upperBound), pointer: related.pointer)
    }
}
