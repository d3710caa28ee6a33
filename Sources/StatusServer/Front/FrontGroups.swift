// Many domains as few decisions: by label, by reason, over the last day; and the way from page to page.

import Evidence
import Foundation
import Monitoring
import Storage

/// One mark for each domain that needs attention, by the values of one label.
struct LabelGroups: Equatable, Sendable {
    let key: String
    let addresses: [Link]
    let groups: [Group]
    /// Values without trouble, in a sentence; nil: none.
    let calm: String?

    struct Link: Equatable, Sendable {
        let text: String
        let address: String
        let isChosen: Bool
    }

    struct Group: Equatable, Sendable {
        let name: String
        let total: String
        let address: String
        let marks: [Mark]
        let more: String?
        let text: String
    }

    struct Mark: Equatable, Sendable {
        let mark: String
        let tone: String
    }

    private static let maximumGroups = 18
    private static let maximumMarks = 40

    init?(_ attention: [String: [DomainStatus: Int]], _ watched: WatchIndex, _ query: FrontQuery) {
        guard let key = query.by ?? watched.labelKeys.first, watched.labelKeys.contains(key) else { return nil }
        self.key = key.onOneLine(upTo: 40)
        addresses = watched.labelKeys.prefix(5).map { name in
            Link(text: name.onOneLine(upTo: 30), address: query.with { $0.by = name }.address, isChosen: name == key)
        }
        func worst(_ counts: [DomainStatus: Int]) -> [Int] { DomainStatus.allCases.map { -(counts[$0] ?? 0) } }
        let sorted = attention.sorted { left, right in
            let (first, second) = (worst(left.value), worst(right.value))
            return first == second ? left.key < right.key : first.lexicographicallyPrecedes(second)
        }
        groups = sorted.prefix(Self.maximumGroups).map { name, counts in
            let present = DomainStatus.allCases.filter { (counts[$0] ?? 0) > 0 }
            let all = present.flatMap { Array(repeating: $0, count: min(Self.maximumMarks, counts[$0] ?? 0)) }
            let sum = counts.values.reduce(0, +)
            let shown = all.prefix(Self.maximumMarks)
            return Group(
                name: name.onOneLine(upTo: 40), total: watched.count(key: key, value: name).grouped,
                address: query.with { $0.label = "\(key)=\(name)" }.address,
                marks: shown.map { Mark(mark: $0.mark, tone: $0.tone.rawValue) },
                more: sum > shown.count ? "and \((sum - shown.count).grouped) more" : nil,
                text: present.map { "\((counts[$0] ?? 0).grouped) \($0.word.lowercased())" }.joined(separator: ", "))
        }
        let quiet = watched.valueCount(of: key) - attention.count
        let rest = max(0, sorted.count - Self.maximumGroups)
        calm =
            [
                quiet > 0 ? "\(quiet.of("other value")) of \(self.key) without trouble" : nil,
                rest > 0 ? "\(rest.grouped) more with trouble" : nil,
            ].compactMap(\.self).joined(separator: ", ").nilIfEmpty
        if groups.isEmpty { return nil }
    }
}

extension String {
    fileprivate var nilIfEmpty: String? { isEmpty ? nil : self }
}

/// Domains that need the same decision.
struct ReasonRow: Equatable, Sendable {
    let count: String
    let status: String
    let mark: String
    let tone: String
    /// What is wrong, of the first of them.
    let title: String
    let example: String
    let action: String
    /// The longest, and the range.
    let longest: String
    let range: String
    let address: String

    init(_ group: ReasonGroup, _ example: SummaryRecord?, _ query: FrontQuery, _ time: PageTime) {
        count = group.count.grouped
        status = group.status.word
        mark = group.status.mark
        tone = group.status.tone.rawValue
        let text = example?.summary?.text(at: time.wall)
        title = (text?.cause ?? text?.effect ?? group.reason).firstSentence.shortened(to: 160)
        action = (text?.action ?? "Nothing to do.").shortened(to: 200)
        self.example = group.count == 1 ? group.example.name : "such as \(group.example.name)"
        longest = group.oldest.map { Span.words(time.since($0)) } ?? ""
        if let oldest = group.oldest, let newest = group.newest, newest.timeIntervalSince(oldest) > 60, group.count > 1
        {
            range = "\(Span.words(time.since(newest))) to \(Span.words(time.since(oldest)))"
        } else {
            range = group.oldest.map { "since \(time.brief($0))" } ?? ""
        }
        address =
            query.with {
                $0.state = group.status.name
                $0.reason = group.reason
            }.address
    }
}

