// When the trouble began, when people were notified, how long it lasts, and until when.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

/// The instants, in wall-clock time.
struct TimeLine: Equatable, Sendable {
    private(set) var points: [Point] = []
    /// Why there is no estimate of the end; nil: there is one, or none is needed.
    private(set) var openEnd: String?

    struct Point: Equatable, Sendable {
        let at: Date
        let title: String
        /// The colour of the stretch that begins here; nil: it is in the future.
        let tone: Tone?
        var isNow = false
    }

    /// nil if nothing is wrong and no change propagates. `incidents`: the open ones; none for a visitor.
    /// `alerted`: when the first message about them was delivered.
    init?(
        _ record: SummaryRecord, _ face: DomainFace, incidents: [IncidentReport], alerted: Date?,
        staleAfter: TimeInterval, _ time: ReportTime
    ) {
        guard let summary = record.summary else { return nil }
        if let changedAt = summary.changedAt {
            addChange(time.shown(changedAt), record.version, summary.propagations, alerted, staleAfter, time)
        } else if record.status.needsAttention {
            addTrouble(record, summary, face.tone, incidents, alerted, time)
        }
        if points.isEmpty { return nil }
        points.sort { ($0.at, $0.isNow ? 1 : 0) < ($1.at, $1.isNow ? 1 : 0) }
    }

    private mutating func add(_ at: Date, _ title: String, _ tone: Tone?, isNow: Bool = false) {
        points.append(Point(at: at, title: title, tone: tone, isNow: isNow))
    }

    /// A change of the origin's file that Apple's CDN does not serve everywhere yet.
    private mutating func addChange(
        _ changedAt: Date, _ version: Int?, _ past: [Int], _ alerted: Date?, _ staleAfter: TimeInterval,
        _ time: ReportTime
    ) {
        let now = time.wall
        let (lag, limit) = (max(0, now.timeIntervalSince(changedAt)), changedAt + staleAfter)
        func tone(_ at: Date) -> Tone? { at >= now ? nil : at < limit ? .prog : .fail }
        add(changedAt, "\(version.map { "v\($0)" } ?? "New file") deployed", tone(changedAt))
        add(limit, "Limit of \(Span.words(staleAfter))", tone(limit))
        if let alerted { add(alerted, "Alert sent", tone(alerted)) }
        add(now, "Now: \(Span.words(lag))", nil, isNow: true)
        let estimate = Estimate(lag: lag, past: past)
        guard let usual = estimate.usual else {
            openEnd =
                past.isEmpty ? "No estimate: no earlier change" : "No estimate: only \(past.count.of("earlier change"))"
            return
        }
        if estimate.isOverdue {
            openEnd =
                estimate.rank == past.count
                ? "No estimate: longer than all \(past.count) changes"
                : "No estimate: longer than \(estimate.rank) of \(past.count) changes"
        } else if lag < TimeInterval(usual.median) {
            add(changedAt + TimeInterval(usual.median), "Expected", nil)
        } else {
            add(changedAt + TimeInterval(usual.percentile90), "9 of 10 changes arrive by", nil)
        }
    }

    private mutating func addTrouble(
        _ record: SummaryRecord, _ summary: DomainSummary, _ tone: Tone, _ incidents: [IncidentReport],
        _ alerted: Date?, _ time: ReportTime
    ) {
        let now = time.wall
        let known = record.since.map(time.shown)
        if let began = ([known].compactMap(\.self) + incidents.map(\.since)).min() {
            add(began, "Wrong since", tone)
            // Left out if the first check saw it within a minute.
            if let seen = incidents.map(\.openedAt).min(), seen.timeIntervalSince(began) >= 60 {
                add(seen, "First seen", tone)
            }
            if let alerted { add(alerted, "Alert sent", tone) }
            add(now, "Now: \(Span.words(now.timeIntervalSince(began)))", nil, isNow: true)
        }
        if alerted == nil, let due = incidents.compactMap(\.alertsAfter).min(), due > now { add(due, "Alert due", nil) }
        if case .asksAgain(let date)? = summary.diagnosis.outlook, date > now { add(date, "Apple asks again", nil) }
        if let end = summary.certificateEnd, end > now { add(end, "Certificate expires", nil) }
    }

    /// The width of a stretch, in 24ths.
    private func width(_ place: Int) -> Int {
        guard place + 1 < points.count, let first = points.first, let last = points.last else { return 4 }
        let long = points[place + 1].at.timeIntervalSince(points[place].at)
        return min(24, max(1, Int((long / max(1, last.at.timeIntervalSince(first.at)) * 24).rounded())))
    }

    func html(_ time: ReportTime) -> HTML {
        let items = points.enumerated().map { place, point -> HTML in
            let tone: HTML? = point.tone.map { #" data-tone="\#($0.rawValue)""# }
            let isLast = place + 1 == points.count
            return """
                <li class="part-\(width(place))\(" end", if: isLast && openEnd == nil)"\(tone)>\
                <b>\(point.title)</b> \(HTML.time(point.at, time))</li>
                """
        }
        return """
            <ol class="time-line" aria-label="Time line">\(items)\
            \(openEnd.map { #"<li class="part-4 end"><span class="soft">\#($0)</span></li>"# })</ol>
            """
    }
}
