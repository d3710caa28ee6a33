// Many domains as few decisions: by reason; and the way from page to page.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

extension FrontPage {
    // MARK: - Domains that need the same decision

    var byReason: HTML? {
        let groups = shownReasons
        guard !groups.isEmpty else { return nil }
        let note = "\(troubled.of("domain")) \(troubled == 1 ? "needs" : "need") attention, worst first"
        return """

            <section class="reasons" id="reasons" data-live>
            \(HTML.heading("By reason", note))
            <table role="table" class="list by-reason" aria-label="Domains that need attention, by reason">
            \(HTML.columnHeads(["Domains", "State", "Reason", "What to do", "Longest"]))
            <tbody role="rowgroup">\(groups.map { reason($0.group, $0.example) })</tbody>
            </table>
            </section>

            """
    }

    /// Groups of one say what the rows say. Beside rows that say all of each domain, only a cause that many share is
    /// worth saying once more: as when Apple's CDN loses the copies of all domains, whose common incident may be a day
    /// away.
    private var shownReasons: [(group: ReasonGroup, example: SummaryRecord?)] {
        guard isLarge else { return reasons.filter { $0.group.count >= Self.many } }
        return reasons.count * 3 <= all && reasons.contains { $0.group.count > 1 } ? reasons : []
    }

    private func reason(_ group: ReasonGroup, _ example: SummaryRecord?) -> HTML {
        let time = frame.time
        let text = example?.summary?.text(at: time.wall)
        // What is wrong, of the first of them.
        let title = (text?.cause ?? text?.effect ?? group.reason).firstSentence.shortened(to: 160)
        let action = (text?.action ?? "Nothing to do.").shortened(to: 200)
        let range: String
        if let oldest = group.oldest, let newest = group.newest, newest.timeIntervalSince(oldest) > 60, group.count > 1
        {
            range = "\(Span.words(time.since(newest))) to \(Span.words(time.since(oldest)))"
        } else {
            range = group.oldest.map { "since \(time.brief($0))" } ?? ""
        }
        let address =
            query.with {
                $0.state = group.status.rawValue
                $0.reason = group.reason
            }.address
        return """
            <tr role="row" class="\(group.status.tone.rawValue)">\
            <th role="rowheader" scope="row" class="figure">\(group.count.grouped)</th>\
            <td role="cell" class="state">\(HTML.mark(group.status.mark)) \(group.status.word)</td>\
            <td role="cell"><a href="\(address)"><bdi>\(title)</bdi></a> \
            <span class="soft"><bdi>\("such as ", if: group.count > 1)\(group.example.name)</bdi></span></td>\
            <td role="cell"><bdi>\(action)</bdi></td>\
            <td role="cell"><strong>\(group.oldest.map { Span.words(time.since($0)) } ?? "")</strong> \
            <span class="soft">\(range)</span></td></tr>

            """
    }

    // MARK: - The way from page to page

    var shownRange: String {
        let first = (query.page - 1) * query.rows
        return records.isEmpty
            ? "none of \(total.grouped)"
            : "\((first + 1).grouped)–\((first + records.count).grouped) of \(total.grouped)"
    }

    var pager: HTML? {
        guard total > FrontQuery.rowCounts[0] || query.page > 1 else { return nil }
        let isLast = (query.page - 1) * query.rows + records.count >= total
        func step(_ text: HTML, _ relation: HTML, to page: Int) -> HTML {
            #" <a href="\#(query.with { $0.page = page }.address)" rel="\#(relation)">\#(text)</a>"#
        }
        return """
            <nav class="pager" aria-label="Pages" id="pager" data-live>
            <p><strong>\(shownRange)</strong>\(step("Previous", "prev", to: query.page - 1), if: query.page > 1)\
            \(step("Next", "next", to: query.page + 1), if: !isLast)</p>
            \(choices("Go to:", jumps), if: !jumps.isEmpty)
            \(choices("Order:", orders))
            \(choices("Rows:", rowCounts))
            </nav>
            """
    }

    private func choices(_ title: HTML, _ links: [HTML]) -> HTML {
        #"<p><span class="soft">\#(title)</span> \#(links.map { "\($0) " as HTML })</p>"#
    }

    private var jumps: [HTML] {
        (isLarge ? DomainStatus.allCases : []).filter { (counts[$0] ?? 0) > 0 }.map { status in
            HTML.choice(
                "\(status.word) \((counts[status] ?? 0).grouped)",
                query.with {
                    $0.state = status.rawValue
                    $0.reason = nil
                }.address, isChosen: query.state == status.rawValue)
        }
    }

    private var orders: [HTML] {
        [(SummaryFilter.Order.trouble, "trouble"), (.longest, "longest"), (.name, "name")].map { order, text in
            HTML.choice(text, query.with { $0.order = order }.address, isChosen: order == query.order)
        }
    }

    private var rowCounts: [HTML] {
        FrontQuery.rowCounts.map { count in
            HTML.choice("\(count)", query.with { $0.rows = count }.address, isChosen: count == query.rows)
        }
    }
}
