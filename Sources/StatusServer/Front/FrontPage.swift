// The overview, ready to be shown. Nothing here knows HTML; every text that may hold a stranger's words has been made
// displayable.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct FrontPage: Equatable, Sendable {
    let frame: Frame
    let headline: String
    let note: String
    /// How many open incidents nobody acknowledged; nil: none.
    let unacknowledged: String?
    /// That a silence covers everything; nil where none does.
    let nobody: String?
    let global: [Global]
    let progress: Progress?
    let tiles: [Tile]
    let tileClass: String
    let search: String
    let states: [Choice]
    let labels: [Choice]
    let hasLabels: Bool
    /// What the form keeps.
    let kept: [Kept]
    /// `12 domains, trouble first`.
    let count: String
    let clear: String?
    let reasons: [ReasonRow]
    let reasonNote: String
    let sections: [Section]
    let isEmpty: Bool
    /// The only domain; nil where there are more.
    let single: DomainView?
    let isLarge: Bool
    let pager: Pager

    struct Tile: Equatable, Sendable {
        let count: String
        let text: String
        let detail: String
        let address: String
        let mark: String
        let tone: String
        let isChosen: Bool
    }

    struct Choice: Equatable, Sendable {
        let value: String
        let text: String
        let isChosen: Bool
    }

    /// An open incident of no single domain.
    struct Global: Equatable, Sendable {
        let kind: String
        let state: String
        let id: String
        let address: String
        /// Part by part.
        let diagnosis: [String]
        /// `26 h ago`
        let since: String
        /// nil: nobody.
        let acknowledgedBy: String?

        init(_ incident: IncidentReport, _ time: ReportTime) {
            kind = incident.kind.rawValue
            state = incident.state.rawValue
            id = incident.shortID
            address = "/incidents/\(incident.id)"
            diagnosis = incident.parts.map { $0.onOneLine(upTo: 600) }
            since = Span.age(time.wall.timeIntervalSince(incident.since))
            acknowledgedBy = incident.acknowledged?.by.onOneLine(upTo: 100)
        }
    }

    struct Kept: Equatable, Sendable {
        let name: String
        let value: String
    }

    struct Section: Equatable, Sendable {
        let title: String?
        let count: String
        let note: String?
        let rows: [FrontRow]
    }

    struct Progress: Equatable, Sendable {
        let text: String
        let done: String
    }

    /// What it is made of, read at one moment.
    struct Reading: Sendable {
        var query: FrontQuery
        var counts: [DomainStatus: Int]
        var total: Int
        var records: [SummaryRecord]
        var reasons: [(group: ReasonGroup, example: SummaryRecord?)] = []
        var openIncidents = 0
        /// nil: who looks is not to know.
        var unacknowledged: Int?
        /// The channels that took a message, by incident.
        var notified: [String: [String]] = [:]
        var context = IncidentContext()
        var single: DomainView?
    }

    init(_ reading: Reading, watched: WatchIndex, basis: Frame.Basis, time: ReportTime) {
        let query = reading.query
        let counts = reading.counts
        let all = counts.values.reduce(0, +)
        func tally(_ tile: DomainStatus.Tile) -> Int { tile.statuses.reduce(0) { $0 + (counts[$1] ?? 0) } }
        let waiting = counts[.waiting] ?? 0
        headline = Self.headline(
            all: all, tally: tally, waiting: waiting, other: counts[.divergent] ?? 0 > 0 ? "another" : "an old")
        note = Self.note(reading, all: all, tally: tally)
        unacknowledged = reading.unacknowledged.flatMap { $0 > 0 ? $0.grouped : nil }
        progress =
            waiting == 0 || all == 0
            ? nil
            : Progress(
                text: "\((all - waiting).grouped) of \(all.grouped) checked",
                done: String.percent(Double(all - waiting) / Double(all) * 100))
        let worst = DomainStatus.allCases.first { (counts[$0] ?? 0) > 0 } ?? .waiting
        let troubled = DomainStatus.allCases.filter(\.needsAttention).reduce(0) { $0 + (counts[$1] ?? 0) }
        frame = Frame(
            title: (troubled > 0 ? "(\(troubled.grouped)) " : "") + headline, tone: worst.tone, section: .overview,
            json: "/api/v1/domains", basis: basis, time: time)
        nobody = reading.context.silences.everythingInWords(at: time.wall, until: time.clock)
        global = reading.context.reports(time).map { Global($0, time) }
        tiles = DomainStatus.Tile.allCases.compactMap { tile in
            if [.unknown, .unexpected].contains(tile), tally(tile) == 0 { return nil }
            return Tile(tile, count: tally(tile), counts, query)
        }
        tileClass = tiles.count > 4 ? "tiles five" : "tiles"
        search = query.search
        states = Self.states(query, counts)
        labels = Self.labels(query, watched)
        hasLabels = !labels.isEmpty
        kept = [
            ("sort", query.order == .trouble ? nil : query.order.rawValue),
            ("rows", query.rows == FrontQuery.rowCounts[0] ? nil : "\(query.rows)"),
            ("pause", query.isPaused ? "1" : nil),
        ].compactMap { name, value in value.map { Kept(name: name, value: $0) } }
        let order =
            switch query.order {
            case .trouble: "trouble first"
            case .longest: "longest first"
            case .name: "by name"
            }
        count = "\(reading.total.of("domain")), \(order)"
        clear = query.isFiltered ? query.with { $0 = FrontQuery() }.address : nil
        let isLarge = all > Self.large
        self.isLarge = isLarge
        // Groups of one say what the rows say. Beside rows that say all of each domain, only a cause that many share is worth
        // saying once more: as when Apple's CDN loses the copies of all domains, whose common incident may be a day away.
        let isSummary = reading.reasons.count * 3 <= all && reading.reasons.contains { $0.group.count > 1 }
        let groups =
            isLarge ? (isSummary ? reading.reasons : []) : reading.reasons.filter { $0.group.count >= Self.many }
        reasons = groups.map { ReasonRow($0.group, $0.example, query, time) }
        reasonNote = "\(troubled.of("domain")) \(troubled == 1 ? "needs" : "need") attention, worst first"
        sections = Self.sections(
            reading, watched, isChecked: basis.stalledSince == nil, isShort: isLarge, time)
        single = reading.single
        isEmpty = reading.records.isEmpty
        pager = Pager(query, total: reading.total, shown: reading.records.count, counts: isLarge ? counts : [:])
    }

    /// From so many domains on each takes a line, and charts sum them up.
    static let large = 50
    /// From so many domains with one cause on the page says it of all of them, too.
    static let many = 3

    private static func headline(all: Int, tally: (DomainStatus.Tile) -> Int, waiting: Int, other: String) -> String {
        guard all > 0 else { return "No domain is watched" }
        if waiting == all { return "First check in progress: 0 of \(all.of("domain")) checked" }
        let (website, old, unknown) = (tally(.website), tally(.oldFile), tally(.unknown))
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

    private static func note(_ reading: Reading, all: Int, tally: (DomainStatus.Tile) -> Int) -> String {
        guard all > 0 else { return "Add domains to monitor.yaml." }
        var parts: [String] = []
        let (website, unknown) = (tally(.website), tally(.unknown))
        if website > 0 { parts.append("\(website.grouped) \(website == 1 ? "opens" : "open") the website.") }
        let unexpected = tally(.unexpected)
        if unexpected > 0 { parts.append("\(unexpected.grouped) \(unexpected == 1 ? "is" : "are") not as expected.") }
        if unknown > 0 { parts.append("\(unknown.grouped) \(unknown == 1 ? "is" : "are") not known yet.") }
        let open = reading.openIncidents
        parts.append(
            open == 0
                ? "No incident is open." : open == 1 ? "1 incident is open" : "\(open.grouped) incidents are open")
        if open > 0 {
            parts[parts.count - 1] += reading.unacknowledged.map { $0 == 0 ? ", all acknowledged." : "," } ?? "."
        }
        return parts.joined(separator: " ")
    }

    private static func states(_ query: FrontQuery, _ counts: [DomainStatus: Int]) -> [Choice] {
        let tiles = DomainStatus.Tile.allCases.filter { tile in
            tile.statuses.contains { (counts[$0] ?? 0) > 0 } || query.state == tile.rawValue
        }
        let choices =
            tiles.map {
                Choice(value: $0.rawValue, text: $0.words(2).capitalizedFirst, isChosen: query.state == $0.rawValue)
            }
            + DomainStatus.allCases.filter { (counts[$0] ?? 0) > 0 || query.state == $0.rawValue }.map {
                Choice(
                    value: $0.rawValue, text: "\($0.word) (\((counts[$0] ?? 0).grouped))",
                    isChosen: query.state == $0.rawValue)
            }
        return choices
    }

    /// A list that nobody reads to its end is no list.
    private static let maximumLabels = 200

    private static func labels(_ query: FrontQuery, _ watched: WatchIndex) -> [Choice] {
        var choices = watched.labels.prefix(maximumLabels).map {
            Choice(
                value: $0.text, text: "\($0.text.onOneLine(upTo: 60)) (\($0.count.grouped))",
                isChosen: $0.text == query.label)
        }
        if let label = query.label, !choices.contains(where: \.isChosen) {
            choices.append(Choice(value: label, text: label.onOneLine(upTo: 60), isChosen: true))
        }
        return choices
    }

    private static func sections(
        _ reading: Reading, _ watched: WatchIndex, isChecked: Bool, isShort: Bool, _ time: ReportTime
    ) -> [Section] {
        let rows = reading.records.compactMap { record -> (DomainStatus, FrontRow)? in
            guard let info = watched[record.domain] else { return nil }
            return (
                record.status,
                FrontRow(
                    record,
                    FrontRow.Setting(
                        watched: info, isChecked: isChecked, isShort: isShort, context: reading.context,
                        notified: reading.notified, time: time))
            )
        }
        if reading.query.order == .name {
            return rows.isEmpty ? [] : [Section(title: nil, count: "", note: nil, rows: rows.map(\.1))]
        }
        var sections: [Section] = []
        var rest = rows[...]
        while let first = rest.first?.0 {
            // Trouble of all kinds stands together while each takes its own space.
            let isTrouble = first.needsAttention && !isShort
            let part = rest.prefix { isTrouble ? $0.0.needsAttention : $0.0 == first }
            rest = rest.dropFirst(part.count)
            sections.append(
                Section(
                    title: isTrouble ? nil : first.word,
                    count: isTrouble ? "" : (reading.counts[first] ?? part.count).grouped,
                    note: isShort && first.needsAttention ? first.meaning : nil, rows: part.map(\.1)))
        }
        return sections
    }
}

extension FrontPage.Tile {
    init(_ tile: DomainStatus.Tile, count: Int, _ counts: [DomainStatus: Int], _ query: FrontQuery) {
        self.count = count.grouped
        text = tile.words(count, isOfOthers: tile == .oldFile && counts[.divergent] ?? 0 > 0)
        let parts = tile.statuses.compactMap { status in
            counts[status].flatMap { $0 > 0 ? "\($0.grouped) \(status.word.lowercased())" : nil }
        }
        switch tile {
        case .website where count > 0: detail = "not the app"
        case .unexpected: detail = "what the file lacks stands in each row"
        case .current where count > 0: detail = "Apple’s copy is in sync"
        default: detail = parts.isEmpty ? "none" : parts.joined(separator: ", ")
        }
        isChosen = query.state == tile.rawValue
        let name = isChosen ? nil : tile.rawValue
        address = query.with { $0.state = name }.address
        // What fires is calm nowhere.
        let fires = tile == .unknown && counts[.unconfirmed] ?? 0 > 0
        let tone = fires ? Tone.fail : count == 0 && tile != .current ? .soft : tile.tone
        (mark, self.tone) = (fires ? DomainStatus.unconfirmed.mark : tile.mark, tone.rawValue)
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
