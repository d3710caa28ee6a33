// The JSON of `check` (docs/reference/json.md). Objects that the API has too are encoded as there.

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
