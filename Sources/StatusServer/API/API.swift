// Answers the requests of `MonitorAPI` from the store.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

package struct API: MonitorAPI {
    let store: Store
    let clocks: @Sendable () async throws -> ReportTime
    let index: @Sendable () async throws -> WatchIndex
    let windows: @Sendable () async throws -> [MaintenanceWindow]
    let actions: MonitorActions
    /// Called after each change.
    let onWrite: @Sendable () async -> Void
    /// Silences, acknowledgements and global incidents, read once for a caller with many questions about one moment.
    private let kept: Shared<IncidentContext?>?
    /// The caller's role. A visitor sees no channels and no names of people who act.
    var role = Role.writer

    /// The most deliveries shown for one incident.
    static let mostDeliveries = 200

    init(
        _ store: Store, clock: any MonitorClock, watched: WatchList, windows: Shared<[MaintenanceWindow]>,
        actions: MonitorActions,
        onWrite: @escaping @Sendable () async -> Void
    ) {
        self.store = store
        clocks = { ReportTime(clock) }
        index = {
            try await watched.show(in: store)
            return watched.index
        }
        self.windows = { windows.current }
        self.actions = actions
        self.onWrite = onWrite
        kept = nil
    }

    /// Reads a store at one moment, with or without a running daemon. Check intervals are missing: only the configuration
    /// has them.
    package init(_ store: Store, now: Date) {
        self.store = store
        clocks = { try await ReportTime(store, wall: now) }
        let known = Shared<WatchIndex?>(nil)
        index = {
            if let index = known.current { return index }
            let labels = try await store.watchedLabels()
            // Domains that `run --once` checked are not on the watch list.
            let names = Set(try await store.domainNames()).union(labels.keys)
            let index = WatchIndex(names.map { WatchedDomain(domain: $0, labels: labels[$0] ?? [:]) })
            known.replace(with: index)
            return index
        }
        kept = Shared(nil)
        windows = { try await store.maintenance() }
        actions = MonitorActions()
        onWrite = {}
    }

    func asked(by role: Role) -> API {
        var api = self
        api.role = role
        return api
    }

    func context(_ time: ReportTime) async throws -> IncidentContext {
        if let context = kept?.current { return context }
        let context = try await IncidentContext(store, windows: await windows(), wall: time.wall, for: role)
        kept?.replace(with: context)
        return context
    }

    // MARK: - The monitor

    package func status() async throws -> MonitorStatus {
        let time = try await clocks()
        let context = try await context(time)
        return MonitorStatus(
            try await store.life(now: time.now), incidents: context.reports(time),
            pending: role == .visitor
                ? []
                : try await store.pendingNotifications(of: actions.hasChannel).filter { $0.count > 0 }.map {
                    $0.shown(time)
                },
            channels: role == .visitor ? nil : try await store.channelCount(),
            silenced: context.silences.everythingInWords(at: time.wall) { "\(Span.minute($0)) UTC" },
            time: time)
    }

    // MARK: - Domains

    package func domains(_ filter: SummaryFilter, limit: Int) async throws -> DomainPage {
        let time = try await clocks()
        let index = try await index()
        let names: [String]
        if filter.comparison == nil, filter.label == nil {
            names = index.domains.lazy.map(\.domain.name)
                .filter { $0.hasPrefix(filter.prefix) && $0 > filter.after }.prefix(limit + 1).map(\.self)
        } else {
            names = try await store.names(filter, limit: limit + 1)
        }
        let page = names.prefix(limit).compactMap { name in (try? Domain(name)).flatMap { index[$0] } }
        let states = try await store.states(of: page.map(\.domain))
        let open = states.values.flatMap { $0.open.values.map(\.incident.id) }
        let context = try await context(time).notified(of: open, in: store)
        let isChecked = try await isChecked(time)
        return DomainPage(
            domains: page.map { report($0, states[$0.domain], context, isChecked: isChecked, time) },
            next: names.count > limit ? names[limit - 1] : nil)
    }

    package func domain(_ domain: Domain) async throws -> DomainDetail {
        guard let watched = try await index()[domain] else { throw APIRefusal.notWatched }
        let time = try await clocks()
        let state = try await store.state(of: domain)
        let open = (state?.open ?? [:]).values.map(\.incident.id)
        let context = try await context(time).notified(of: open, in: store)
        return DomainDetail(
            report(watched, state, context, isChecked: try await isChecked(time), time),
            DomainReport.Details(state?.verdict, full: try await store.lastFullCheck(of: domain), time: time))
    }

    private func isChecked(_ time: ReportTime) async throws -> Bool {
        try await store.life(now: time.now) == .checking
    }

    private func report(
        _ watched: WatchedDomain, _ state: DomainState?, _ context: IncidentContext, isChecked: Bool,
        _ time: ReportTime
    ) -> DomainReport {
        let open = (state?.open ?? [:]).values.filter { $0.incident.state != .resolved }
        return DomainReport(
            watched.domain, labels: watched.labels, state: state,
            incidents: open.map { tracked in
                context.report(
                    tracked.incident, labels: watched.labels, graceUntil: tracked.graceUntil,
                    acknowledgement: context.acknowledgements[tracked.incident.id], time: time)
            }, isChecked: isChecked, time: time)
    }

    package func history(of domain: Domain, limit: Int) async throws -> HistoryReport {
        guard try await index()[domain] != nil else { throw APIRefusal.notWatched }
        guard let state = try await store.state(of: domain) else {
            throw APIRefusal(.notFound, "this domain has not been checked yet")
        }
        let time = try await clocks()
        let incidents = try await store.incidents(IncidentQuery(domain: domain, limit: limit))
        let deliveries = role == .visitor ? [] : try await store.deliveries(domain: domain, limit: limit)
        return HistoryReport(
            state, versions: try await versions(state, limit: limit, time: time),
            incidents: try await reports(incidents, time), deliveries: try await reports(deliveries, time), time: time)
    }

    private func versions(
        _ state: DomainState, limit: Int, time: ReportTime
    ) async throws -> [HistoryReport.Version] {
        let took = Dictionary(state.propagations.map { ($0.changedAt, $0.seconds) }) { _, last in last }
        // One more than is shown: the oldest shown version is compared with the one before it.
        let periods = state.originPeriods.suffix(limit + 1)
        var versions: [HistoryReport.Version] = []
        var former: Data?
        for (index, period) in zip(periods.indices, periods) {
            let body = try await store.body(period.content)
            var differences: Differences?
            if let former, let body { differences = Comparison.differences(from: former, to: body) }
            former = body
            guard index >= state.originPeriods.endIndex - limit else { continue }
            versions.append(
                HistoryReport.Version(
                    period, bytes: body?.count, differences: differences, propagationSeconds: took[period.firstSeen],
                    time: time))
        }
        return versions.reversed()
    }

    // MARK: - Incidents

    package func incidents(_ query: IncidentQuery) async throws -> IncidentPage {
        var more = query
        more.limit += 1
        let found = try await store.incidents(more)
        let page = found.prefix(query.limit)
        return IncidentPage(
            incidents: try await reports(Array(page), try await clocks()),
            next: found.count > query.limit ? page.last.map { IncidentPlace($0.incident).text } : nil)
    }

    package func incident(named name: String) async throws -> IncidentDetail {
        let record = try await store.incident(named: name)
        let time = try await clocks()
        let id = record.incident.id
        let accounts = try await store.incidentAccounts([id])
        let facts = accounts[id]?.facts
        let deliveries = try await store.deliveries(incident: id, limit: Self.mostDeliveries)
        let found = try await reports([record], time, try await context(time), accounts: accounts)
        guard let report = found.first else { throw APIRefusal(.notFound, "no such incident") }
        return IncidentDetail(
            report,
            IncidentReport.Details(
                comparison: facts.map {
                    ComparisonReport($0.comparison, at: record.incident.resolvedAt ?? time.now, time: time)
                },
                findings: (facts?.findings ?? []).map { $0.text(at: time.reading(record.incident)) },
                domains: (facts?.affected?.domains ?? []).prefix(AffectedDomains.mostNamed).map(\.name),
                deliveries: try await reports(deliveries, time)))
    }

    func reports(_ records: [IncidentRecord], _ time: ReportTime) async throws -> [IncidentReport] {
        guard !records.isEmpty else { return [] }
        return try await reports(records, time, try await context(time))
    }

    /// Keeps the order of `records`. `accounts`: what each incident says; nil: read here, at kilobytes for each incident.
    func reports(
        _ records: [IncidentRecord], _ time: ReportTime, _ context: IncidentContext,
        accounts known: [String: IncidentAccount]? = nil
    ) async throws -> [IncidentReport] {
        let index = try await index()
        let accounts =
            if let known { known } else { try await store.incidentAccounts(records.map(\.incident.id)) }
        let waiting = Set(records.filter { $0.incident.state == .pending }.compactMap(\.incident.domain?.name))
        let open = try await store.summaries(waiting.sorted()).flatMap { $0.summary?.incidents ?? [] }
        let context = try await context.notified(of: records.map(\.incident.id), in: store)
        let graces = Dictionary(open.map { ($0.incident.id, $0.graceUntil) }) { first, _ in first }
        return records.map { record in
            let incident = record.incident
            return context.report(
                incident, accounts[incident.id], labels: incident.domain.flatMap { index[$0]?.labels } ?? [:],
                graceUntil: graces[incident.id] ?? nil,
                acknowledgement: role == .visitor ? nil : record.acknowledgement, time: time)
        }
    }

    package func acknowledge(_ name: String, by: String, reason: String) async throws -> AcknowledgementReport {
        try await acknowledge(name, by: by, reason: reason, link: nil)
    }

    /// `link`: the link in a message that ordered it; nil: no link.
    func acknowledge(
        _ name: String, by: String, reason: String, link: LinkUse?
    ) async throws -> AcknowledgementReport {
        let acknowledgement = try Acknowledgement(asked: by, reason: reason, at: try await clocks().now)
        return try await changed(try await store.acknowledge(named: name, acknowledgement, by: link), acknowledgement)
    }

    package func unacknowledge(_ name: String) async throws -> AcknowledgementReport {
        try await changed(try await store.unacknowledge(named: name), nil)
    }

    private func changed(
        _ answer: AcknowledgeAnswer, _ acknowledgement: Acknowledgement?
    ) async throws -> AcknowledgementReport {
        guard case .done(let incident) = answer else { throw APIRefusal(.conflict, answer.refusal ?? "") }
        await onWrite()
        return AcknowledgementReport(incident, acknowledgement)
    }

    // MARK: - Silences

    package func silences() async throws -> SilencePage {
        let now = try await clocks().wall
        let windows = try await windows()
        return SilencePage(
            silences: try await store.silences(notOverAt: now).map { SilenceReport($0, now: now) },
            maintenance: windows.map { MaintenanceReport($0, now: now) })
    }

    package func silence(_ order: SilenceOrder) async throws -> NewSilence { try await silence(order, link: nil) }

    func silence(_ order: SilenceOrder, link: LinkUse?) async throws -> NewSilence {
        let now = try await clocks().wall
        let silence = try await store.add(try order.silence(now: now), by: link)
        await onWrite()
        let index = try await index()
        return NewSilence(
            SilenceReport(silence, now: now), SilenceReport.Reach(watchedDomains: index.count(of: silence.scope)))
    }

    package func endSilence(_ id: String) async throws -> SilenceReport {
        let now = try await clocks().wall
        guard let silence = try await store.endSilence(id: id, now: now) else {
            throw APIRefusal(.notFound, "no silence has this id")
        }
        await onWrite()
        return SilenceReport(silence, now: now)
    }

    // MARK: - Deliveries

    package func deliveries(_ query: DeliveryQuery) async throws -> DeliveryPage {
        let records = try await store.deliveries(
            ofChannel: query.channel, incidentNamed: query.incident, domain: query.domain, after: query.after,
            limit: query.limit == .max ? .max : query.limit + 1)
        let time = try await clocks()
        let page = Array(records.prefix(query.limit))
        let pending = try await store.pendingNotifications(of: actions.hasChannel)
        return DeliveryPage(
            deliveries: try await reports(page, time),
            pending: pending.filter { $0.count > 0 && $0.channel == query.channel ?? $0.channel }.map {
                $0.shown(time)
            },
            next: records.count > query.limit ? page.last.map { DeliveryPlace($0).text } : nil)
    }

    func reports(_ records: [DeliveryRecord], _ time: ReportTime) async throws -> [DeliveryReport] {
        try await store.named(records).map { DeliveryReport($0, time: time) }
    }

    package func message(named name: String) async throws -> MessageReport {
        MessageReport(try await store.message(named: name), time: try await clocks())
    }

    package func retry(channel: String) async throws -> RetryReport {
        guard actions.hasChannel(channel),
            let answer = try await store.retry(channel: channel, now: try await clocks().now)
        else {
            throw APIRefusal(.notFound, "no channel has this name")
        }
        await onWrite()
        return RetryReport(answer.record, pending: answer.pending)
    }

    // MARK: - Checks

    /// Checks a watched domain now, and waits at most `wait` for the result.
    func check(_ domain: Domain, wait: Duration) async throws -> MonitorActions.CheckAnswer {
        guard try await index()[domain] != nil else { throw APIRefusal.notWatched }
        return await actions.checkNow(domain, wait)
    }
}
