// Watched domains for programs: the list, one of them, its history, and a check now.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage

struct DomainRoutes: Sendable {
    let store: Store
    let timekeeper: any MonitorClock
    let logger: Logger
    let watched: WatchList
    let windows: WindowList
    let gate: WriteGate
    let actions: MonitorActions

    // MARK: - The list

    private struct Page: Encodable {
        let schema = "aasa-monitor/domains/v1"
        let domains: [DomainSummaryDocument]
        /// `cursor` of the next page.
        let next: Nullable<String>
    }

    /// By name. The cursor is the last name of the page before.
    func list(_ request: Request, _ role: Role) async throws -> Response {
        let query = try APIQuery(request, keys: ["limit", "cursor", "prefix", "label", "state"])
        let limit = try query.limit()
        let filter = SummaryFilter(
            label: try query.label("label").map { "\($0.name)=\($0.value)" },
            comparison: try query.choice("state", Comparison.State.self),
            prefix: Domain.kept(query.text("prefix") ?? ""), after: query.text("cursor") ?? "")
        let time = PageTime(timekeeper)
        try await watched.show(in: store)
        let names = try await store.names(filter, limit: limit + 1)
        let page = names.prefix(limit).compactMap { name in (try? Domain(name)).flatMap { watched.index[$0] } }
        let states = try await store.states(of: page.map(\.domain))
        let context = try await IncidentContext(store, windows: windows.current, wall: time.wall, for: role)
        let domains = page.map {
            DomainSummaryDocument(watched: $0, state: states[$0.domain], context: context, time: time)
        }
        let next = names.count > limit ? names[limit - 1] : nil
        return Response(json: try APIDocument.encoder.encode(Page(domains: domains, next: Nullable(next))))
    }

    // MARK: - One domain

    func one(_ name: String, _ role: Role) async throws -> Response {
        guard let info = info(name) else { return Self.notWatched }
        return Response(json: try await document(info, role))
    }

    func history(_ request: Request, _ name: String, _ role: Role) async throws -> Response {
        let query = try APIQuery(request, keys: ["limit"])
        let limit = try query.limit(default: 20, atMost: DomainHistory.largestLimit)
        guard let info = info(name) else { return Self.notWatched }
        guard
            let history = try await DomainHistory(
                store, domain: info.domain, limit: limit, time: PageTime(timekeeper))
        else { return Response(plain: "the domain was not checked yet", status: .notFound) }
        return Response(json: try (role == .visitor ? history.ofPublic : history).document())
    }

    /// One who asks for a check waits so long at most.
    private static let timeout: Duration = .seconds(15)

