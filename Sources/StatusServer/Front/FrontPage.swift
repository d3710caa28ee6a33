// The overview: what phones do, in sum, then what needs a decision, then the domains.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

/// What it is made of, read at one moment, and its markup.
struct FrontPage: Sendable {
    let query: FrontQuery
    let watched: WatchIndex
    let frame: Frame
    var counts: [DomainStatus: Int]
    var total: Int
    var records: [SummaryRecord]
    var reasons: [(group: ReasonGroup, example: SummaryRecord?)] = []
    var openIncidents = 0
    /// nil: who looks is not to know.
    var unacknowledged: Int?
    var context = IncidentContext()
    /// The only domain; nil where there are more.
    var single: DomainView?

    var all: Int { counts.values.reduce(0, +) }
    var troubled: Int { DomainStatus.allCases.filter(\.needsAttention).reduce(0) { $0 + (counts[$1] ?? 0) } }
    private var waiting: Int { counts[.waiting] ?? 0 }
    private func tally(_ tile: DomainStatus.Tile) -> Int { tile.statuses.reduce(0) { $0 + (counts[$1] ?? 0) } }
    var isLarge: Bool { all > Self.large }

    /// From so many domains on each takes a line, and charts sum them up.
    static let large = 50
    /// From so many domains with one cause on the page says it of all of them, too.
    static let many = 3

    private var headline: String {
        guard all > 0 else { return "No domain is watched" }
        if waiting == all { return "First check in progress: 0 of \(all.of("domain")) checked" }
        let (website, old, unknown) = (tally(.website), tally(.oldFile), tally(.unknown))
        let other = counts[.divergent] ?? 0 > 0 ? "another" : "an old"
        // Of a file that is not as expected nobody knows here whether it opens the app.
        let open = all - website - unknown - tally(.unexpected)
        let tail =
            old == 0
            ? "" : old == open && all == 1 ? ", with \(other) file" : ", \(old.grouped) of them with \(other) file"
        if open == all {
            return all == 1 ? "1 domain opens the app\(tail)" : "All \(all.grouped) domains open the app\(tail)"
        }
        return "\(open.grouped) of \(all.of("domain")) \(open == 1 ? "opens" : "open") the app\(tail)"
    }

    private var note: String {
        guard all > 0 else { return "Add domains to monitor.yaml." }
        var parts: [String] = []
        let (website, unknown) = (tally(.website), tally(.unknown))
        if website > 0 { parts.append("\(website.grouped) \(website == 1 ? "opens" : "open") the website.") }
        let unexpected = tally(.unexpected)
        if unexpected > 0 { parts.append("\(unexpected.grouped) \(unexpected == 1 ? "is" : "are") not as expected.") }
        if unknown > 0 { parts.append("\(unknown.grouped) \(unknown == 1 ? "is" : "are") not known yet.") }
        let open = openIncidents
        parts.append(
            open == 0
                ? "No incident is open." : open == 1 ? "1 incident is open" : "\(open.grouped) incidents are open")
        if open > 0 {
            parts[parts.count - 1] += unacknowledged.map { $0 == 0 ? ", all acknowledged." : "," } ?? "."
        }
        return parts.joined(separator: " ")
    }

    // MARK: - Markup

    var html: HTML {
        let worst = DomainStatus.allCases.first { (counts[$0] ?? 0) > 0 } ?? .waiting
        return frame.page(
            (troubled > 0 ? "(\(troubled.grouped)) " : "") + headline, worst.tone, of: .overview,
            json: "/api/v1/domains",
            """
            <div class="lead" id="lead" data-live>
            <div>
            <h1>\(headline)</h1>
            <p class="soft">\(note)\(unacknowledgedLink)</p>
            </div>
            </div>
            \(progress)
            <div id="fleet" data-live>\(nobodyNotified)\(context.reports(frame.time).map(notice))</div>
            \(tiles)
            \(filter)
            \(byReason)\
            \(domains)
            \(single?.summary)
            \(pager)
            """)
    }

    /// How many open incidents nobody acknowledged.
    private var unacknowledgedLink: HTML? {
        guard let unacknowledged, unacknowledged > 0 else { return nil }
        return #" <a href="/incidents">\#(unacknowledged.grouped) not acknowledged</a>."#
    }

    private var progress: HTML? {
        guard waiting > 0, all > 0 else { return nil }
        let done = String.percent(Double(all - waiting) / Double(all) * 100)
        return """
            <div class="progress" id="progress" data-live>\
            <svg role="img" aria-label="\((all - waiting).grouped) of \(all.grouped) checked" width="100%" height="8">\
            <rect class="rail" width="100%" height="8" rx="2"/>\
            <rect class="done" width="\(done)" height="8" rx="2"/></svg></div>
            """
    }

