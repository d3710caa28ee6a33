// The lanes of the propagation chart: what each place served, and how long each edge lagged behind the origin.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct LaneBuilder {
    private let scope: ChartScope
    private let present: Int64?

    init(_ scope: ChartScope) {
        self.scope = scope
        if case .version(let id)? = scope.record.places[.origin]?.last?.served { present = id } else { present = nil }
    }

    /// The origin first; then edges, by when they picked up the origin's present version, then by name.
    var lanes: [PropagationChart.Lane] {
        guard let origin = scope.record.places[.origin] else { return [] }
        let edges = scope.edgeOrder.compactMap { edge -> (lane: PropagationChart.Lane, pickedUp: Date)? in
            guard let intervals = scope.record.places[.edge(edge.address)], !intervals.isEmpty else { return nil }
            return (
                lane(edge.name, edge.address, intervals, isOrigin: false), pickUp(intervals) ?? .distantFuture
            )
        }
        return [lane("Origin", "", origin, isOrigin: true)]
            + edges.sorted {
                ($0.pickedUp, $0.lane.name, $0.lane.detail) < ($1.pickedUp, $1.lane.name, $1.lane.detail)
            }.map(\.lane)
    }

    var rows: [PropagationChart.Row] {
        let edges = scope.edgeOrder.map {
            (place: PlaceReading.Place.edge($0.address), name: "\($0.name) \($0.address)")
        }
        return ([(place: .origin, name: "Origin")] + edges).flatMap { place, name in
            (scope.record.places[place] ?? []).suffix(12).map {
                PropagationChart.Row(
                    place: name.trimmingCharacters(in: .whitespaces), serves: self.name($0.served),
                    since: scope.time.brief($0.at))
            }
        }
    }

    private func lane(
        _ name: String, _ address: String, _ intervals: [PropagationRecord.VersionInterval], isOrigin: Bool
    ) -> PropagationChart.Lane {
        var pieces:
            [(
                from: Date, to: Date, interval: PropagationRecord.VersionInterval,
                before: PropagationRecord.VersionInterval?
            )] =
                []
        for (index, interval) in intervals.enumerated() {
            let end = index + 1 < intervals.count ? intervals[index + 1].at : scope.now
            let before = index > 0 ? intervals[index - 1] : nil
            pieces += parts(max(interval.at, scope.start), end).map { ($0.0, $0.1, interval, before) }
        }
        let blocks = pieces.map { piece in
            (from: scope.x(piece.from), to: scope.x(piece.to), piece: piece)
        }
        var segments: [PropagationChart.Segment] = []
        var mutes: [PropagationChart.Mute] = []
        var small: [(from: Double, to: Double)] = []
        func flush(last: PropagationChart.Segment?) {
            if small.count > 1, let first = small.first, let end = small.last {
                segments.append(
                    .init(
                        name: "\(small.count) versions", x: String.percent(first.from),
                        width: String.percent(end.to - first.from), kind: "several",
                        pattern: "url(#p-several)", label: nil, title: "\(small.count) versions", isShort: false))
            } else if let last {
                segments.append(last)
            }
            small = []
        }
        var waiting: PropagationChart.Segment?
        for block in blocks {
            let width = block.to - block.from
            if case .noAnswer = block.piece.interval.served {
                flush(last: waiting)
                waiting = nil
                mutes.append(.init(from: String.percent(block.from), to: String.percent(block.to)))
                continue
            }
            if case .notWatched = block.piece.interval.served {
                flush(last: waiting)
                waiting = nil
                continue
            }
            let segment = segment(block.piece.interval, block.piece.before, from: block.from, width: width)
            if width < Self.least {
                small.append((block.from, block.to))
                waiting = segment
                continue
            }
            flush(last: waiting)
            waiting = nil
            segments.append(segment)
        }
        flush(last: waiting)
        let (status, mark, tone) = isOrigin ? originStatus(intervals) : edgeStatus(intervals)
        return PropagationChart.Lane(
            name: name, detail: address, isOrigin: isOrigin, segments: segments, mutes: mutes,
            lags: isOrigin ? [] : lags(intervals), status: status, mark: mark, tone: tone)
    }

    /// Narrower neighbours merge into one segment.
    private static let least = 0.45

    /// An interval minus the times when no monitor ran.
    private func parts(_ from: Date, _ to: Date) -> [(Date, Date)] {
        var rest = [(from, to)]
        for pause in scope.visiblePauses {
            rest = rest.flatMap { part -> [(Date, Date)] in
                guard pause.lowerBound < part.1, pause.upperBound > part.0 else { return [part] }
                return [(part.0, min(part.1, pause.lowerBound)), (max(part.0, pause.upperBound), part.1)]
            }
        }
        return rest.filter { $0.1 > $0.0 && $0.1 > scope.start }
    }

    private func segment(
        _ interval: PropagationRecord.VersionInterval, _ before: PropagationRecord.VersionInterval?, from: Double,
        width: Double
    ) -> PropagationChart.Segment {
        let name = name(interval.served)
        var title = "\(name), first seen \(scope.time.brief(interval.at))"
        if let before, let after = interval.after {
            title += "; \(self.name(before.served)) last seen \(scope.time.brief(after))"
        }
        let kind = kind(interval.served)
        let label: String? = width >= 3.6 ? name : width >= 2 ? String(name.drop { $0 == "v" }) : nil
        return .init(
            name: name, x: String.percent(from), width: String.percent(width), kind: kind,
            pattern: kind == "none" || kind == "stray" ? "url(#p-\(kind))" : nil,
            label: interval.served == .noFile ? (width >= 3 ? "404" : nil) : label, title: title,
            isShort: width < 9)
    }

    func kind(_ served: PropagationRecord.Served) -> String {
        switch served {
        case .noFile: "none"
        case .noAnswer: "mute"
        case .notWatched: "off"
        case .version(let id) where id == present: "now"
        case .version(let id):
            scope.record.versions[id]?.number.map { ["a", "b", "c"][$0 % 3] } ?? "stray"
        }
    }

    /// `v15`, or `x1` for one that only edges served.
    func name(_ served: PropagationRecord.Served) -> String {
        switch served {
        case .noFile: return "no copy"
        case .noAnswer: return "no answer"
        case .notWatched: return "not watched"
        case .version(let id):
            if let number = scope.record.versions[id]?.number { return "v\(number)" }
            let strays = scope.record.versions.filter { $0.value.number == nil }.keys.sorted()
            return "x\((strays.firstIndex(of: id) ?? 0) + 1)"
        }
    }

    /// The name of the origin's current version.
    var presentName: String? { present.map { name(.version($0)) } }

    /// When it picked up the origin's present version; nil: not yet.
    private func pickUp(_ intervals: [PropagationRecord.VersionInterval]) -> Date? {
        guard let present, case .version(present)? = intervals.last?.served else { return nil }
        return intervals.last?.at
    }

    private func originStatus(_ intervals: [PropagationRecord.VersionInterval]) -> (String, String?, String) {
        guard let last = intervals.last else { return ("", nil, "soft") }
        let long = Span.words(scope.time.since(last.at))
        // `name` calls it "no copy", but the origin has no copies.
        return (
            "\(last.served == .noFile ? "no file" : name(last.served)) for \(long)", nil,
            last.served == .noFile || last.served == .noAnswer ? "fail" : "ink"
        )
    }

    private func edgeStatus(_ intervals: [PropagationRecord.VersionInterval]) -> (String, String?, String) {
        guard let last = intervals.last else { return ("", nil, "soft") }
        let served = name(last.served)
        let changedAt = scope.record.changes.last
        if let pickedUp = pickUp(intervals) {
            let after = changedAt.map { pickedUp.timeIntervalSince($0) } ?? 0
            return (after > 30 ? "\(served) after \(Span.words(after))" : served, DomainStatus.inSync.mark, "ok")
        }
        switch last.served {
        case .noFile: return ("no copy for \(Span.words(scope.time.since(last.at)))", DomainStatus.missing.mark, "fail")
        case .noAnswer:
            return ("no answer for \(Span.words(scope.time.since(last.at)))", DomainStatus.unknown.mark, "soft")
        case .notWatched: return ("not asked yet", DomainStatus.unknown.mark, "soft")
        case .version:
            guard let changedAt = scope.changedAt ?? changedAt, present != nil else { return (served, nil, "soft") }
            let lag = scope.time.since(changedAt)
            let status = lag >= scope.staleAfter ? DomainStatus.stale : .propagating
            return ("\(served) \(Span.words(lag)) behind", status.mark, status.tone.rawValue)
        }
    }

    /// From each change of the origin until the edge follows.
    private func lags(_ intervals: [PropagationRecord.VersionInterval]) -> [PropagationChart.Lag] {
        let origin = scope.record.places[.origin] ?? []
        func served(_ intervals: [PropagationRecord.VersionInterval], at date: Date) -> PropagationRecord.Served? {
            intervals.last { $0.at <= date }?.served
        }
        var lags: [PropagationChart.Lag] = []
        var since: Date?
        func close(_ end: Date) {
            guard let begin = since else { return }
            since = nil
            let late = begin + scope.staleAfter
            for (from, to, isLate) in [(begin, min(end, late), false), (max(begin, late), end, true)]
            where to > from && to > scope.start {
                let (left, right) = (scope.x(from), scope.x(to))
                guard right > left else { continue }
                lags.append(.init(x: String.percent(left), width: String.percent(right - left), isLate: isLate))
            }
        }
        let instants = Set(origin.map(\.at) + intervals.map(\.at)).filter { $0 <= scope.now }.sorted()
        for instant in instants {
            guard case .version(let current)? = served(origin, at: instant),
                case .version(let held)? = served(intervals, at: instant)
            else {
                close(instant)
                continue
            }
            if current == held {
                close(instant)
            } else if since == nil, origin.contains(where: { $0.at == instant }) {
                since = instant
            }
        }
        close(scope.now)
        return lags
    }

    var legend: [PropagationChart.Legend] {
        var all: [PropagationChart.Legend] = []
        var seen: Set<String> = []
        let shown = scope.record.places.values.flatMap { intervals in
            intervals.enumerated().filter { index, interval in
                index + 1 >= intervals.count || intervals[index + 1].at > scope.start
            }.map(\.element.served)
        }
        let ids = Set(shown.compactMap { served -> Int64? in if case .version(let id) = served { id } else { nil } })
        let versions = ids.sorted {
            (scope.record.versions[$0]?.number ?? 0) > (scope.record.versions[$1]?.number ?? 0)
        }
        for id in versions.prefix(5) {
            let hash = scope.record.versions[id].map { String($0.content.hex.prefix(7)) } ?? ""
            let kind = kind(.version(id))
            all.append(
                .init(
                    kind: kind, pattern: kind == "stray" ? "url(#p-stray)" : nil, name: name(.version(id)),
                    text: kind == "now" ? "the origin’s file now, \(hash)" : hash))
            seen.insert(kind)
        }
        if versions.count > 5 {
            all.append(.init(kind: "a", pattern: nil, name: "", text: "\(versions.count - 5) earlier versions"))
        }
        if shown.contains(.noFile) {
            all.append(.init(kind: "none", pattern: "url(#p-none)", name: "", text: "no copy (404)"))
        }
        return all
    }
}
