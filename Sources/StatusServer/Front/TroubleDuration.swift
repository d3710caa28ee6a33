// How long the trouble lasts, against the usual time, and until when.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct TroubleDuration: Sendable {
    /// How long so far; of a certificate, how long is left. nil where nothing is known to last.
    let long: String?
    let until: String?

    init(_ record: SummaryRecord, staleAfter: Duration, _ time: ReportTime) {
        let summary = record.summary
        let soFar = record.since.map { Span.words(time.since($0)) }
        switch record.status {
        case .stale, .propagating, .divergent:
            guard let changedAt = summary?.changedAt else { fallthrough }
            let lag = time.since(changedAt)
            long = Span.words(lag)
            until = Estimate(lag: lag, past: summary?.propagations ?? [])
                .until(changedAt: changedAt, staleAfter: staleAfter.inSeconds, time)
        case .missing, .originFailing, .expectationFailed: (long, until) = (soFar, summary?.text(at: time.wall).outlook)
        case .atRisk:
            guard let end = summary?.certificateEnd else { fallthrough }
            let left = end.timeIntervalSince(time.wall)
            let words = left > 0 ? Span.words(left > 172_800 ? (left / 86400).rounded(.down) * 86400 : left) : "0 s"
            (long, until) = ("\(words) left", "ends on \(time.clock(end))")
        case .unconfirmed, .unknown: (long, until) = (soFar, nil)
        case .waiting, .direct, .inSync: (long, until) = (nil, nil)
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

extension EdgeTally {
    /// More than these are described in words alone.
    private static let maximum = 16

    /// What each edge serves, a square each.
    var squares: HTML? {
        guard asked > 0, asked <= Self.maximum else { return nil }
        let kinds =
            Array(repeating: "now", count: inSync) + Array(repeating: "old", count: old)
            + Array(repeating: "stray", count: other) + Array(repeating: "none", count: missing)
            + Array(repeating: "mute", count: unknown + unreachable)
        let squares = kinds.enumerated().map { place, kind -> HTML in
            #"<rect class="\#(kind)" x="\#(place * 13 + 1)" y="1" width="10" height="10" rx="2"/>"#
        }
        let text =
            [
                (inSync, "current"), (old, "old"), (other, "another file"),
                (unknown, "a file, with none at the origin to compare"), (missing, "without a copy"),
                (unreachable, "no answer"),
            ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return """
            <svg class="squares" role="img" aria-label="\(text)" width="\(kinds.count * 13 + 1)" height="12">\
            \(squares)</svg>
            """
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