/// How many domains were not current over the last day.
struct Trend: Equatable, Sendable {
    let segments: [Segment]
    let now: String
    let text: String

    /// A stretch with one count, as a block from the bottom up.
    struct Segment: Equatable, Sendable {
        let x: String
        let y: String
        let width: String
        let height: String
        /// From the top of the block before; nil for the first.
        let rise: Rise?
    }

    struct Rise: Equatable, Sendable {
        let from: String
        let length: String
    }

    static let window: TimeInterval = 86400
    private static let maximumSegments = 96

    /// nil where nothing was counted yet.
    init?(_ history: [StatusCounts], counts: [DomainStatus: Int], time: PageTime) {
        guard !history.isEmpty else { return nil }
        func attention(_ counts: [DomainStatus: Int]) -> Int {
            counts.reduce(0) { $0 + ($1.key.needsAttention ? $1.value : 0) }
        }
        let start = time.now - Self.window
        let present = attention(counts)
        var steps: [(at: TimeInterval, count: Int)] = []
        for entry in history {
            let at = max(0, entry.at.timeIntervalSince(start)) / Self.window
            // Within one step the last count stands: more than the chart can show.
            if let last = steps.last, at - last.at < 1 / Double(Self.maximumSegments) {
                steps[steps.count - 1].count = max(last.count, attention(entry.counts))
            } else {
                steps.append((min(1, at), attention(entry.counts)))
            }
        }
        let most = max(1, steps.map(\.count).max() ?? 0, present)
        segments = steps.indices.map { index in
            let end = index + 1 < steps.count ? steps[index + 1].at : 1
            func height(_ index: Int) -> Double { Double(steps[index].count) / Double(most) * 80 }
            let (height, before) = (height(index), index > 0 ? height(index - 1) : nil)
            return Segment(
                x: SVG.percent(steps[index].at * 100), y: SVG.percent(96 - height),
                width: SVG.percent((end - steps[index].at) * 100), height: SVG.percent(height),
                rise: before.map {
                    Rise(from: SVG.percent(96 - max(height, $0)), length: SVG.percent(abs(height - $0)))
                })
        }
        now = present.grouped
        let least = steps.map(\.count).min() ?? present
        text =
            "Domains that need attention in the last 24 h: between \(least.grouped) and \(most.grouped), now \(present.grouped)"
    }
}

/// The way from page to page.
struct Pager: Equatable, Sendable {
    let range: String
    let previous: String?
    let next: String?
    let jumps: [Link]
    let rows: [Link]
    let orders: [Link]
    let isNeeded: Bool

    struct Link: Equatable, Sendable {
        let text: String
        let address: String
        let isChosen: Bool
    }

    init(_ query: FrontQuery, total: Int, shown: Int, counts: [DomainStatus: Int]) {
        let first = (query.page - 1) * query.rows
        range =
            shown == 0
            ? "none of \(total.grouped)" : "\((first + 1).grouped)–\((first + shown).grouped) of \(total.grouped)"
        previous = query.page > 1 ? query.with { $0.page = query.page - 1 }.address : nil
        next = first + shown < total ? query.with { $0.page = query.page + 1 }.address : nil
        jumps = DomainStatus.allCases.filter { (counts[$0] ?? 0) > 0 }.map { status in
            Link(
                text: "\(status.word) \((counts[status] ?? 0).grouped)",
                address: query.with {
                    $0.state = status.name
                    $0.reason = nil
                }.address, isChosen: query.state == status.name)
        }
        rows = FrontQuery.rowCounts.map { count in
            Link(text: "\(count)", address: query.with { $0.rows = count }.address, isChosen: count == query.rows)
        }
        orders = [(SummaryFilter.Order.trouble, "trouble"), (.longest, "longest"), (.name, "name")].map { order, text in
            Link(text: text, address: query.with { $0.order = order }.address, isChosen: order == query.order)
        }
        isNeeded = total > FrontQuery.rowCounts[0] || query.page > 1
    }
}
