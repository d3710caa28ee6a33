// A chart of which version each place served, and when. Positions are percentages of the width: one drawing fits every
// width, and text keeps its size. The rules are in docs/reference/pages.md.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct PropagationChart: Equatable, Sendable {
    /// Similar lanes are grouped.
    let lanes: [[Lane]]
    let legend: [Legend]
    let marks: [Mark]
    let ticks: [Tick]
    let pauses: [Mark]
    /// The usual time, from the median to the 90th percentile.
    let band: Block?
    let bandText: String?
    let limit: Mark?
    let now: String
    let windows: [HTML]
    let rows: [Row]
    /// `v6`: the origin's file now; nil if it has none.
    let present: String?
    let text: String

    struct Lane: Equatable, Sendable {
        let name: String
        let detail: String
        let isOrigin: Bool
        let segments: [Segment]
        let mutes: [Mute]
        let lags: [Lag]
        let status: String
        let mark: String?
        let tone: String
    }

    struct Segment: Equatable, Sendable {
        let name: String
        let x: String
        let width: String
        /// `now`, `a`, `b`, `c`, `stray`, `none`, `several`.
        let kind: String
        /// The pattern that fills it; nil: a colour does.
        let pattern: String?
        let label: String?
        let title: String
        /// Too short for its label on a phone.
        let isShort: Bool
    }

    /// No answer: a dashed line.
    struct Mute: Equatable, Sendable {
        let from: String
        let to: String
    }

    struct Block: Equatable, Sendable {
        let x: String
        let width: String
    }

    struct Lag: Equatable, Sendable {
        let x: String
        let width: String
        let isLate: Bool
    }

    struct Mark: Equatable, Sendable {
        let x: String
        let anchor: String
        let title: String
        let text: String
    }

    struct Tick: Equatable, Sendable {
        let x: String
        let text: String
    }

    struct Legend: Equatable, Sendable {
        let kind: String
        let pattern: String?
        let name: String
        let text: String
    }

    /// A row of the table with the chart's facts.
    struct Row: Equatable, Sendable {
        let place: String
        let serves: String
        let since: String
    }

    /// nil if nothing is recorded yet.
    init?(_ scope: ChartScope, query: DomainQuery, path: String) {
        let builder = LaneBuilder(scope)
        lanes = Lane.grouped(builder.lanes)
        guard !lanes.isEmpty else { return nil }
        legend = builder.legend
        marks = scope.changeMarks
        ticks = scope.ticks
        pauses = scope.pauseMarks
        band = scope.band
        bandText = scope.bandText
        limit = scope.limitMark
        now = String.percent(scope.x(scope.now))
        windows = scope.windows(query, path)
        rows = builder.rows
        present = builder.presentName
        text =
            "Which version of the file each of \(scope.edgeOrder.count.of("edge")) and the origin served, "
            + "from \(scope.time.brief(scope.start)) to now. The table below has the same facts."
    }
}

extension PropagationChart.Lane {
    /// Smaller groups are shown lane by lane.
    private static let leastAlike = 3
    /// In percent of the width. Two changes that are closer count as simultaneous.
    private static let tolerance = 3.0

    static func grouped(_ lanes: [Self]) -> [[Self]] {
        var groups: [[Self]] = []
        for lane in lanes {
            if let place = groups.firstIndex(where: { $0[0].isLike(lane) }) {
                groups[place].append(lane)
            } else {
                groups.append([lane])
            }
        }
        return groups.flatMap { $0.count < leastAlike ? $0.map { [$0] } : [$0] }
    }

    /// Whether both serve the same now, and served the same at about the same times.
    private func isLike(_ other: Self) -> Bool {
        guard !isOrigin, !other.isOrigin, (mark, tone) == (other.mark, other.tone),
            segments.map(\.name) == other.segments.map(\.name), mutes.count == other.mutes.count
        else { return false }
        return zip(positions, other.positions).allSatisfy { abs($0 - $1) <= Self.tolerance }
    }

    private var positions: [Double] {
        (segments.map(\.x) + mutes.flatMap { [$0.from, $0.to] }).compactMap { Double($0.dropLast()) }
    }
}

/// The time that a chart shows, and what happened in it.
struct ChartScope: Sendable {
    let record: PropagationRecord
    let start: Date
    let end: Date
    let now: Date
    let time: ReportTime
    let staleAfter: TimeInterval
    /// The time of the present change, while an edge lags.
    let changedAt: Date?
    let usual: UsualPropagation?
    /// The edges of the last full check, by address, and a short name of each.
    let edgeOrder: [(address: String, name: String)]
    let chosen: TimeInterval?

    init(
        record: PropagationRecord, edges: [(address: String, name: String)], changedAt: Date?,
        usual: UsualPropagation?, staleAfter: TimeInterval, window: TimeInterval?, time: ReportTime
    ) {
        self.record = record
        self.time = time
        self.staleAfter = staleAfter
        self.changedAt = changedAt
        self.usual = usual
        edgeOrder = edges
        now = time.now
        chosen = window
        start = time.now - (window ?? Self.defaultWindow(record, now: time.now))
        // While a change propagates, the chart includes the time until it usually arrives.
        var end = time.now
        if let changedAt, let usual, window == nil {
            let percentile90 = changedAt + TimeInterval(usual.percentile90)
            end = max(end, min(percentile90, time.now + 2 * time.now.timeIntervalSince(start)))
        }
        self.end = end
    }

