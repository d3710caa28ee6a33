// How long the trouble lasts, compared with the usual time, and until when.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct TroubleDuration: Sendable {
    /// How long so far; for a certificate, how long is left. nil if there is no known duration.
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
            (long, until) = ("\(words) left", "expires on \(time.clock(end))")
        case .unconfirmed, .unknown: (long, until) = (soFar, nil)
        case .waiting, .direct, .inSync: (long, until) = (nil, nil)
        }
    }
}

/// When the present change should arrive, estimated from earlier changes.
struct Estimate: Equatable, Sendable {
    let lag: TimeInterval
    /// Sorted.
    let past: [Int]
    /// nil if too little is known.
    let usual: UsualPropagation?

    init(lag: TimeInterval, past: [Int]) {
        self.lag = lag
        self.past = past.sorted()
        usual = UsualPropagation(past)
    }

    var isOverdue: Bool { usual.map { lag >= TimeInterval($0.percentile90) } ?? false }

    /// How many earlier changes took less time than this one has taken so far.
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

extension String {
    /// `12.34%`, for positions in charts.
    static func percent(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
        if rest == 0 { return "\(whole)%" }
        return "\(whole).\(rest < 10 ? "0" : "")\(rest)%"
    }
}
