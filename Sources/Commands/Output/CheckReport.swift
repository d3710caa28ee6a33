// What `check` says of one target, as data: the JSON form of the contract (docs/json.md). The text form is in
// CheckReport+Text.swift.

import Evidence
import Foundation

struct CheckReport: Sendable {
    let observation: Observation
    let readings: Readings
    let verdict: Verdict
    /// Where Apple's copy lies, also when it was not asked for.
    let cdnURL: String

    var json: OrderedJSON {
        .object([
            ("schema", .string("aasa-monitor/check/v1")),
            ("domain", .string(observation.domain.name)),
            ("checked_at", .string(observation.checkedAt.rfc3339)),
            ("verdict", .string(verdict.level.rawValue)),
            ("diagnosis", .string(verdict.diagnosis)),
            ("origin", origin),
            ("cdn", cdn),
            ("comparison", comparison),
            ("findings", .array(verdict.findings.map(Self.json(of:)))),
        ])
    }

    private var origin: OrderedJSON {
        let retrieval = observation.origin
        let answer = retrieval.answer
        return .object([
            ("url", .string(retrieval.url)),
            ("status", .optional(answer?.status)),
            ("content_type", .optional(answer?.header("content-type"))),
            ("bytes", .optional(answer?.body.decodedBytes)),
            ("sha256", .optional(answer?.body.hash?.hex)),
            ("meaning", .optional(readings.originFile?.meaning?.hex)),
            (
                "redirects",
                .array(
                    retrieval.redirects.map {
                        .object([("status", .integer($0.status)), ("location", .optional($0.location))])
                    })
            ),
            ("http_version", .optional(retrieval.connection?.httpVersion)),
            ("last_modified", .optional(answer?.header("last-modified"))),
            ("etag", .optional(answer?.header("etag"))),
            ("tls", Self.json(of: retrieval.connection?.tls)),
            ("addresses", .array(addresses(of: retrieval))),
            ("timing_ms", Self.json(of: retrieval.connection?.timings)),
            ("error", Self.error(of: retrieval)),
        ])
    }

    private var cdn: OrderedJSON {
        let retrieval = observation.cdn.retrieval
        let answer = retrieval?.answer
        var notAsked: String?
        if case .notAsked(let reason) = observation.cdn { notAsked = reason.rawValue }
        return .object([
            ("url", .string(cdnURL)),
            ("not_asked", .optional(notAsked)),
            ("status", .optional(answer?.status)),
            ("bytes", .optional(answer?.body.decodedBytes)),
            ("sha256", .optional(answer?.body.hash?.hex)),
            ("meaning", .optional(readings.cdnFile?.meaning?.hex)),
            ("age_seconds", .optional(answer?.age)),
            ("max_age_seconds", .optional(answer?.maxAge)),
            ("failure", Self.json(of: answer.flatMap(CrawlerFailure.init))),
            ("edges", .array(retrieval.map(edges(of:)) ?? [])),
            ("error", retrieval.map(Self.error(of:)) ?? .null),
        ])
    }

    private var comparison: OrderedJSON {
        .object([
            ("state", .string(verdict.comparison.state.rawValue)),
            ("bytes_equal", .optional(verdict.comparison.bytesEqual)),
            ("changed_at", .optional(verdict.comparison.changedAt)),
            ("lag_seconds", .optional(verdict.comparison.lagSeconds)),
            (
                "changes",
                .array(
                    verdict.comparison.changes.map {
                        .object([
                            ("kind", .string($0.kind.rawValue)), ("summary", .string($0.summary)),
                            ("pointer", .string($0.pointer)),
                        ])
                    })
            ),
            (
                "behaviour",
                .array(
                    verdict.comparison.behaviour.map {
                        .object([
                            ("app", .string($0.app)), ("from", .string($0.from.rawValue)),
                            ("to", .string($0.to.rawValue)), ("example", .string($0.example)),
                        ])
                    })
            ),
        ])
    }

    private func addresses(of retrieval: Retrieval) -> [OrderedJSON] {
        guard let connection = retrieval.connection, !connection.viaProxy, let address = connection.address else {
            return []
        }
        return [
            .object([
                ("address", .string(address)),
                ("family", .integer(address.contains(":") ? 6 : 4)),
                // The address is known only once it took the connection.
                ("reachable", .bool(true)),
                ("status", .optional(retrieval.answer?.status)),
                ("sha256", .optional(retrieval.answer?.body.hash?.hex)),
                ("error", Self.error(of: retrieval)),
                ("connect_ms", .optional(connection.timings.connect)),
            ])
        ]
    }

    private func edges(of retrieval: Retrieval) -> [OrderedJSON] {
        guard let address = retrieval.connection?.address else { return [] }
        return [
            .object([
                ("address", .string(address)),
                ("status", .optional(retrieval.answer?.status)),
                ("sha256", .optional(retrieval.answer?.body.hash?.hex)),
                ("error", Self.error(of: retrieval)),
            ])
        ]
    }

    private static func error(of retrieval: Retrieval) -> OrderedJSON {
        var failure = retrieval.failure
        if case .cutShort(let cut) = retrieval.answer?.body.end { failure = cut }
        guard let failure else { return .null }
        return .string(failure.detail.isEmpty ? failure.kind.rawValue : "\(failure.kind.rawValue): \(failure.detail)")
    }

    private static func json(of tls: TLSFacts?) -> OrderedJSON {
        guard let tls else { return .null }
        let leaf = tls.chain.first
        return .object([
            ("version", .optional(tls.version)),
            ("issuer", .optional(leaf?.issuer)),
            ("subject", .optional(leaf?.subject)),
            ("not_before", .optional(leaf?.notBefore)),
            ("not_after", .optional(leaf?.notAfter)),
            ("names", .array((leaf?.names ?? []).map { .string($0) })),
            ("trusted", .bool(tls.trusted)),
            (
                "error",
                .optional(
                    tls.problem.map { problem in tls.detail.map { "\(problem.rawValue): \($0)" } ?? problem.rawValue })
            ),
        ])
    }

    private static func json(of timings: Timings?) -> OrderedJSON {
        guard let timings else { return .null }
        return .object([
            ("dns", .optional(timings.dns)), ("connect", .optional(timings.connect)), ("tls", .optional(timings.tls)),
            ("first_byte", .optional(timings.firstByte)), ("total", .number(timings.total)),
        ])
    }

    private static func json(of failure: CrawlerFailure?) -> OrderedJSON {
        guard let failure else { return .null }
        return .object([
            ("code", .optional(failure.code)),
            ("reason", .string(failure.reason)),
            ("details", .object(failure.details.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("try_direct", .optional(failure.tryDirect)),
        ])
    }

    static func json(of finding: Finding) -> OrderedJSON {
        .object([
            ("rule", .string(finding.rule.rawValue)),
            ("severity", .string(finding.severity.rawValue)),
            ("message", .string(finding.message)),
            ("evidence", .object(finding.evidence.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("fix", .string(finding.fix)),
            ("reference", .string(finding.reference)),
        ])
    }
}
