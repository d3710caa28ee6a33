// The overview: a summary of what phones do, then what needs a decision, then the domains that are up to date.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

/// The data of the page, read at one moment, and its markup.
struct FrontPage: Sendable {
    let query: FrontQuery
    let watched: WatchIndex
    let frame: Frame
    let counts: [DomainStatus: Int]
    let context: IncidentContext
    let decisions: Decisions
    /// The records of the domains that decisions name.
    var records: [Domain: SummaryRecord] = [:]
    /// The incidents that ended in the last 24 hours, the latest first, and one more than is shown.
    var ended: [IncidentReport] = []
    /// The list below the decisions.
    var list = DomainList()
    var openIncidents = 0
    /// nil: hidden from visitors.
    var unacknowledged: Int?
    /// When the newest and the oldest open incident of a domain began.
    var began: ClosedRange<Date>?
    /// The only domain; nil if there are more.
    var single: DomainView?

    var all: Int { counts.values.reduce(0, +) }
    private var waiting: Int { counts[.waiting] ?? 0 }
    private func tally(_ tile: DomainStatus.Tile) -> Int { tile.statuses.reduce(0) { $0 + (counts[$1] ?? 0) } }

    private func words(_ tile: DomainStatus.Tile) -> String {
        let (count, others) = (tally(tile), counts[.divergent] ?? 0)
        // A file that the origin was never seen to serve is not necessarily an old one.
        let file = others == 0 ? "an old file" : "another file"
        return tile.words(count, file: file)
    }

    /// The worst part of the headline, and the rest.
    private var headline: (worst: String, rest: String) {
        guard all > 0 else { return ("", "No domain is watched") }
        if waiting == all { return ("", "First check in progress: 0 of \(all.of("domain")) checked") }
        let (website, unknown) = (tally(.website), tally(.unknown))
        func part(_ tile: DomainStatus.Tile, isFirst: Bool) -> String {
            let count = tally(tile)
            let domains = count == all && all > 1 ? "All \(all.grouped) domains" : count.of("domain")
            return "\(isFirst ? domains : count.grouped) \(words(tile))"
        }
        var parts: [String] = []
        for tile in [DomainStatus.Tile.website, .oldFile, .unexpected] where tally(tile) > 0 {
            let text = part(tile, isFirst: parts.isEmpty)
            parts.append(tile == .website ? "\(text) instead of the app" : text)
        }
        if parts.isEmpty {
            let open = all - unknown
            if open == 0 { return ("", "What phones do is not known") }
            let domains =
                unknown > 0
                ? "\(open.grouped) of \(all.of("domain"))"
                : all == 1 ? "1 domain" : "All \(all.grouped) domains"
            parts.append("\(domains) \(open == 1 && (unknown == 0 || all == 1) ? "opens" : "open") the app")
            let risk = tally(.atRisk)
            if risk > 0 { parts.append("\(risk == open ? "" : "\(risk.grouped) of them ")at risk") }
        }
        if unknown > 0 { parts.append("\(unknown.grouped) not known") }
        let text = parts.joined(separator: ", ")
        guard website > 0 else { return ("", text) }
        let worst = part(.website, isFirst: true)
        return (worst, String(text.dropFirst(worst.count)))
    }

    private var note: HTML {
        guard all > 0 else { return "Add domains to monitor.yaml." }
        guard openIncidents > 0 else { return "No incident is open." }
        let open = openIncidents.grouped
        let isOne = openIncidents == 1
        let plain: HTML = isOne ? "1 incident is open" : "\(open) incidents are open"
        let first: HTML
        switch unacknowledged {
        case nil: first = "\(plain)."
        case 0?: first = "\(plain), \(isOne ? "" : "all ")acknowledged."
        case 1? where isOne: first = #"1 incident is open, <a href="/incidents">not acknowledged</a>."#
        case let count?:
            first = """
                <a href="/incidents">\(count.grouped) of \(open) open incidents</a> \
                \(count == 1 ? "is" : "are") not acknowledged.
                """
        }
        guard let began else { return first }
        func written(_ instant: Date, _ text: String) -> HTML { HTML.time(frame.time.shown(instant), text) }
        let (oldest, newest) = (began.lowerBound, began.upperBound)
        let last = written(newest, frame.time.brief(newest))
        if oldest == newest { return "\(first) \(isOne ? "It" : "They") began at \(last)." }
        return "\(first) The newest began at \(last), the oldest \(written(oldest, frame.time.age(oldest)))."
    }

    // MARK: - Markup

    var html: HTML {
        let worst = DomainStatus.allCases.first { (counts[$0] ?? 0) > 0 } ?? .waiting
        let (most, rest) = headline
        let urgent = decisions.count(.act)
        return frame.page(
            (urgent > 0 ? "(\(urgent.grouped)) " : "") + most + rest, worst.tone, of: .overview,
            json: "/api/v1/domains",
            """
            <div class="lead" id="lead" data-live>
            <h1>\(#"<em>\#(most)</em>"#, if: !most.isEmpty)\(rest)</h1>
            <p class="soft">\(note)</p>
            \(strip)\(waiting > 0 ? progress : nil)
            </div>
            <div id="fleet" data-live>\(nobodyNotified)</div>
            <div class="sums">
            \(legend)
            \(filter)
            </div>
            <div id="decisions" data-live>\(sections)\(list.html(self))
            </div>
            \(single?.summary)
            """)
    }

