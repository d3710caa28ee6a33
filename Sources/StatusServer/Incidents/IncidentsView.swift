// The list of incidents: open ones that nobody acknowledged first, then the others, then what ended.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct IncidentsView: Equatable, Sendable {
    let frame: Frame
    let headline: String
    let note: String
    let search: String
    let kinds: [FrontPage.Choice]
    let days: String
    let windows: [PageLink]
    let clear: String?
    let ticks: [PropagationChart.Tick]
    let sections: [Section]
    let isEmpty: Bool
    /// Whether there are incidents to acknowledge, and who looks may.
    let canAcknowledge: Bool
    /// This view, where a form leads back to.
    let address: String
    let older: String?

    struct Section: Equatable, Sendable {
        let title: String
        let count: String
        let note: String?
        let rows: [Row]
    }

    struct Row: Equatable, Sendable {
        let id: String
        /// The incident's own.
        let number: String
        let isChosen: Bool
        let address: String
        let domain: String
        let domainAddress: String?
        let kind: String
        let mark: String
        let tone: String
        let summary: String?
        let bar: [Bar]
        let barText: String
        let long: String
        let since: String
        let state: String
        let isUnacknowledged: Bool
        let notes: [String]
    }

    /// A stretch of the incident: `outline` before it fired, `solid` after, `resolved`; `notch` where it was acknowledged.
    struct Bar: Equatable, Sendable {
        let x: String
        let width: String
        let kind: String
    }

    struct Reading: Sendable {
        var query: IncidentsQuery
        var open: [IncidentReport]
        var pending: [IncidentReport]
        var resolved: [IncidentReport]
        /// Without the filter.
        var all: IncidentCounts
        /// With it.
        var counts: IncidentCounts
        var hasMore = false
        /// Those that a refused form had chosen.
        var chosen: Set<String> = []
    }

    init(_ reading: Reading, basis: Frame.Basis, time: ReportTime) {
        let query = reading.query
        let (count, unacknowledged) = (reading.all.open, reading.all.unacknowledged)
        headline =
            count == 0
            ? "No incident is open"
            : "\(count.of("incident")) \(count == 1 ? "is" : "are") open"
                + (unacknowledged == 0
                    ? ", all acknowledged"
                    : unacknowledged == count && count == 1
                        ? ", not acknowledged" : ", \(unacknowledged.grouped) not acknowledged")
        let pending = reading.all.pending
        note =
            (pending == 0 ? "" : "\(pending.grouped) more \(pending == 1 ? "is" : "are") pending. ")
            + "\(reading.all.resolved.grouped) ended in the last \(query.days == 1 ? "24 h" : "\(query.days) days")."
        frame = Frame(
            title: headline, tone: count == 0 ? .ok : unacknowledged > 0 ? .fail : .warn, section: .incidents,
            json: "/api/v1/incidents", basis: basis, time: time)
        search = query.search
        kinds = IncidentKind.allCases.map {
            FrontPage.Choice(value: $0.rawValue, text: $0.rawValue, isChosen: $0 == query.kind)
        }
        days = "\(query.days)"
        clear =
            query.search.isEmpty && query.kind == nil ? nil : query.with { ($0.search, $0.kind) = ("", nil) }.address
        windows = IncidentsQuery.windows.map { days in
            .init(
                text: days == 1 ? "24 h" : "\(days) days", address: query.with { $0.days = days }.address,
                isChosen: days == query.days)
        }
        let start = time.wall - Double(query.days) * 86400
        let scope = BarScope(start: start, time: time)
        ticks = scope.ticks
        func rows(_ incidents: [IncidentReport]) -> [Row] {
            incidents.map { Row($0, reading, scope) }
        }
        func first(_ shown: Int, _ count: Int) -> String? {
            shown < count ? "the first \(shown.grouped) are shown; search finds the others" : nil
        }
        let all = [
            Section(
                title: "Open", count: reading.counts.open.grouped, note: first(reading.open.count, reading.counts.open),
                rows: rows(reading.open)),
            Section(
                title: "Pending", count: reading.counts.pending.grouped,
                note: first(reading.pending.count, reading.counts.pending)
                    ?? "notifications are sent when the trouble is confirmed", rows: rows(reading.pending)),
            Section(
                title: "Resolved", count: reading.counts.resolved.grouped,
                note: query.days == 1 ? "in 24 h" : "in \(query.days) days", rows: rows(reading.resolved)),
        ]
        sections = all.filter { !$0.rows.isEmpty }
        isEmpty = sections.isEmpty
        canAcknowledge =
            basis.role == .writer && sections.contains { $0.rows.count(where: \.isUnacknowledged) > 1 }
        address = query.address
        older = reading.hasMore ? query.with { $0.page = query.page + 1 }.address : nil
    }
}

