// The last days of a domain, one mark per day.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct HistoryBar: Sendable {
    /// `tone`: `fail`, `warn`, `ok`, or `none` (not monitored).
    let days: [(x: String, tone: String, title: String)]
    /// The chart as text, for screen readers.
    let text: String
    /// The first day.
    let from: String

    static let count = 90

    /// nil if nothing is recorded yet.
    init?(_ past: DomainPast, days count: Int = Self.count, time: ReportTime) {
        guard let first = past.firstSeen else { return nil }
        let today = (time.wall.timeIntervalSince1970 / 86400).rounded(.down)
        var days: [(x: String, tone: String, title: String)] = []
        var (watched, troubled) = (0, 0)
        for back in (0..<count).reversed() {
            let begins = time.stored(Date(timeIntervalSince1970: (today - Double(back)) * 86400))
            let ends = min(begins + 86400, time.now)
            guard ends > begins else { continue }
            let incidents = past.incidents.filter {
                ($0.firedAt ?? $0.since) < ends && ($0.resolvedAt ?? .distantFuture) > begins
            }
            let away = past.pauses.reduce(0) { sum, pause in
                sum + max(0, min(ends, pause.upperBound).timeIntervalSince(max(begins, pause.lowerBound)))
            }
            let isBlank = ends <= first || away >= ends.timeIntervalSince(begins) * 0.98
            let tone: String
            let words: String
            if let worst = incidents.map(\.severity).max() {
                tone = worst == .error ? "fail" : "warn"
                words = Set(incidents.map(\.kind.rawValue)).sorted().joined(separator: ", ")
                troubled += 1
            } else if isBlank {
                (tone, words) = ("none", ends <= first ? "not watched yet" : "monitor off")
            } else {
                (tone, words) = ("ok", "no incident")
            }
            if tone != "none" { watched += 1 }
            days.append(
                (
                    x: String.percent(Double(count - 1 - back) / Double(count) * 100), tone: tone,
                    title: "\(time.day(begins)): \(words)"
                ))
        }
        self.days = days
        from = time.day(time.stored(Date(timeIntervalSince1970: (today - Double(count - 1)) * 86400)))
        text =
            troubled == 0
            ? "No incident in \(watched.of("day"))"
            : "Incidents on \(troubled.grouped) of \(watched.of("day"))"
    }

    /// For a list: a stroke of five pixels for each day, one path for each tone.
    var line: HTML {
        let paths = ["none", "ok", "warn", "fail"].compactMap { tone -> HTML? in
            let strokes = days.indices.filter { days[$0].tone == tone }.map { "M\($0 * 5 + 2) 0v12" }
            return strokes.isEmpty ? nil : #"<path class="\#(tone)" d="\#(strokes.joined())"/>"#
        }
        return """
            <svg class="month" role="img" aria-label="\(text)" viewBox="0 0 \(days.count * 5) 12" \
            preserveAspectRatio="none" height="12">\(paths)</svg>
            """
    }

    var html: HTML {
        let marks = days.map { day -> HTML in
            """
            <rect class="\(day.tone)" x="\(day.x)" y="1" width="0.9%" height="18"><title>\(day.title)</title></rect>
            """
        }
        return """
            <svg class="days" role="img" aria-label="Last 90 days: \(text)" width="100%" height="20">\(marks)</svg>
            <p class="ends fine"><span>\(from)</span> <span>one mark per day: <span class="ok">no incident</span>, \
            <span class="warn">warning</span>, <span class="fail">error</span>; empty: not monitored</span> \
            <span>today</span></p>
            """
    }
}