    /// 200 with the domain as the check left it; 202 where it takes longer.
    func check(_ request: Request, _ name: String) async throws -> Response {
        if let refusal = gate.refusal(request) { return refusal }
        guard let info = info(name) else { return Self.notWatched }
        switch await actions.checkNow(info.domain, Self.timeout) {
        case .done:
            logger.info("domain checked by the API", metadata: ["domain": "\(info.domain)"])
            return Response(json: try await document(info, .writer))
        case .underWay:
            var answer = Response(json: Data(#"{"status":"under_way"}"#.utf8))
            answer.status = .accepted
            answer.headers[.location] = "/api/v1/domains/\(info.domain.name)"
            return answer
        case .tooOften(let seconds):
            return Response(
                plain: "checks were asked for too often; again in \(seconds) s", status: .tooManyRequests,
                headers: [.retryAfter: "\(seconds)"])
        case .notWatched: return Self.notWatched
        }
    }

    private func document(_ info: WatchedDomain, _ role: Role) async throws -> Data {
        let time = PageTime(timekeeper)
        let context = try await IncidentContext(store, windows: windows.current, wall: time.wall, for: role)
        return try DomainDocument(
            watched: info, state: try await store.state(of: info.domain),
            full: try await store.lastFullCheck(of: info.domain), context: context, time: time
        ).encoded()
    }

    private func info(_ name: String) -> WatchedDomain? {
        (try? Domain(name)).flatMap { watched.index[$0] }
    }

    private static var notWatched: Response {
        Response(plain: "this domain is not watched here", status: .notFound)
    }
}

/// What is known of one domain in short: an entry of `/api/v1/domains`, and the first part of `/api/v1/domains/{domain}`.
struct DomainSummaryDocument: Encodable {
    let domain: String
    let labels: [String: String]
    let verdict: Nullable<Verdict.Level>
    let diagnosis: Nullable<String>
    let diagnosisId: Nullable<DiagnosisID>
    let effect: Nullable<String>
    let cause: Nullable<String>
    let action: Nullable<String>
    let outlook: Nullable<String>
    let checkedAt: Nullable<Date>
    let comparison: Nullable<ComparisonDocument>
    let incidents: [OpenTrouble]

    struct OpenTrouble: Encodable {
        let id: String
        let kind: String
        let severity: Severity
        let state: String
        let since: Date
        /// When a pending one alerts at the earliest, where that is known.
        let alertsAfter: Nullable<Date>
        /// Until when a silence or window suppresses notifications.
        let silencedUntil: Nullable<Date>
        /// The kind of the incident that inhibits it.
        let inhibitedBy: Nullable<String>
        /// Who acknowledged it.
        let acknowledgedBy: Nullable<String>
    }

    init(watched: WatchedDomain, state: DomainState?, context: IncidentContext, time: PageTime) {
        domain = watched.domain.name
        labels = watched.labels
        verdict = Nullable(state?.verdict?.level)
        let text = state?.verdict?.text(at: time.wall)
        diagnosis = Nullable(text?.oneLine)
        diagnosisId = Nullable(state?.verdict?.diagnosis.id)
        effect = Nullable(text?.effect)
        cause = Nullable(text?.cause)
        action = Nullable(text?.action)
        outlook = Nullable(text?.outlook)
        checkedAt = Nullable(state?.lastCheckedAt.map(time.shown))
        comparison = Nullable(state?.verdict.map { ComparisonDocument($0.comparison, at: time.now, time: time) })
        let open = (state?.open ?? [:]).values.sorted { $0.incident.kind < $1.incident.kind }
        incidents = open.map { tracked in
            let incident = tracked.incident
            return OpenTrouble(
                id: incident.id, kind: incident.kind.rawValue, severity: incident.severity,
                state: incident.state.rawValue, since: time.shown(incident.since),
                alertsAfter: Nullable(incident.state == .pending ? tracked.graceUntil.map(time.shown) : nil),
                silencedUntil: Nullable(context.silencedUntil(incident, labels: watched.labels, at: time.wall)),
                inhibitedBy: Nullable(context.inhibitor(of: tracked)),
                acknowledgedBy: Nullable(context.acknowledgements[incident.id]?.by))
        }
    }
}

/// As `comparison` of `check --format json`.
struct ComparisonDocument: Encodable {
    let state: Comparison.State
    let bytesEqual: Nullable<Bool>
    let changedAt: Nullable<Date>
    let lagSeconds: Nullable<Int>
    /// The first of so many.
    let changes: [AssociationChange]
    let changesTotal: Int
    let behaviour: [BehaviourChange]
    let edges: Nullable<EdgeTally>

    /// `now`: as of when it is told, by the steady clock.
    init(_ comparison: Comparison, at now: Date, time: PageTime) {
        state = comparison.state
        bytesEqual = Nullable(comparison.bytesEqual)
        changedAt = Nullable(comparison.changedAt.map(time.shown))
        lagSeconds = Nullable(comparison.aged(to: now).lagSeconds)
        changes = comparison.changes
        changesTotal = comparison.changesTotal
        behaviour = comparison.behaviour
        edges = Nullable(comparison.edges)
    }
}

/// One domain for programs: `/api/v1/domains/{domain}`. docs/api.md has the form. Every key is always there.
struct DomainDocument: Encodable {
    private let summary: DomainSummaryDocument
    private let more: More

    /// What the summary leaves out.
    private struct More: Encodable {
        let schema = "aasa-monitor/domain/v1"
        /// When everything was last asked for: the instant of `origin` and `cdn`.
        let fullAt: Nullable<Date>
        let origin: Nullable<OrderedJSON>
        let cdn: Nullable<OrderedJSON>
        /// Those that count.
        let findings: [FindingText]
        let ignored: [IgnoredFindingText]
    }

    init(
        watched: WatchedDomain, state: DomainState?, full: Observation?, context: IncidentContext, time: PageTime
    ) {
        summary = DomainSummaryDocument(watched: watched, state: state, context: context, time: time)
        let readings = full.map { Readings($0) }
        more = More(
            fullAt: Nullable(full.map { time.shown($0.checkedAt) }), origin: Nullable(readings?.originReport),
            cdn: Nullable(readings?.cdnReport(url: nil)),
            findings: (state?.verdict?.findings ?? []).map { $0.text(at: time.wall) },
            ignored: (state?.verdict?.ignored ?? []).map { $0.text(at: time.wall) })
    }

    func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        try more.encode(to: encoder)
    }

    /// - Throws: what cannot be encoded, which is our own fault.
    func encoded() throws -> Data { try APIDocument.encoder.encode(self) }
}