/// The time that the bars show.
struct BarScope: Sendable {
    let start: Date
    let time: ReportTime

    func x(_ date: Date) -> Double {
        min(100, max(0, date.timeIntervalSince(start) / max(1, time.wall.timeIntervalSince(start)) * 100))
    }

    var ticks: [PropagationChart.Tick] {
        ChartScope(
            record: .empty, edges: [], changedAt: nil, usual: nil, staleAfter: 0,
            window: time.wall.timeIntervalSince(start), time: time
        ).ticks
    }

    func bars(_ incident: IncidentReport) -> [IncidentsView.Bar] {
        let end = incident.resolvedAt ?? time.wall
        let fired = incident.firedAt ?? end
        var parts: [(Date, Date, String)] = []
        if fired > incident.since { parts.append((incident.since, fired, "outline")) }
        let kind = incident.state == .resolved ? "resolved" : "solid"
        if let acknowledgedAt = incident.acknowledged?.at, acknowledgedAt > fired, acknowledgedAt < end {
            parts += [(fired, acknowledgedAt, kind), (acknowledgedAt, end, kind + " notch")]
        } else if incident.firedAt != nil {
            parts.append((fired, end, kind))
        }
        return parts.compactMap { from, to, kind in
            guard to > start else { return nil }
            let left = x(from)
            // What is shorter than a pixel is seen, too.
            return .init(x: String.percent(min(left, 99.4)), width: String.percent(max(0.6, x(to) - left)), kind: kind)
        }
    }
}

extension IncidentsView.Row {
    init(_ incident: IncidentReport, _ reading: IncidentsView.Reading, _ scope: BarScope) {
        let time = scope.time
        id = "i-\(incident.id)"
        number = incident.id
        isChosen = reading.chosen.contains(incident.id)
        address = "/incidents/\(incident.id)"
        domain = incident.subject
        domainAddress = incident.domain.map { "/domains/\($0)" }
        kind = incident.kind.rawValue
        (mark, tone) = incident.face
        summary = (incident.cause ?? incident.effect)?.firstSentence.shortened(to: 140)
        bar = scope.bars(incident)
        long = Span.words(incident.lasted(at: time.wall))
        barText = "\(incident.state.rawValue), \(long) from \(time.clock(incident.since))"
        since = incident.state == .resolved ? time.clock(incident.since) : "since \(time.clock(incident.since))"
        isUnacknowledged = incident.isUnacknowledged
        switch incident.state {
        case .pending: state = "Pending"
        case .resolved: state = incident.reason.map { $0.rawValue.replacing("_", with: " ") } ?? "resolved"
        case .firing, .recovering:
            if let acknowledged = incident.acknowledged {
                state = "Acknowledged by \(acknowledged.by.onOneLine(upTo: 60)), \(time.clock(acknowledged.at))"
            } else {
                state = incident.state == .recovering ? "Recovering" : "Firing"
            }
        }
        var notes = incident.marks(at: time.wall)
        if incident.state != .pending { notes.append(incident.notifiedInWords(upTo: 4) ?? "no message sent") }
        self.notes = notes + ["incident \(incident.shortID)"]
    }
}
