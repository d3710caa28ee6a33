// What earlier changes took, each a dot on a logarithmic line from a quarter of an hour to a week.

import Evidence
import Foundation
import Monitoring

struct PastTimes: Equatable, Sendable {
    let dots: [Dot]
    let median: Line?
    let percentile90: Line?
    let present: Line?
    let presentTone: String
    let ticks: [Line]
    let text: String
    let label: String

    struct Dot: Equatable, Sendable {
        let x: String
        let y: String
        let title: String
    }

    struct Line: Equatable, Sendable {
        let x: String
        let anchor: String
        let text: String
    }

    private static let least = 900.0
    private static let most = 7 * 86400.0

    static func x(_ seconds: TimeInterval) -> Double {
        let bounded = min(most, max(least, seconds))
        return 2 + 96 * Foundation.log(bounded / least) / Foundation.log(most / least)
    }

    /// nil where no change was seen to arrive.
    init?(_ past: [Int], lag: TimeInterval?, staleAfter: TimeInterval) {
        guard !past.isEmpty else { return nil }
        var levels: [(x: Double, level: Int)] = []
        dots = past.sorted().map { seconds in
            let x = Self.x(TimeInterval(seconds))
            let level = (0...).first { level in !levels.contains { $0.level == level && abs($0.x - x) < 2.2 } } ?? 0
            levels.append((x, level))
            return Dot(
                x: String.percent(x), y: "\(58 - min(level, 4) * 9)", title: Span.words(TimeInterval(seconds)))
        }
        func line(_ seconds: TimeInterval, _ text: String) -> Line {
            let x = Self.x(seconds)
            return Line(x: String.percent(x), anchor: x < 14 ? "start" : x > 82 ? "end" : "middle", text: text)
        }
        let estimate = Estimate(lag: lag ?? 0, past: past)
        median = estimate.usual.map { line(TimeInterval($0.median), "median \(Span.words(TimeInterval($0.median)))") }
        percentile90 = estimate.usual.map {
            let x = Self.x(TimeInterval($0.percentile90))
            return Line(
                x: String.percent(x), anchor: x > 55 ? "end" : "start",
                text: "9 in 10: \(Span.words(TimeInterval($0.percentile90)))")
        }
        present = lag.map { line($0, "now \(Span.words($0))") }
        presentTone = (lag ?? 0) >= staleAfter ? "fail" : "prog"
        ticks = [
            (900, "15 min"), (3600, "1 h"), (10800, "3 h"), (43200, "12 h"), (86400, "24 h"), (259_200, "3 d"),
            (604_800, "7 d"),
        ]
        .map { line($0.0, $0.1) }
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
                ? " None took longer than the present one, so there is no estimate."
                : " Of those that took longer than \(Span.words(lag)) there \(longer == 1 ? "is one" : "are \(longer)"), so there is no estimate."
        }
        text = words
        label = "Past propagation times on a logarithmic scale. " + words
    }
}
