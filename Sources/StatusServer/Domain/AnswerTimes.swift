// How fast the origin and Apple's CDN answered over the last day: a bar for each hour.

import Evidence
import Foundation
import Monitoring

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

    /// In a picture of 40 pixels: the mean from the ground on, and a line at the slowest answer.
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
