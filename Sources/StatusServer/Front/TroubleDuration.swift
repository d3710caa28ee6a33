// How long the trouble lasts, against the usual time, and until when.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct TroubleDuration: Equatable, Sendable {
    /// nil where nothing is known to last.
    let long: String?
    let of: String
    let bar: LagBar?
    let until: String?

    init(_ record: SummaryRecord, staleAfter: Duration, isShort: Bool, _ time: ReportTime) {
        let summary = record.summary
        switch record.status {
        case .stale, .propagating, .divergent:
            guard let changedAt = summary?.changedAt else { fallthrough }
            let lag = time.since(changedAt)
            long = Span.words(lag)
            of = "behind"
            let past = summary?.propagations ?? []
            let estimate = Estimate(lag: lag, past: past)
            bar = isShort ? nil : LagBar(lag: lag, estimate: estimate, staleAfter: staleAfter.inSeconds)
            until =
                isShort ? nil : estimate.until(changedAt: changedAt, staleAfter: staleAfter.inSeconds, time)
        case .missing, .originFailing, .expectationFailed:
            long = record.since.map { Span.words(time.since($0)) }
            of = record.status == .missing && summary?.hasNoCopy == true ? "without a copy" : "so far"
            bar = nil
            until = isShort ? nil : summary?.text(at: time.wall).outlook
        case .atRisk:
            bar = nil
            if let end = summary?.certificateEnd {
                let left = end.timeIntervalSince(time.wall)
                long = left > 0 ? Span.words(left > 172_800 ? (left / 86400).rounded(.down) * 86400 : left) : "0 s"
                of = "left"
                until = isShort ? nil : "ends on \(time.clock(end))"
            } else {
                long = record.since.map { Span.words(time.since($0)) }
                of = "so far"
                until = nil
            }
        case .unconfirmed, .unknown:
            (long, of, bar) = (record.since.map { Span.words(time.since($0)) }, "so far", nil)
            until = nil
        case .waiting: (long, of, bar, until) = (nil, "", nil, nil)
        case .direct, .inSync:
            long = nil
            of = summary?.propagations.last.map { "last change took \(Span.words(TimeInterval($0)))" } ?? ""
            (bar, until) = (nil, nil)
        }
    }
}

/// When the present change will have arrived, by what earlier ones took.
struct Estimate: Equatable, Sendable {
    let lag: TimeInterval
    /// Sorted.
    let past: [Int]
    /// nil where too little is known.
    let usual: UsualPropagation?

    init(lag: TimeInterval, past: [Int]) {
        self.lag = lag
        self.past = past.sorted()
        usual = UsualPropagation(past)
    }

    var isOverdue: Bool { usual.map { lag >= TimeInterval($0.percentile90) } ?? false }

    /// Of the earlier changes as many took less than this one already has.
    var rank: Int { past.count { TimeInterval($0) < lag } }

    func until(changedAt: Date, staleAfter: TimeInterval, _ time: ReportTime) -> String {
        guard let usual else {
            let limit = time.brief(changedAt + staleAfter)
            return lag < staleAfter
                ? "normal until \(limit); no earlier changes to estimate from"
                : "past the limit since \(limit); no earlier changes to estimate from"
        }
        let median = changedAt + TimeInterval(usual.median)
        let percentile90 = changedAt + TimeInterval(usual.percentile90)
        if lag < TimeInterval(usual.median) {
            return "expected by \(time.brief(median)); 9 in 10 changes by \(time.brief(percentile90))"
        }
        if lag < TimeInterval(usual.percentile90) { return "9 in 10 changes arrive by \(time.brief(percentile90))" }
        return rank == past.count
            ? "longer than all of the last \(past.count) changes"
            : "longer than \(rank) of the last \(past.count) changes"
    }
}

/// The lag as a bar, against the usual time and the limit. Positions are percentages.
struct LagBar: Equatable, Sendable {
    let width: String
    let tone: String
    let band: Band?
    let usual: Place?
    let limit: Place?
    let text: String

    struct Band: Equatable, Sendable {
        let x: String
        let width: String
    }

    struct Place: Equatable, Sendable {
        let x: String
        let anchor: String
        let label: String
    }

    init(lag: TimeInterval, estimate: Estimate, staleAfter: TimeInterval) {
        let scale = max(lag, staleAfter, TimeInterval(estimate.usual?.percentile90 ?? 0)) * 1.02
        func percent(_ seconds: TimeInterval) -> Double { min(100, max(0, seconds / max(1, scale) * 100)) }
        width = String.percent(max(0.8, percent(lag)))
        tone = lag >= staleAfter ? "fail" : "prog"
        band = estimate.usual.map {
            Band(
                x: String.percent(percent(TimeInterval($0.median))),
                width: String.percent(percent(TimeInterval($0.percentile90)) - percent(TimeInterval($0.median))))
        }
        let limitAt = percent(staleAfter)
        func place(_ at: Double, _ label: String) -> Place {
            Place(x: String.percent(at), anchor: at < 24 ? "start" : at > 78 ? "end" : "middle", label: label)
        }
        limit = place(limitAt, Span.words(staleAfter))
        usual = estimate.usual.flatMap { usual in
            let at = percent(TimeInterval(usual.median))
            // Two labels need room.
            return place(at, abs(at - limitAt) < 45 ? "" : "usual \(TimeInterval(usual.median).inWords)")
        }
        text =
            "\(Span.words(lag)) behind, limit \(Span.words(staleAfter))"
            + (estimate.usual.map { ", usual \(Span.words(TimeInterval($0.median)))" } ?? "")
    }
}

/// What each edge serves, a square each.
struct EdgeChart: Equatable, Sendable {
    let squares: [Square]
    let width: String
    let text: String

    struct Square: Equatable, Sendable {
        let x: String
        let kind: String
    }

    /// More than these are described in words alone.
    static let maximum = 16

    init?(_ tally: EdgeTally) {
        guard tally.asked > 0, tally.asked <= Self.maximum else { return nil }
        let kinds =
            Array(repeating: "now", count: tally.inSync) + Array(repeating: "old", count: tally.old)
            + Array(repeating: "stray", count: tally.other) + Array(repeating: "none", count: tally.missing)
            + Array(repeating: "mute", count: tally.unknown + tally.unreachable)
        squares = kinds.enumerated().map { Square(x: "\($0.offset * 13 + 1)", kind: $0.element) }
        width = "\(kinds.count * 13 + 1)"
        text =
            [
                (tally.inSync, "current"), (tally.old, "old"), (tally.other, "another file"),
                (tally.unknown, "a file, with none at the origin to compare"), (tally.missing, "without a copy"),
                (tally.unreachable, "no answer"),
            ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

extension String {
    /// `12.34%`, as positions in charts are.
    static func percent(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
        if rest == 0 { return "\(whole)%" }
        return "\(whole).\(rest < 10 ? "0" : "")\(rest)%"
    }
}
