// How fast a domain's origin and Apple's CDN answered over the last day, in a hundred bytes: they are written at every check, into
// the row of the domain.

import Evidence
import Facts
import Foundation

/// Mean and slowest answer of each hour. A time is the whole request, until the end of the answer; requests without an answer
/// do not count.
package struct ResponseTimes: Equatable, Sendable {
    package enum Target: Int, Sendable, CaseIterable { case origin, cdn }

    /// Milliseconds, each rounded to a step of 5 %.
    package struct Hour: Equatable, Sendable {
        package let mean: Double
        package let slowest: Double
    }

    package static let hours = 24

    private struct Series: Equatable, Sendable {
        /// Of the newest hour.
        var count: UInt16 = 0
        var sum: UInt32 = 0
        /// By the hour of the day, in steps; 0: no answer.
        var means = [UInt8](repeating: 0, count: ResponseTimes.hours)
        var slowest = [UInt8](repeating: 0, count: ResponseTimes.hours)
    }

    /// The newest hour, counted from 1970.
    private var hour: UInt32 = 0
    private var series = Target.allCases.map { _ in Series() }

    package init() {}

    /// What one check saw.
    package mutating func note(_ observation: Observation) {
        guard let hour = Self.hour(of: observation.checkedAt), hour >= self.hour else { return }
        move(to: hour)
        note(.origin, observation.origin)
        if let copy = observation.cdn.retrieval { note(.cdn, copy) }
    }

    private mutating func note(_ target: Target, _ retrieval: Retrieval) {
        guard retrieval.answer != nil, let total = retrieval.connection?.timings.total, total.isFinite else { return }
        let (slot, milliseconds) = (Int(hour) % Self.hours, min(max(1, total), 600_000))
        var series = series[target.rawValue]
        // More than 65,535 checks in an hour change no mean.
        if series.count < .max, series.sum < .max - 600_000 {
            series.count += 1
            series.sum += UInt32(milliseconds.rounded())
            series.means[slot] = Self.step(Double(series.sum) / Double(series.count))
        }
        series.slowest[slot] = max(series.slowest[slot], Self.step(milliseconds))
        self.series[target.rawValue] = series
    }

    /// Empties the hours in between.
    private mutating func move(to next: UInt32) {
        guard next > hour else { return }
        for passed in 0..<min(UInt32(Self.hours), next - hour) {
            let slot = Int(next - passed) % Self.hours
            for index in series.indices { (series[index].means[slot], series[index].slowest[slot]) = (0, 0) }
        }
        for index in series.indices { (series[index].count, series[index].sum) = (0, 0) }
        hour = next
    }

    /// The last 24 hours, oldest first, the present one last; nil for an hour without an answer.
    package func lastDay(_ target: Target, at now: Date) -> [Hour?] {
        guard let present = Self.hour(of: now) else { return [] }
        return (0..<UInt32(Self.hours)).reversed().map { ago in
            guard present >= ago, present - ago <= hour, hour - (present - ago) < Self.hours else { return nil }
            let (series, slot) = (series[target.rawValue], Int(present - ago) % Self.hours)
            guard series.slowest[slot] > 0 else { return nil }
            return Hour(mean: Self.milliseconds(series.means[slot]), slowest: Self.milliseconds(series.slowest[slot]))
        }
    }

    private static func hour(of date: Date) -> UInt32? {
        UInt32(exactly: (date.timeIntervalSince1970 / 3600).rounded(.down))
    }

    // MARK: - Steps

    private static let ratio = 1.05

    /// 1 ms is step 1; step 255 is four minutes.
    private static func step(_ milliseconds: Double) -> UInt8 {
        let step = (log(max(1, milliseconds)) / log(ratio)).rounded() + 1
        return UInt8(min(255, max(1, step)))
    }

    private static func milliseconds(_ step: UInt8) -> Double { pow(ratio, Double(step) - 1) }

    // MARK: - As bytes

    private static let length = 4 + Target.allCases.count * (2 + 4 + 2 * hours)

    package init?(bytes: Data) {
        guard bytes.count == Self.length else { return nil }
        var rest = bytes[...]
        func number(_ count: Int) -> UInt32 {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        func list() -> [UInt8] {
            defer { rest = rest.dropFirst(Self.hours) }
            return Array(rest.prefix(Self.hours))
        }
        hour = number(4)
        for index in series.indices {
            series[index] = Series(
                count: UInt16(truncatingIfNeeded: number(2)), sum: number(4), means: list(), slowest: list())
        }
    }

    package var bytes: Data {
        var bytes = Data(capacity: Self.length)
        func add(_ number: UInt32, _ count: Int) {
            for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(8 * place))) }
        }
        add(hour, 4)
        for series in series {
            add(UInt32(series.count), 2)
            add(series.sum, 4)
            bytes.append(contentsOf: series.means + series.slowest)
        }
        return bytes
    }
}
