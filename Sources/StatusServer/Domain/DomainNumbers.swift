// The five numbers of a domain.

import Evidence
import Foundation
import Monitoring
import Storage

struct DomainNumbers {
    let all: [DomainView.Number]

    init(_ record: BriefRecord, _ state: DomainState?, _ lasting: Lasting, staleAfter: TimeInterval, _ time: PageTime) {
        let brief = record.brief
        let tone = record.status.tone.rawValue
        let past = brief?.propagations ?? []
        let usual = UsualPropagation(past)
        func number(_ name: String, _ value: String, _ detail: String, _ tone: String = "ink", squares: Bool = false)
            -> DomainView.Number
        {
            DomainView.Number(name: name, value: value, detail: detail, tone: tone, hasSquares: squares)
        }
        var all: [DomainView.Number] = []
        if let changedAt = brief?.changedAt {
            all.append(
                number(
                    "Behind for", Span.words(time.since(changedAt)),
                    "since \(time.brief(changedAt)) · limit \(Span.words(staleAfter))", tone))
        } else if record.status.needsAttention {
            all.append(
                number(
                    lasting.of == "left"
                        ? "Left" : record.status == .missing ? "Without a copy for" : "\(record.status.word) for",
                    lasting.long ?? "–", lasting.until ?? record.since.map { "since \(time.brief($0))" } ?? "", tone))
        } else if let since = record.since, record.status == .inSync || record.status == .direct {
            all.append(
                number(
                    "\(record.status == .direct ? "Fine" : "In sync") for", Span.words(time.since(since)),
                    "since \(time.brief(since))"))
        } else {
            all.append(number("State", record.status.word, ""))
        }
        let edges = brief?.edges
        let version = record.version.map { "v\($0)" }
        all.append(
            number(
                "Edges with the current file",
                edges.map { "\($0.inSync) of \($0.asked)" } ?? (brief?.comparison == .inSync ? "yes" : "–"),
                edges == nil ? version ?? "" : "", squares: edges != nil))
        if let usual {
            all.append(
                number(
                    "Usual propagation time", Span.words(TimeInterval(usual.median)),
                    "9 in 10 within \(Span.words(TimeInterval(usual.ninth))), \(past.count.of("change"))"))
        } else {
            all.append(
                number(
                    past.isEmpty ? "Usual propagation time" : "Last change took",
                    past.last.map { Span.words(TimeInterval($0)) } ?? "not known",
                    "\(past.isEmpty ? "no change" : past.count.of("change")) so far; Apple says up to 24 h"))
        }
        if let changedAt = brief?.changedAt {
            let estimate = Estimate(lag: time.since(changedAt), past: past)
            let words = estimate.until(changedAt: changedAt, time)
            if let usual, estimate.lag < TimeInterval(usual.ninth) {
                let isEarly = estimate.lag < TimeInterval(usual.median)
                let expected = changedAt + TimeInterval(isEarly ? usual.median : usual.ninth)
                all.append(
                    number(
                        "Expected", time.brief(expected),
                        isEarly
                            ? "9 in 10 by \(time.brief(changedAt + TimeInterval(usual.ninth)))"
                            : "9 in 10 changes arrive by then"))
            } else {
                let longest = past.max().map { "; longest took \(Span.words(TimeInterval($0)))" } ?? ""
                all.append(number("Expected", "No estimate", words + longest))
            }
        } else if let end = brief?.certificateEnd {
            all.append(
                number(
                    "Certificate", "\(max(0, Int(end.timeIntervalSince(time.wall) / 86400)).of("day"))",
                    "ends on \(PageTime.brief(end, wall: time.wall))", "warn"))
        } else {
            all.append(
                number(
                    "File", version ?? "–",
                    record.versionSince.map { "since \(time.brief($0))" } ?? "none seen at the origin"))
        }
        all.append(
            number(
                "Checked", record.lastCheckedAt.map(time.age) ?? "never",
                state?.lastFullAt.map { "all addresses and edges \(time.age($0))" } ?? "never in full"))
        self.all = all
    }
}
