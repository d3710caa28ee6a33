// The JSON of `match`, `lint` and `diff` (docs/reference/json.md).

import AASA
import Evidence

/// `match`: what a file says about one URL.
package struct MatchDocument: InOrder {
    let url: String
    let opens: String?
    var service = "applinks"
    let rule: Place?
    let alsoOpenedBy: [String]
    let asExpected: Bool?
    let complete: Bool

    struct Place: InOrder {
        let pointer: String
        let line: Int
    }

    package init(_ answer: MatchAnswer, _ file: AssociationFile?) {
        url = answer.question.text
        opens = answer.opens
        rule = answer.result?.deciding.flatMap { attempt in
            file.map { Place(pointer: attempt.rule.pointer, line: $0.position(of: attempt.rule).line) }
        }
        alsoOpenedBy = answer.result?.alsoOpenedBy ?? []
        asExpected = answer.question.expected == nil ? nil : answer.isAsExpected
        complete = answer.result?.isComplete ?? true
    }
}

/// `lint`: what was found in one source.
struct LintDocument: InOrder {
    let source: String
    let valid: Bool
    let findings: [Finding]

    struct Finding: InOrder {
        let rule: String
        let severity: String
        let message: String
        let line: Int
        let column: Int
        let endLine: Int
        let endColumn: Int
        let pointer: String
        /// By name; each related place of the file has its own members.
        let evidence: OrderedJSON
        let fix: String
        let reference: String

        init(_ finding: LintFinding) {
            rule = "aasa.\(finding.rule)"
            severity = finding.severity.rawValue
            message = finding.message
            (line, column) = (finding.start.line, finding.start.column)
            (endLine, endColumn) = (finding.end.line, finding.end.column)
            pointer = finding.pointer
            evidence = .object(finding.evidence.map { ($0.name, .string($0.value)) })
            fix = finding.fix
            reference = finding.reference
        }
    }

    init(_ result: LintResult) {
        source = result.text.name
        valid = result.report.isValid
        findings = result.report.findings.map(Finding.init)
    }
}

/// `diff`: how two files differ.
struct DiffDocument: InOrder {
    var schema = "aasa-monitor/diff/v1"
    let sources: [String]
    let bytesEqual: Bool
    let meaningEqual: Bool
    let changes: [AssociationChange]
    let changesTotal: Int
    let behaviour: [Detailed<BehaviourChange, Opening>]
    let moreBehaviour: Int
    let moreRules: Int
    let behaviourComplete: Bool
    let services: [ServiceChange]
    let takenByDevices: [Bool]

    /// Remarks on a URL that changes.
    struct Opening: InOrder {
        let openedBeforeBy: String?
        let openedNowBy: String?
        let contested: [String]
    }

    init(_ difference: FileDifference) {
        sources = difference.names
        bytesEqual = difference.areSameBytes
        meaningEqual = difference.isEmpty
        changes = difference.changes.changes
        changesTotal = difference.changes.total
        behaviour = difference.openings.map { change in
            let remarks = difference.remarks[change.example]
            let contested = (remarks?.contested ?? []).map(\.rawValue)
            return Detailed(
                change,
                Opening(openedBeforeBy: remarks?.before, openedNowBy: remarks?.after, contested: contested))
        }
        moreBehaviour = difference.moreOpenings
        moreRules = difference.rules.more
        behaviourComplete = difference.behaviour.isComplete
        services = difference.services
        takenByDevices = difference.isNothing.map { !$0 }
    }
}