    /// During the first checks.
    private var progress: HTML? {
        guard all > 0 else { return nil }
        let done = String.percent(Double(all - waiting) / Double(all) * 100)
        return """
            <div class="progress">\
            <svg role="img" aria-label="\((all - waiting).grouped) of \(all.grouped) checked" width="100%" height="8">\
            <rect class="rail" width="100%" height="8" rx="2"/>\
            <rect class="done" width="\(done)" height="8" rx="2"/></svg></div>
            """
    }

    /// Says that a silence covers everything.
    private var nobodyNotified: HTML? {
        context.silences.everythingInWords(at: frame.time.wall, until: frame.time.clock).map { words in
            """

            <p class="notice">\(HTML.mark("m-at-risk")) \(words) <a href="/silences">Silences</a></p>

            """
        }
    }

    /// What phones do, as shares of all domains.
    private var strip: HTML? {
        guard all > 0 else { return nil }
        var from = 0
        let parts = DomainStatus.Tile.allCases.filter { tally($0) > 0 }.map { tile -> HTML in
            let (x, width) = (Double(from) / Double(all) * 100, Double(tally(tile)) / Double(all) * 100)
            from += tally(tile)
            return """
                <rect class="\(tile.rawValue)" x="\(String.percent(x))" width="\(String.percent(width))" height="10"/>
                """
        }
        // The legend says the same in words.
        return #"<svg class="strip" aria-hidden="true" width="100%" height="10">\#(parts)</svg>"#
    }

    private var legend: HTML? {
        let shown = DomainStatus.Tile.allCases.filter { tally($0) > 0 || query.state == $0.rawValue }
        guard !shown.isEmpty else { return nil }
        let shares = shown.map { tile -> HTML in
            let isChosen = query.state == tile.rawValue
            let address = query.with {
                $0.state = isChosen ? nil : tile.rawValue
                $0.reason = nil
            }.address
            return """
                <li><a href="\(address)"\(#" aria-current="true""#, if: isChosen)>\
                <svg class="dot-\(tile.rawValue)" width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="5"/></svg>\
                <b>\(tally(tile).grouped)</b> \(words(tile))</a></li>
                """
        }
        return #"<ul class="shares" id="shares" data-live aria-label="What phones do">\#(shares)</ul>"#
    }

    private var filter: HTML {
        let kept = [
            ("sort", query.order == .trouble ? nil : query.order.rawValue),
            ("rows", query.rows == FrontQuery.rowCounts[0] ? nil : "\(query.rows)"),
            ("pause", query.isPaused ? "1" : nil),
        ].compactMap { name, value in value.map { HTML.hidden(name, $0) } }
        let labels = Self.labelChoices(query, watched)
        let label: HTML = """
            <select name="label" aria-label="Label"><option value="">Any label</option>\(labels)</select>
            """
        return """
            <form class="filter" method="get" action="/" role="search">
            <input type="search" name="q" value="\(query.search)" placeholder="Search domains" \
            aria-label="Search domains" autocomplete="off" maxlength="253">
            <select name="state" aria-label="State"><option value="">Any state</option>\
            \(Self.stateChoices(query, counts))</select>
            \(label, if: !labels.isEmpty)
            \(kept)
            <button type="submit">Filter</button>\(clear.map { #" <a href="\#($0)">Clear</a>"# })
            </form>
            """
    }

    var clear: String? { query.isFiltered ? query.with { $0 = FrontQuery() }.address : nil }

    private static func stateChoices(_ query: FrontQuery, _ counts: [DomainStatus: Int]) -> [HTML] {
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

    /// A longer list is of no use to a reader.
    private static let maximumLabels = 200

    private static func labelChoices(_ query: FrontQuery, _ watched: WatchIndex) -> [HTML] {
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

extension DomainStatus.Tile {
    /// Shows what phones do, whatever the cause.
    var tone: Tone {
        switch self {
        case .website, .unexpected, .oldFile: .fail
        case .atRisk: .warn
        case .unknown: .soft
        case .current: .ok
        }
    }

    /// `file`: the one that is not current.
    fileprivate func words(_ count: Int, file: String = "an old file") -> String {
        switch self {
        case .website: count == 1 ? "opens the website" : "open the website"
        case .unexpected: count == 1 ? "is not as expected" : "are not as expected"
        case .oldFile: count == 1 ? "uses \(file)" : "use \(file)"
        case .atRisk: count == 1 ? "works, at risk" : "work, at risk"
        case .unknown: "not known"
        case .current: count == 1 ? "is up to date" : "are up to date"
        }
    }
}