    /// That a silence covers everything.
    private var nobodyNotified: HTML? {
        context.silences.everythingInWords(at: frame.time.wall, until: frame.time.clock).map { words in
            """

            <p class="notice">\(HTML.mark("m-at-risk")) \(words) <a href="/silences">Silences</a></p>

            """
        }
    }

    /// An open incident of no single domain.
    private func notice(_ incident: IncidentReport) -> HTML {
        let began = Span.age(frame.time.wall.timeIntervalSince(incident.since))
        let parts = incident.parts.map { "<bdi>\($0.onOneLine(upTo: 600))</bdi> " as HTML }
        let link: HTML = #"<a href="/incidents/\#(incident.id)">Incident \#(incident.shortID)</a>"#
        let by = incident.acknowledged.map { ", acknowledged by <bdi>\($0.by.onOneLine(upTo: 100))</bdi>" as HTML }
        return """

            <p class="notice">\(HTML.mark("m-at-risk")) <strong>\(incident.kind.rawValue)</strong> \
            \(incident.state.rawValue), began \(began): \(parts)\(link, if: !frame.isPublic)\(by)</p>

            """
    }

    private var tiles: HTML {
        let shown = DomainStatus.Tile.allCases.filter { ![.unknown, .unexpected].contains($0) || tally($0) > 0 }
        return """
            <ul class="tiles\(" five", if: shown.count > 4)" id="tiles" data-live aria-label="What phones do">\
            \(shown.map(tile))</ul>
            """
    }

    private var filter: HTML {
        let kept = [
            ("sort", query.order == .trouble ? nil : query.order.rawValue),
            ("rows", query.rows == FrontQuery.rowCounts[0] ? nil : "\(query.rows)"),
            ("pause", query.isPaused ? "1" : nil),
        ].compactMap { name, value in value.map { HTML.hidden(name, $0) } }
        let order =
            switch query.order {
            case .trouble: "trouble first"
            case .longest: "longest first"
            case .name: "by name"
            }
        let labels = Self.labels(query, watched)
        let label: HTML = """
            <select name="label" aria-label="Label"><option value="">Any label</option>\(labels)</select>
            """
        return """
            <form class="filter" method="get" action="/" role="search">
            <input type="search" name="q" value="\(query.search)" placeholder="Search domains" \
            aria-label="Search domains" autocomplete="off" maxlength="253">
            <select name="state" aria-label="State"><option value="">Any state</option>\
            \(Self.states(query, counts))</select>
            \(label, if: !labels.isEmpty)
            \(kept)
            <button type="submit">Filter</button>\(clear.map { #" <a href="\#($0)">Clear</a>"# })
            <p id="count" data-live>\(total.of("domain")), \(order)</p>
            </form>
            """
    }

    private var clear: String? { query.isFiltered ? query.with { $0 = FrontQuery() }.address : nil }

    private static let columns: [HTML] = [
        "State", "Domain", "What phones do, why, what to do", "Apple’s edges", "How long, until when", "Checked",
    ]

    private var domains: HTML {
        let range: HTML = """
            <div class="heading all"><h2>Domains</h2> <span class="soft">\(shownRange)</span></div>

            """
        let nothing: HTML = """
            <p class="nothing">No domain fits.\(clear.map { #" <a href="\#($0)">Show all</a>"# })</p>
            """
        return """
            <div id="rows" data-live>
            \(range, if: isLarge)<table role="table" class="list domains">
            <caption class="unseen">Watched domains</caption>
            \(HTML.columnHeads(Self.columns))
            \(sections)</table>
            \(nothing, if: records.isEmpty)
            </div>
            """
    }

    private var sections: [HTML] {
        let rows = records.compactMap { record in
            watched[record.domain].map {
                FrontRow(record: record, watched: $0, frame: frame, isShort: isLarge, context: context)
            }
        }
        if query.order == .name {
            return rows.isEmpty ? [] : [section(rows[...])]
        }
        var sections: [HTML] = []
        var rest = rows[...]
        while let first = rest.first?.record.status {
            // Trouble of all kinds stands together while each takes its own space.
            let isTrouble = first.needsAttention && !isLarge
            let part = rest.prefix { isTrouble ? $0.record.status.needsAttention : $0.record.status == first }
            rest = rest.dropFirst(part.count)
            sections.append(section(part, isTrouble ? nil : first))
        }
        return sections
    }

    /// `status`: of all its rows, as its title; nil: it has none.
    private func section(_ rows: ArraySlice<FrontRow>, _ status: DomainStatus? = nil) -> HTML {
        let title = status.map { status -> HTML in
            let count = (counts[status] ?? rows.count).grouped
            return """
                <tr role="row" class="section"><th role="rowheader" scope="rowgroup" colspan="6"><b>\(status.word)</b> \
                \(count)\(" · \(status.meaning)", if: isLarge && status.needsAttention)</th></tr>

                """
        }
        return """
            <tbody role="rowgroup">
            \(title)\(rows.map(\.html))</tbody>

            """
    }

