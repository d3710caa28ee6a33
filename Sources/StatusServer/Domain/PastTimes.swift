// How long earlier changes took: one dot each on a logarithmic line from 15 minutes to a week.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

extension DomainView {
    private static let least = 900.0
    private static let most = 7 * 86400.0

    private static func x(_ seconds: TimeInterval) -> Double {
        let bounded = min(most, max(least, seconds))
        return 2 + 96 * Foundation.log(bounded / least) / Foundation.log(most / least)
    }

    var pastTimes: HTML {
        let none: HTML = #"<p class="soft">No completed change yet. Apple says up to 24 h.</p>"#
        return """
            <section id="past" data-live>\
            \(HTML.heading("Past propagation times", "until all edges had the file"))
            \(pastChart(record.summary?.propagations ?? []) ?? none)
            </section>
            """
    }

    /// nil if no change has completed.
    private func pastChart(_ past: [Int]) -> HTML? {
        guard !past.isEmpty else { return nil }
        let lag = record.summary?.changedAt.map(frame.time.since)
        var levels: [(x: Double, level: Int)] = []
        let dots = past.sorted().map { seconds -> HTML in
            let x = Self.x(TimeInterval(seconds))
            let level = (0...).first { level in !levels.contains { $0.level == level && abs($0.x - x) < 2.2 } } ?? 0
            levels.append((x, level))
            return """
                <circle cx="\(String.percent(x))" cy="\(58 - min(level, 4) * 9)" r="3.5">\
                <title>\(Span.words(TimeInterval(seconds)))</title></circle>
                """
        }
        let estimate = Estimate(lag: lag ?? 0, past: past)
        let median = estimate.usual.map { usual -> HTML in
            let (x, long) = (String.percent(Self.x(TimeInterval(usual.median))), Span.words(TimeInterval(usual.median)))
            return """
                <line class="tick" x1="\(x)" x2="\(x)" y1="18" y2="64"/>\
                <text class="strong" x="\(x)" dx="-3" y="11" text-anchor="end">median \(long)</text>
                """
        }
        let percentile90 = estimate.usual.map { usual -> HTML in
            let place = Self.x(TimeInterval(usual.percentile90))
            let (x, anchor) = (String.percent(place), place > 55 ? "end" : "start")
            return """
                <line class="tick" x1="\(x)" x2="\(x)" y1="28" y2="64"/>\
                <text class="strong" x="\(x)" y="24" text-anchor="\(anchor)">\
                9 in 10: \(Span.words(TimeInterval(usual.percentile90)))</text>
                """
        }
        let present = lag.map { lag -> HTML in
            let (x, anchor) = Self.label(lag)
            let tone = lag >= staleAfter ? "fail" : "prog"
            return """
                <circle class="present \(tone)" cx="\(x)" cy="56" r="5"/>\
                <text class="\(tone)" x="\(x)" y="44" text-anchor="\(anchor)">now \(Span.words(lag))</text>
                """
        }
        let words = Self.pastInWords(past, lag, estimate)
        return """
            <svg class="past" role="img" aria-label="Past propagation times on a logarithmic scale. \(words)" \
            width="100%" height="86">\(Self.ticks)<line class="base" x1="0" x2="100%" y1="64.5" y2="64.5"/>\
            \(median)\(percentile90)\(dots)\(present)</svg><p class="soft">\(words)</p>
            """
    }

    /// The position of a text that must stay inside the chart.
    private static func label(_ seconds: TimeInterval) -> (x: String, anchor: String) {
        let x = x(seconds)
        return (String.percent(x), x < 14 ? "start" : x > 82 ? "end" : "middle")
    }

    private static let ticks: [HTML] = {
        let ticks: [(TimeInterval, HTML)] = [
            (900, "15 min"), (3600, "1 h"), (10800, "3 h"), (43200, "12 h"), (86400, "24 h"), (259_200, "3 d"),
            (604_800, "7 d"),
        ]
        return ticks.map { seconds, text in
            let (x, anchor) = label(seconds)
            return """
                <line class="grid" x1="\(x)" x2="\(x)" y1="62" y2="67"/>\
                <text x="\(x)" y="80" text-anchor="\(anchor)">\(text)</text>
                """
        }
    }()

    private static func pastInWords(_ past: [Int], _ lag: TimeInterval?, _ estimate: Estimate) -> String {
        let longest = Span.words(TimeInterval(past.max() ?? 0))
        var words: String
        if let usual = estimate.usual {
            words =
                "\(past.count.of("change")). Half took up to \(Span.words(TimeInterval(usual.median))), 9 in 10 up to "
                + "\(Span.words(TimeInterval(usual.percentile90))), the longest \(longest)."
        } else {
            words = "\(past.count.of("change")) so far, the longest took \(longest). Apple says up to 24 h."
        }
        if let lag, estimate.isOverdue {
            let longer = past.count - estimate.rank
            words +=
                longer == 0
                ? " None took longer than this one, so there is no estimate."
                : " Only \(longer == 1 ? "one" : "\(longer)") took longer than \(Span.words(lag)), so there is no estimate."
        }
        return words
    }
}
