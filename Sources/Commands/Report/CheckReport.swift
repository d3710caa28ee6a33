// What `check` says of one target, as data: the JSON form of the contract (docs/json.md), a file a part. The text form is
// in CheckReport+Text.swift.

import Evidence
import Foundation

struct CheckReport: Sendable {
    let observation: Observation
    let readings: Readings
    let verdict: Verdict
    /// Where Apple's copy lies, also when it was not asked for.
    let cdnURL: String

    var json: OrderedJSON {
        let text = verdict.text
        return .object([
            ("schema", .string("aasa-monitor/check/v1")),
            ("domain", .string(observation.domain.name)),
            ("checked_at", .string(observation.checkedAt.rfc3339)),
            ("depth", .string(observation.depth.rawValue)),
            ("verdict", .string(verdict.level.rawValue)),
            ("diagnosis", .string(text.oneLine)),
            ("diagnosis_id", .string(verdict.diagnosis.id.rawValue)),
            ("effect", .string(text.effect)),
            ("cause", .optional(text.cause)),
            ("action", .optional(text.action)),
            ("outlook", .optional(text.outlook)),
            ("origin", readings.originReport),
            ("cdn", readings.cdnReport(url: cdnURL)),
            ("comparison", Self.json(of: verdict.comparison)),
            ("pages", .array((observation.full?.pages ?? []).map(Self.json(of:)))),
            ("findings", .array(verdict.findings.map(\.text).map(Self.json(of:)))),
            ("ignored", .array(verdict.ignored.map(\.text).map(Self.json(ofIgnored:)))),
        ])
    }

    static func json(of finding: FindingText) -> OrderedJSON { .object(members(of: finding)) }

    private static func json(ofIgnored ignored: IgnoredFindingText) -> OrderedJSON {
        .object(
            members(of: ignored.text) + [
                (
                    "ignored",
                    .object([
                        ("reason", .string(ignored.reason)), ("until", .optional(ignored.until?.description)),
                    ])
                )
            ])
    }

    private static func members(of finding: FindingText) -> [(String, OrderedJSON)] {
        [
            ("rule", .string(finding.rule.rawValue)),
            ("severity", .string(finding.severity.rawValue)),
            ("message", .string(finding.message)),
            ("evidence", .object(finding.evidence.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("fix", .string(finding.fix)),
            ("reference", .string(finding.reference)),
        ]
    }

    private static func json(of page: PageLook) -> OrderedJSON {
        .object([
            ("url", .string(page.url)),
            ("status", .optional(page.retrieval.answer?.status)),
            ("content_type", .optional(page.retrieval.answer?.header("content-type"))),
            ("redirects", Readings.redirects(of: page.retrieval)),
            ("app_store", .optional(page.appStore)),
            ("error", Readings.error(of: page.retrieval)),
        ])
    }
}