    /// Begins at the change before the last one, at least a day ago, but not before the first check.
    static func defaultWindow(_ record: PropagationRecord, now: Date) -> TimeInterval {
        let changes = record.changes
        let first = record.places.values.compactMap(\.first?.at).min()
        let known = first.map { max(600, now.timeIntervalSince($0) * 1.02) } ?? .infinity
        let from = changes.count >= 2 ? changes[changes.count - 2] : changes.first
        let span = from.map { now.timeIntervalSince($0) * 1.15 } ?? 0
        return min(max(span, 86400), 90 * 86400, known)
    }

    func x(_ date: Date) -> Double {
        let span = max(1, end.timeIntervalSince(start))
        return min(100, max(0, date.timeIntervalSince(start) / span * 100))
    }

    private func anchor(_ x: Double) -> String { x < 8 ? "start" : x > 92 ? "end" : "middle" }

    var changeMarks: [PropagationChart.Mark] {
        var last = -100.0
        let origin = record.places[.origin] ?? []
        var served: Int64?
        return origin.compactMap { interval -> PropagationChart.Mark? in
            guard case .version(let id) = interval.served else {
                // When watching resumes, the file may be old: it is not marked as a change.
                if interval.served == .notWatched { served = nil }
                return nil
            }
            // The same version after a failure is not a deployment.
            defer { served = id }
            guard let before = served, before != id, interval.at > start, let number = record.versions[id]?.number
            else { return nil }
            let place = x(interval.at)
            let hasRoom = place - last > 14
            if hasRoom { last = place }
            return PropagationChart.Mark(
                x: String.percent(place), anchor: place > 86 ? "end" : "start",
                title: hasRoom ? "v\(number)" : "", text: hasRoom ? time.brief(interval.at) : "")
        }
    }

    var ticks: [PropagationChart.Tick] {
        let span = end.timeIntervalSince(start)
        let steps: [TimeInterval] = [
            300, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172_800, 432_000, 864_000, 1_728_000,
        ]
        let step = steps.first { span / $0 <= 8 } ?? 2_592_000
        let first = (time.shown(start).timeIntervalSince1970 / step).rounded(.up) * step
        var date = time.stored(Date(timeIntervalSince1970: first))
        var all: [PropagationChart.Tick] = []
        while date < end {
            let place = x(date)
            // The word `now` and the edges of the chart need room.
            if place > 5, place < 97, abs(place - x(now)) > 15 {
                let text =
                    step < 86400 ? String(time.shown(date).rfc3339.dropFirst(11).prefix(5)) : time.day(date)
                all.append(PropagationChart.Tick(x: String.percent(place), text: text))
            }
            date += step
        }
        return all
    }

    /// The pauses that are wide enough to be seen.
    var visiblePauses: [ClosedRange<Date>] {
        record.pauses.filter {
            $0.upperBound > start && $0.lowerBound < now && x($0.upperBound) - x($0.lowerBound) > 0.25
        }
    }

    var pauseMarks: [PropagationChart.Mark] {
        visiblePauses.map { pause in
            let middle = (x(pause.lowerBound) + x(pause.upperBound)) / 2
            let long = Span.words(pause.upperBound.timeIntervalSince(pause.lowerBound))
            return PropagationChart.Mark(
                x: String.percent(middle), anchor: anchor(middle), title: "monitor off, \(long)", text: "")
        }
    }

    var band: PropagationChart.Block? {
        guard let changedAt, let usual else { return nil }
        let (from, to) = (x(changedAt + TimeInterval(usual.median)), x(changedAt + TimeInterval(usual.percentile90)))
        return to - from < 0.2 ? nil : .init(x: String.percent(from), width: String.percent(to - from))
    }

    var bandText: String? {
        guard changedAt != nil else { return nil }
        guard let usual else { return "usual time: not known yet; limit \(Span.words(staleAfter))" }
        return "usual: \(Span.words(TimeInterval(usual.median))) to \(Span.words(TimeInterval(usual.percentile90)))"
    }

    var limitMark: PropagationChart.Mark? {
        guard let changedAt else { return nil }
        let limit = changedAt + staleAfter
        guard limit > start, limit < end else { return nil }
        // No title where the label of a change is; the legend explains what is behind for too long.
        let hasRoom = (record.places[.origin] ?? []).allSatisfy { !(0..<16).contains(x(limit) - x($0.at)) }
        return .init(
            x: String.percent(x(limit)), anchor: anchor(x(limit)),
            title: hasRoom ? "\(Span.words(staleAfter)) limit" : "", text: "")
    }

    func windows(_ query: DomainQuery, _ path: String) -> [HTML] {
        let usual = Self.defaultWindow(record, now: now)
        var all: [(TimeInterval?, String)] = [
            (nil, Span.words(usual < 7200 ? (usual / 60).rounded() * 60 : (usual / 3600).rounded() * 3600)),
            (86400, "24 h"),
        ]
        all += [(7 * 86400, "7 days"), (30 * 86400, "30 days"), (90 * 86400, "90 days")]
        return all.filter { $0.0 == nil || abs(($0.0 ?? 0) - usual) > 1800 }
            .sorted { ($0.0 ?? usual) < ($1.0 ?? usual) }
            .map { seconds, text in
                HTML.choice(
                    text, query.with { $0.window = seconds }.address(path) + "#propagation",
                    isChosen: chosen == seconds)
            }
    }
}
