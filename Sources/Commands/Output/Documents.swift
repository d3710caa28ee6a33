// The JSON of `check`, `match`, `lint` and `diff` (docs/reference/json.md). Objects that the API has too are encoded as
// there.

import AASA
import Evidence
import Foundation
import Report

/// `check`: everything that one check of a domain saw.
struct CheckDocument: InOrder {
    var schema = "aasa-monitor/check/v1"
    let domain: String
    /// The one that was asked about; nil for the whole domain.
    let service: String?
    let checkedAt: Date
    let depth: Depth
    let verdict: Verdict.Level
    let diagnosis: String
    let diagnosisId: DiagnosisID
    let effect: String
    let cause: String?
    let action: String?
    let outlook: String?
    let origin: OrderedJSON
    let cdn: OrderedJSON
    let comparison: ComparisonReport
    let pages: [Page]
    let findings: [FindingText]
    let ignored: [IgnoredFindingText]

    struct Page: InOrder {
        let url: String
        let status: Int?
        let contentType: String?
        let redirects: OrderedJSON
        let appStore: String?
        let error: OrderedJSON

        init(_ page: PageResult) {
            url = page.url
            status = page.retrieval.answer?.status
            contentType = page.retrieval.answer?.header("content-type")
            redirects = Readings.redirects(of: page.retrieval)
            appStore = page.appStore
            error = Readings.error(of: page.retrieval)
        }
    }

    init(_ report: CheckReport) {
        let (observation, readings, verdict, text) = (
            report.observation, report.readings, report.verdict, report.diagnosis
        )
        domain = observation.domain.name
        service = report.service
        checkedAt = observation.checkedAt
        depth = observation.depth
        self.verdict = verdict.level
        diagnosis = text.oneLine
        diagnosisId = verdict.diagnosis.id
        (effect, cause, action, outlook) = (text.effect, text.cause, text.action, text.outlook)
        origin = readings.originReport
        cdn = readings.cdnReport(url: report.cdnURL)
        comparison = ComparisonReport(verdict.comparison, at: report.now, time: ReportTime(now: report.now))
        pages = (observation.full?.pages ?? []).map(Page.init)
        findings = report.findings
        ignored = report.ignored
    }
}

extension CheckReport {
    var json: OrderedJSON {
        guard case .object(var members) = OrderedJSON.document(CheckDocument(self)) else { return .null }
        // The answer about a URL comes first.
        if let why { members.insert(("why", OrderedJSON.document(why.document)), at: 1) }
        return .object(members + expected.json)
    }
}

/// `match`: what a file says about one URL.
struct MatchDocument: InOrder {
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

    init(_ answer: MatchAnswer, _ file: AssociationFile?) {
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

/// `check --why`: as `match`, for the file that phones use, and the reasons on the phone.
typealias WhyDocument = Detailed<MatchDocument, WhyReasons>

struct WhyReasons: InOrder {
    let file: String?
    let differsAtOrigin: Bool?
    let reasons: [Reason]

    struct Reason: InOrder {
        let id: String
        let what: String
        let test: String
        let source: String
    }
}

extension WhyReport {
    var document: WhyDocument {
        let reasons = reasons.map {
            WhyReasons.Reason(id: $0.id, what: $0.what, test: $0.test.text, source: $0.source)
        }
        return Detailed(
            MatchDocument(answer, file),
            WhyReasons(file: file == nil ? nil : source, differsAtOrigin: differsAtOrigin, reasons: reasons))
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
