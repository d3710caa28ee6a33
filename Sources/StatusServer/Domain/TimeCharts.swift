// What earlier changes took, each a dot on a logarithmic line from a quarter of an hour to a week.

import Evidence
import Foundation
import Monitoring

struct PastTimes: Equatable, Sendable {
    let dots: [Dot]
    let median: Line?
    let ninth: Line?
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
                x: SVG.percent(x), y: "\(58 - min(level, 4) * 9)", title: Span.words(TimeInterval(seconds)))
        }
        func line(_ seconds: TimeInterval, _ text: String) -> Line {
            let x = Self.x(seconds)
            return Line(x: SVG.percent(x), anchor: x < 14 ? "start" : x > 82 ? "end" : "middle", text: text)
        }
        let estimate = Estimate(lag: lag ?? 0, past: past)
        median = estimate.usual.map { line(TimeInterval($0.median), "median \(Span.words(TimeInterval($0.median)))") }
        ninth = estimate.usual.map {
            let x = Self.x(TimeInterval($0.ninth))
            return Line(
                x: SVG.percent(x), anchor: x > 55 ? "end" : "start",
                text: "9 in 10: \(Span.words(TimeInterval($0.ninth)))")
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
                + "\(Span.words(TimeInterval(usual.ninth))), the longest \(longest)."
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

/// How fast the origin and Apple's CDN answered over the last day: a bar for each hour.
struct AnswerTimes: Equatable, Sendable {
    let rows: [Series]
    let hours: [Hour]
    /// At the ends of the axis.
    let from: String

    struct Series: Equatable, Sendable {
        let name: String
        let text: String
        let label: String
        let bars: [Bar]
    }

    /// In a chart of 40 pixels: the mean from the ground on, and a line at the slowest answer.
    struct Bar: Equatable, Sendable {
        let x: String
        let y: String
        let height: String
        let top: String
        let title: String
    }

    struct Hour: Equatable, Sendable {
        let hour: String
        let means: [String]
    }

    private static let height = 40.0
    private static let names: [ResponseTimes.Target: String] = [.origin: "Origin", .cdn: "Apple’s CDN"]

    /// nil without an answer in the last day.
    init?(_ times: ResponseTimes?, _ time: PageTime) {
        guard let times else { return nil }
        let all = ResponseTimes.Target.allCases.map { ($0, times.lastDay($0, at: time.now)) }
            .filter { $0.1.contains { $0 != nil } }
        guard !all.isEmpty else { return nil }
        // The hours of the store are those of UTC, as the page's.
        let present = Date(timeIntervalSince1970: (time.now.timeIntervalSince1970 / 3600).rounded(.down) * 3600)
        func name(_ index: Int) -> String { time.brief(present - Double(ResponseTimes.hours - 1 - index) * 3600) }
        from = name(0)
        rows = all.map { Series(Self.names[$0] ?? "", $1, hour: name, height: Self.height) }
        hours = (0..<ResponseTimes.hours).reversed().compactMap { index in
            let means = all.map { $1[index].map(Self.words) ?? "–" }
            return means.allSatisfy { $0 == "–" } ? nil : Hour(hour: name(index), means: means)
        }
    }

    private static func words(_ hour: ResponseTimes.Hour) -> String {
        "\(words(hour.mean)), at most \(words(hour.slowest))"
    }

    /// `45 ms`, `1.2 s`: two digits, since no more is known.
    static func words(_ milliseconds: Double) -> String {
        guard milliseconds >= 1 else { return "1 ms" }
        let unit = pow(10, max(0, (log10(milliseconds)).rounded(.down) - 1))
        let rounded = Int(((milliseconds / unit).rounded() * unit).rounded())
        if rounded < 1000 { return "\(rounded) ms" }
        let tenths = (rounded + 50) / 100
        return tenths % 10 == 0 || tenths >= 100 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}

extension AnswerTimes.Series {
    fileprivate init(_ name: String, _ hours: [ResponseTimes.Hour?], hour: (Int) -> String, height: Double) {
        self.name = name
        let slowest = hours.compactMap { $0?.slowest }.max() ?? 1
        let last = hours.lastIndex { $0 != nil } ?? 0
        let mean = hours[last].map { AnswerTimes.words($0.mean) } ?? "–"
        let when = last == hours.count - 1 ? "this hour" : "in the hour from \(hour(last))"
        text = "\(mean) on average \(when), at most \(AnswerTimes.words(slowest)) in 24 h"
        label = "\(name): \(text)"
        bars = hours.enumerated().compactMap { index, reading in
            guard let reading else { return nil }
            func pixels(_ value: Double) -> Int { max(1, Int((value / slowest * (height - 2)).rounded())) }
            return AnswerTimes.Bar(
                x: SVG.percent(Double(index) * 100 / Double(hours.count)), y: "\(Int(height) - pixels(reading.mean))",
                height: "\(pixels(reading.mean))", top: "\(Int(height) - pixels(reading.slowest) - 1)",
                title: "\(hour(index)): \(AnswerTimes.words(reading.mean)), at most "
                    + AnswerTimes.words(reading.slowest))
        }
    }
}