    private static func states(_ query: FrontQuery, _ counts: [DomainStatus: Int]) -> [HTML] {
        let tiles = DomainStatus.Tile.allCases.filter { tile in
            tile.statuses.contains { (counts[$0] ?? 0) > 0 } || query.state == tile.rawValue
        }
        let choices =
            tiles.map {
                HTML.option($0.rawValue, $0.words(2).atStart, isChosen: query.state == $0.rawValue)
            }
            + DomainStatus.allCases.filter { (counts[$0] ?? 0) > 0 || query.state == $0.rawValue }.map {
                HTML.option(
                    $0.rawValue, "\($0.word) (\((counts[$0] ?? 0).grouped))", isChosen: query.state == $0.rawValue)
            }
        return choices
    }

    /// A list that nobody reads to its end is no list.
    private static let maximumLabels = 200

    private static func labels(_ query: FrontQuery, _ watched: WatchIndex) -> [HTML] {
        let known = watched.labels.prefix(maximumLabels)
        var choices = known.map {
            HTML.option(
                $0.text, "\($0.text.onOneLine(upTo: 60)) (\($0.count.grouped))", isChosen: $0.text == query.label)
        }
        if let label = query.label, !known.contains(where: { $0.text == label }) {
            choices.append(HTML.option(label, label.onOneLine(upTo: 60), isChosen: true))
        }
        return choices
    }
}

extension FrontPage {
    private func tile(_ tile: DomainStatus.Tile) -> HTML {
        let count = tally(tile)
        let parts = tile.statuses.compactMap { status in
            counts[status].flatMap { $0 > 0 ? "\($0.grouped) \(status.word.lowercased())" : nil }
        }
        let detail =
            switch tile {
            case .website where count > 0: "not the app"
            case .unexpected: "what the file lacks stands in each row"
            case .current where count > 0: "Apple’s copy is in sync"
            default: parts.isEmpty ? "none" : parts.joined(separator: ", ")
            }
        let isChosen = query.state == tile.rawValue
        let address = query.with { $0.state = isChosen ? nil : tile.rawValue }.address
        // What fires is calm nowhere.
        let fires = tile == .unknown && counts[.unconfirmed] ?? 0 > 0
        let tone = fires ? Tone.fail : count == 0 && tile != .current ? .soft : tile.tone
        let words = tile.words(count, isOfOthers: tile == .oldFile && counts[.divergent] ?? 0 > 0)
        return """
            <li><a href="\(address)" class="\(tone.rawValue)"\(#" aria-current="true""#, if: isChosen)>\
            <span class="figure">\(HTML.mark(fires ? DomainStatus.unconfirmed.mark : tile.mark)) \
            <b>\(count.grouped)</b> <span>\(words)</span></span><span class="fine">\(detail)</span></a></li>
            """
    }
}

extension DomainStatus.Tile {
    /// `isOfOthers`: some follow a file that the origin was never seen to serve, which need not be an old one.
    fileprivate func words(_ count: Int, isOfOthers: Bool = false) -> String {
        switch self {
        case .website: count == 1 ? "opens the website" : "open the website"
        case .unexpected: count == 1 ? "is not as expected" : "are not as expected"
        case .oldFile where isOfOthers: count == 1 ? "follows another file" : "follow another file"
        case .oldFile: count == 1 ? "follows an old file" : "follow an old file"
        case .atRisk: count == 1 ? "works, but at risk" : "work, but at risk"
        case .unknown: "not known"
        case .current: count == 1 ? "follows the current file" : "follow the current file"
        }
    }

    fileprivate var mark: String {
        switch self {
        case .website: DomainStatus.missing.mark
        case .unexpected: DomainStatus.expectationFailed.mark
        case .oldFile: DomainStatus.stale.mark
        case .atRisk: DomainStatus.atRisk.mark
        case .unknown: DomainStatus.unknown.mark
        case .current: DomainStatus.inSync.mark
        }
    }

    fileprivate var tone: Tone {
        switch self {
        case .website, .unexpected, .oldFile: .fail
        case .atRisk: .warn
        case .unknown: .soft
        case .current: .ok
        }
    }
}

extension DomainStatus {
    /// What phones do, in a few words.
    var meaning: String {
        switch self {
        case .missing: "links open the website, not the app"
        case .expectationFailed: "phones use a file that does not meet your expectations"
        case .stale: "phones follow an old file for longer than allowed"
        case .divergent: "phones follow a file that the origin does not serve"
        case .unconfirmed: "what phones do is not known, and an incident fires"
        case .originFailing: "links work from Apple’s copy; the origin fails"
        case .atRisk: "links work; act before they stop"
        case .propagating: "phones follow the old file; this is normal after a change"
        case .unknown: "what phones do is not known"
        case .waiting: "not checked yet"
        case .direct: "phones in that mode read the origin"
        case .inSync: "phones follow the current file"
        }
    }
}
