// The list below the decisions: the domains that are up to date, or all that match a filter.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct DomainList: Sendable {
    /// Whether it has all domains that match the filter, not only those that are up to date.
    var isOfAll = false
    var total = 0
    var records: [SummaryRecord] = []
    var pasts: [Domain: DomainPast] = [:]

    static let days = 30

    func html(_ page: FrontPage) -> HTML? {
        guard page.all > 0, total > 0 || isOfAll || page.query.page > 1 || page.query.isFiltered else { return nil }
        let rows = records.compactMap { record in page.watched[record.domain].map { row(record, $0, page) } }
        let range = shownRange(page.query)
        let isShortened = records.count < total
        let title =
            isOfAll ? "Domains" : page.frame.isChecked ? "Up to date" : "Not checked, but fine before"
        let none: HTML =
            total > 0
            ? #"The list ends before this page. <a href="\#(page.query.with { _ in }.address)">First page</a>"#
            : page.decisions.isEmpty ? "No domain matches." : "No other domain matches."
        let nothing: HTML = """
            <p class="nothing">\(none)\(page.clear.map { #" <a href="\#($0)">Show all</a>"# })</p>
            """
        return """

            <section class="decisions" id="list">\
            \(HTML.heading(title, "\(isShortened ? range : total.grouped), with the last \(Self.days) days"))
            <ul class="well">
            \(rows)</ul>
            \(nothing, if: rows.isEmpty)
            \(pager(page), if: isShortened || page.query.page > 1 || isOfAll)
            </section>
            """
    }

    private func row(_ record: SummaryRecord, _ watched: WatchedDomain, _ page: FrontPage) -> HTML {
        let frame = page.frame
        let face = DomainFace(record, isChecked: frame.isChecked)
        let isCalm = DomainStatus.Tile.current.statuses.contains(record.status)
        let version: String
        if isCalm {
            version = record.status == .direct ? watched.modeWord : record.version.map { "v\($0)" } ?? ""
        } else {
            version = [face.word, record.since.map { Span.words(frame.time.since($0)) }].compactMap(\.self)
                .joined(separator: ", ")
        }
        return """
            <li id="l-\(record.domain.name)"><span class="\(face.tone.rawValue)">\(HTML.mark(face.mark))\
            <span class="unseen">\(face.word)</span></span><span class="who">\(HTML.link(record.domain))</span>\
            \(pasts[record.domain].flatMap { HistoryBar($0, days: Self.days, time: frame.time)?.line })\
            <span class="soft">\(version)\(overdue(record, watched, frame))</span></li>

            """
    }

    private func overdue(_ record: SummaryRecord, _ watched: WatchedDomain, _ frame: Frame) -> HTML? {
        guard frame.isChecked, let last = record.lastCheckedAt,
            last < CheckSchedule.overdueBefore(frame.time.now, interval: watched.checks.interval.inSeconds)
        else { return nil }
        return #" <strong class="warn">checked \#(HTML.time(frame.time.shown(last), frame.time.age(last)))</strong>"#
    }

    // MARK: - The way from page to page

    private func shownRange(_ query: FrontQuery) -> String {
        let first = (query.page - 1) * query.rows
        return records.isEmpty
            ? "none of \(total.grouped)"
            : "\((first + 1).grouped)–\((first + records.count).grouped) of \(total.grouped)"
    }

    private func pager(_ page: FrontPage) -> HTML {
        let query = page.query
        let isLast = (query.page - 1) * query.rows + records.count >= total
        func step(_ text: HTML, _ relation: HTML, to page: Int) -> HTML {
            #" <a href="\#(query.with { $0.page = page }.address)" rel="\#(relation)">\#(text)</a>"#
        }
        let orders = [(SummaryFilter.Order.trouble, "trouble"), (.longest, "longest"), (.name, "name")].map {
            HTML.choice($1, query.with { [order = $0] in $0.order = order }.address, isChosen: $0 == query.order)
        }
        let rowCounts = FrontQuery.rowCounts.map { count in
            HTML.choice("\(count)", query.with { $0.rows = count }.address, isChosen: count == query.rows)
        }
        return """
            <nav class="pager" aria-label="Pages">
            <p><strong>\(shownRange(query))</strong>\(step("Previous", "prev", to: query.page - 1), if: query.page > 1)\
            \(step("Next", "next", to: query.page + 1), if: !isLast)</p>
            \(choices("Order:", orders))
            \(choices("Rows:", rowCounts))
            </nav>
            """
    }

    private func choices(_ title: HTML, _ links: [HTML]) -> HTML {
        #"<p><span class="soft">\#(title)</span> \#(links.map { "\($0) " as HTML })</p>"#
    }
}

extension WatchedDomain {
    var modeWord: String {
        switch mode {
        case .production: "Direct"
        case .developer: "Developer"
        case .managed: "Managed"
        case .developerManaged: "Dev, managed"
        }
    }
}
