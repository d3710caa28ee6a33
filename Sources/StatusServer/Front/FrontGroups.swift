// Many domains as few decisions: by reason; and the way from page to page.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

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

    init(_ group: ReasonGroup, _ example: SummaryRecord?, _ query: FrontQuery, _ time: ReportTime) {
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
                $0.state = group.status.rawValue
                $0.reason = group.reason
            }.address
    }
}

/// The way from page to page.
struct Pager: Equatable, Sendable {
    let range: String
    let previous: String?
    let next: String?
    let jumps: [PageLink]
    let rows: [PageLink]
    let orders: [PageLink]
    let isNeeded: Bool

    init(_ query: FrontQuery, total: Int, shown: Int, counts: [DomainStatus: Int]) {
        let first = (query.page - 1) * query.rows
        range =
            shown == 0
            ? "none of \(total.grouped)" : "\((first + 1).grouped)–\((first + shown).grouped) of \(total.grouped)"
        previous = query.page > 1 ? query.with { $0.page = query.page - 1 }.address : nil
        next = first + shown < total ? query.with { $0.page = query.page + 1 }.address : nil
        jumps = DomainStatus.allCases.filter { (counts[$0] ?? 0) > 0 }.map { status in
            PageLink(
                text: "\(status.word) \((counts[status] ?? 0).grouped)",
                address: query.with {
                    $0.state = status.rawValue
                    $0.reason = nil
                }.address, isChosen: query.state == status.rawValue)
        }
        rows = FrontQuery.rowCounts.map { count in
            PageLink(text: "\(count)", address: query.with { $0.rows = count }.address, isChosen: count == query.rows)
        }
        orders = [(SummaryFilter.Order.trouble, "trouble"), (.longest, "longest"), (.name, "name")].map { order, text in
            PageLink(text: text, address: query.with { $0.order = order }.address, isChosen: order == query.order)
        }
        isNeeded = total > FrontQuery.rowCounts[0] || query.page > 1
    }
}
