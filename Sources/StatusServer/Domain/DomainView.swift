// One domain, ready to be shown.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct DomainView: Equatable, Sendable {
    let frame: Frame
    let name: String
    let labels: [PageLink]
    let status: String
    let mark: String
    let tone: String
    /// `for 31 h 12 min`.
    let long: String?
    let effect: String
    let cause: String?
    /// What to do, in the order in which it is done.
    let steps: [String]
    let hasSteps: Bool
    let outlook: String?
    let numbers: [Number]
    let squares: EdgeChart?
    let chart: PropagationChart?
    /// Whether there are two files, of which one can be told from the other.
    let comparesFiles: Bool
    let changes: ChangeList?
    let triedURL: String
    let tried: TriedURL?
    let path: String
    /// This view, where a form leads back to.
    let address: String
    let isChecking: Bool
    let keptWindow: String?
    let past: PastTimes?
    let edges: EdgeTable?
    let origin: OriginTable?
    let looked: String?
    let incidents: [IncidentStory]
    let earlier: [EarlierIncident]
    let findings: [FindingRow]
    let noFindings: Bool
    let silences: [SilenceRow]
    let evidence: [EvidencePart]
    let report: AppleReport?
    let history: HistoryBar?
    let originURL: String
    let cdnURL: String?
    let jsonURL: String
    let phones: [OriginTable.Fact]
    /// Who follows the next change when.
    let nextChange: [OriginTable.Fact]

    struct Number: Equatable, Sendable {
        let name: String
        let value: String
        let detail: String
        let tone: String
        let hasSquares: Bool
    }

    struct FindingRow: Equatable, Sendable {
        let rule: String
        let severity: String
        let mark: String
        let tone: String
        let message: String
        let fix: String
        let reference: String
        let evidence: [OriginTable.Fact]
        let id: String
    }

    struct SilenceRow: Equatable, Sendable {
        let id: String
        let scope: String
        let until: String
        let author: String
        let reason: String
    }

    /// What it is made of, read at one moment.
    struct Reading: Sendable {
        var query: DomainQuery
        var watched: WatchedDomain
        var record: SummaryRecord
        var state: DomainState?
        var full: Observation?
        var propagation: PropagationRecord
        var incidents: [IncidentReport] = []
        /// The channels that took a message, by incident.
        var notified: [String: [String]] = [:]
        /// By incident.
        var deliveries: [String: [DeliveryReport]] = [:]
        var silences: [SilenceReport] = []
        var isChecking = false
        var past = DomainPast.empty
    }

    init(_ reading: Reading, cdnBaseURL: String, basis: Frame.Basis, time: ReportTime) {
        let (watched, record, state) = (reading.watched, reading.record, reading.state)
        let domain = watched.domain
        let verdict = state?.verdict
        let text = verdict?.text(at: time.wall)
        name = domain.name
        path = "/domains/\(domain.name)"
        address = reading.query.address(path)
        isChecking = reading.isChecking
        let isChecked = basis.stalledSince == nil
        let face = DomainFace(record, isChecked: isChecked)
        frame = Frame(
            title: "\(domain.name): \(face.word)", tone: face.tone, section: .overview,
            json: "/api/v1/domains/\(domain.name)", basis: basis, time: time)
        labels = watched.labels.sorted { $0.key < $1.key }.map { key, value in
            var query = FrontQuery()
            query.label = "\(key)=\(value)"
            return PageLink(
                text: "\(key)=\(value)".onOneLine(upTo: 80), address: query.address, isChosen: false)
        }
        status = record.status == .direct && isChecked ? watched.modeWord + " mode" : face.word
        (mark, tone) = (face.mark, face.tone.rawValue)
        let staleAfter = watched.checks.staleAfter.inSeconds
        let lasting = TroubleDuration(record, staleAfter: watched.checks.staleAfter, isShort: false, time)
        long =
            record.status.needsAttention ? lasting.long.map { lasting.of == "left" ? "\($0) left" : "for \($0)" } : nil
        effect = text?.effect ?? "The first check has not ended yet."
        (cause, outlook) = (text?.cause, text?.outlook)
        steps = text?.action?.sentences ?? []
        hasSteps = steps.count > 1
        squares = record.summary?.edges.flatMap(EdgeChart.init)
        numbers = Self.numbers(record, face, state, lasting, staleAfter: staleAfter, time)

        let lag = record.summary?.changedAt.map(time.since)
        let past = record.summary?.propagations ?? []
        let names = (reading.full?.full?.edges ?? []).map { (address: $0.address, name: $0.shortName ?? "") }
        let known = reading.propagation.places.keys.compactMap { place -> (address: String, name: String)? in
            if case .edge(let address) = place { (address: address, name: "") } else { nil }
        }
        let scope = ChartScope(
            record: reading.propagation, edges: names.isEmpty ? known.sorted { $0.address < $1.address } : names,
            changedAt: record.summary?.changedAt, usual: UsualPropagation(past), staleAfter: staleAfter,
            window: reading.query.window, time: time)
        chart = PropagationChart(scope, query: reading.query, path: path)
        let reader = reading.full.map { PlaceReader($0, scope) }
        comparesFiles = verdict.map { $0.comparison.state.isOfTwoFiles } ?? false
        changes = verdict.flatMap {
            ChangeList(ComparisonReport($0.comparison, at: time.now, time: time), of: domain.name, reader: reader)
        }
        triedURL = reading.query.url.onOneLine(upTo: 2000)
        tried =
            reading.query.url.isEmpty
            ? nil
            : TriedURL(
                reading.query.url, domain: domain, mode: watched.mode, sources: reader?.sources ?? [],
                linksWork: verdict?.diagnosis.effect.linksWork ?? false)
        keptWindow = reading.query.window.map { "\(Int($0))" }
        self.past = PastTimes(past, lag: lag, staleAfter: staleAfter)
        edges = reader?.edges
        origin = reader?.origin
        looked = reading.full.map { time.age($0.checkedAt) }
        let open = reading.incidents.filter { $0.state != .resolved }
        incidents = open.map { IncidentStory($0, deliveries: reading.deliveries[$0.id] ?? [], time: time) }
        earlier = reading.incidents.filter { $0.state == .resolved }.prefix(EarlierIncident.mostShown).map {
            EarlierIncident($0, notified: reading.notified[$0.id] ?? [], time: time)
        }
        let counted = (verdict?.findings ?? []).enumerated().map {
            FindingRow($0.element.text(at: time.wall), $0.offset)
        }
        findings =
            counted
            + (verdict?.ignored ?? []).enumerated().map {
                FindingRow($0.element.text(at: time.wall), counted.count + $0.offset)
            }
        noFindings = verdict != nil && findings.isEmpty
        silences = reading.silences.map { SilenceRow($0, time) }
        evidence = reading.full.map(EvidencePart.all) ?? []
        report = AppleReport(
            reading.full, status: record.status, text: text, changedAt: record.summary?.changedAt,
            version: basis.version, domain: domain, time: time)
        history = HistoryBar(reading.past, time: time)
        originURL = domain.wellKnownURL
        let isWeb = cdnBaseURL.hasPrefix("https://") || cdnBaseURL.hasPrefix("http://")
        cdnURL =
            isWeb && watched.mode.readsCDN ? cdnBaseURL + (cdnBaseURL.hasSuffix("/") ? "" : "/") + domain.name : nil
        jsonURL = "/api/v1/domains/\(domain.name)"
        phones = Self.phones(watched)
        let took = past.last.map { "Took \(Span.words(TimeInterval($0))) last time; Apple" } ?? "Apple"
        nextChange =
            (watched.mode.readsCDN
                ? [
                    .init(
                        name: "Apple’s CDN",
                        text:
                            "\(took) says up to 24 h. An alert is due if it takes longer than \(Span.words(staleAfter))."
                    )
                ] : []) + phones
    }

    /// Who follows a change when.
    private static func phones(_ watched: WatchedDomain) -> [OriginTable.Fact] {
        guard watched.mode.readsCDN else {
            return [.init(name: "New install", text: "Reads the origin when the app is installed.")]
        }
        return [
            .init(name: "New install, update", text: "At once, with the file of the edge that the phone asks."),
            .init(name: "Installed app", text: "Within a week after its edge has the file."),
            .init(name: "iOS before 14", text: "Reads the origin."),
        ]
    }
}

extension DomainView.FindingRow {
    init(_ text: FindingText, _ index: Int) {
        rule = text.rule.rawValue.onOneLine(upTo: 100)
        severity = text.severity.rawValue
        switch text.severity {
        case .error: (mark, tone) = (DomainStatus.missing.mark, "fail")
        case .warning: (mark, tone) = (DomainStatus.atRisk.mark, "warn")
        case .note: (mark, tone) = (DomainStatus.unknown.mark, "soft")
        }
        message = text.message.onOneLine(upTo: 1000)
        fix = text.fix.onOneLine(upTo: 1000)
        reference = text.reference
        evidence = text.evidence.sorted { $0.key < $1.key }.map {
            OriginTable.Fact(name: $0.key.onOneLine(upTo: 100), text: $0.value.onOneLine(upTo: 2000))
        }
        id = "f-\(index)"
    }
}

extension DomainView.FindingRow {
    init(_ ignored: IgnoredFindingText, _ index: Int) {
        let row = Self(ignored.text, index)
        self.init(
            rule: row.rule, severity: "ignored", mark: DomainStatus.unknown.mark, tone: "soft", message: row.message,
            fix: "Nothing. Ignored: \(ignored.why)".onOneLine(upTo: 600), reference: row.reference,
            evidence: row.evidence, id: row.id)
    }
}

extension DomainView.SilenceRow {
    init(_ silence: SilenceReport, _ time: ReportTime) {
        id = "\(silence.id)"
        scope = silence.scope.onOneLine(upTo: 200)
        let begins = silence.startsAt > time.wall ? "from \(time.clock(silence.startsAt)) " : ""
        until = "\(begins)until \(time.clock(silence.endsAt))"
        author = silence.author.onOneLine(upTo: 100)
        reason = silence.reason.onOneLine(upTo: 300)
    }
}

extension DomainView {
    /// The five numbers of a domain.
    private static func numbers(
        _ record: SummaryRecord, _ face: DomainFace, _ state: DomainState?, _ lasting: TroubleDuration,
        staleAfter: TimeInterval, _ time: ReportTime
    ) -> [Number] {
        let summary = record.summary
        let tone = face.tone.rawValue
        let past = summary?.propagations ?? []
        let usual = UsualPropagation(past)
        func number(_ name: String, _ value: String, _ detail: String, _ tone: String = "ink", squares: Bool = false)
            -> Number
        {
            Number(name: name, value: value, detail: detail, tone: tone, hasSquares: squares)
        }
        var all: [Number] = []
        if let changedAt = summary?.changedAt {
            all.append(
                number(
                    "Behind for", Span.words(time.since(changedAt)),
                    "since \(time.brief(changedAt)) · limit \(Span.words(staleAfter))", tone))
        } else if record.status.needsAttention {
            all.append(
                number(
                    lasting.of == "left"
                        ? "Left"
                        : record.status == .missing && summary?.hasNoCopy == true
                            ? "Without a copy for" : "\(face.word) for",
                    lasting.long ?? "–", lasting.until ?? record.since.map { "since \(time.brief($0))" } ?? "", tone))
        } else if let since = record.since, record.status == .inSync || record.status == .direct {
            all.append(
                number(
                    "\(record.status == .direct ? "Fine" : "In sync") for", Span.words(time.since(since)),
                    "since \(time.brief(since))"))
        } else {
            all.append(number("State", face.word, ""))
        }
        let edges = summary?.edges
        let version = record.version.map { "v\($0)" }
        all.append(
            number(
                "Edges with the current file",
                edges.map { "\($0.inSync) of \($0.asked)" } ?? (summary?.comparison == .inSync ? "yes" : "–"),
                edges == nil ? version ?? "" : "", squares: edges != nil))
        if let usual {
            all.append(
                number(
                    "Usual propagation time", Span.words(TimeInterval(usual.median)),
                    "9 in 10 within \(Span.words(TimeInterval(usual.percentile90))), \(past.count.of("change"))"))
        } else {
            all.append(
                number(
                    past.isEmpty ? "Usual propagation time" : "Last change took",
                    past.last.map { Span.words(TimeInterval($0)) } ?? "not known",
                    "\(past.isEmpty ? "no change" : past.count.of("change")) so far; limit \(Span.words(staleAfter))"))
        }
        if let changedAt = summary?.changedAt {
            let estimate = Estimate(lag: time.since(changedAt), past: past)
            let words = estimate.until(changedAt: changedAt, staleAfter: staleAfter, time)
            if let usual, estimate.lag < TimeInterval(usual.percentile90) {
                let isEarly = estimate.lag < TimeInterval(usual.median)
                let expected = changedAt + TimeInterval(isEarly ? usual.median : usual.percentile90)
                all.append(
                    number(
                        "Expected", time.brief(expected),
                        isEarly
                            ? "9 in 10 by \(time.brief(changedAt + TimeInterval(usual.percentile90)))"
                            : "9 in 10 changes arrive by then"))
            } else {
                let longest = past.max().map { "; longest took \(Span.words(TimeInterval($0)))" } ?? ""
                all.append(number("Expected", "No estimate", words + longest))
            }
        } else if let end = summary?.certificateEnd {
            all.append(
                number(
                    "Certificate", "\(max(0, Int(end.timeIntervalSince(time.wall) / 86400)).of("day"))",
                    "ends on \(time.clock(end))", "warn"))
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
        return all
    }
}

extension Comparison.State {
    /// Whether both places have a file.
    fileprivate var isOfTwoFiles: Bool {
        switch self {
        case .inSync, .propagating, .stale, .divergent, .mixed: true
        case .missing, .originUnavailable, .cdnUnavailable, .notCompared: false
        }
    }
}

/// What changes between Apple's copy and the origin's file.
struct ChangeList: Equatable, Sendable {
    let note: String
    let before: String
    let after: String
    let behaviour: [Behaviour]
    let changes: [Line]
    let more: String?

    /// A kind of URL that does something else, by an example.
    struct Behaviour: Equatable, Sendable {
        let url: String
        let now: String
        let then: String
        let address: String
    }

    struct Line: Equatable, Sendable {
        let sign: String
        let word: String
        let text: String
    }

    private static let maximum = 24

    /// nil where nothing differs.
    init?(_ comparison: ComparisonReport, of domain: String, reader: PlaceReader?) {
        guard !comparison.changes.isEmpty || !comparison.behaviour.isEmpty else { return nil }
        let origin = reader.flatMap { $0.version(of: $0.full.origin) }
        let copies = (reader?.full.full?.edges.map(\.retrieval) ?? []) + [reader?.full.cdn.retrieval].compactMap(\.self)
        let copy = reader.flatMap { reader in copies.lazy.compactMap(reader.version).first { $0 != origin } }
        before = copy.map { "Phones now, \($0)" } ?? "Phones now"
        after = origin.map { "With \($0)" } ?? "With the origin’s file"
        note =
            "from Apple’s copy\(copy.map { " (\($0))" } ?? "") to the origin’s file\(origin.map { " (\($0))" } ?? "")"
        behaviour = comparison.behaviour.prefix(Self.maximum).map { difference in
            func words(_ behaviour: LinkBehaviour) -> String {
                switch behaviour {
                case .opens: "opens \(difference.appID.onOneLine(upTo: 80))"
                case .blocked: "opens the website (excluded)"
                case .notMatched: "opens the website"
                }
            }
            var query = DomainQuery()
            query.url = difference.example
            return Behaviour(
                url: difference.example.onOneLine(upTo: 200), now: words(difference.from), then: words(difference.to),
                address: query.address("/domains/\(domain)") + "#try")
        }
        changes = comparison.changes.prefix(Self.maximum).map { change in
            let sign: (String, String) =
                switch change.kind {
                case .added: ("+", "added")
                case .removed: ("−", "removed")
                case .changed: ("~", "changed")
                case .moved: ("↕", "moved")
                }
            return Line(sign: sign.0, word: sign.1, text: change.summary.onOneLine(upTo: 300))
        }
        more = comparison.differences.more(after: Self.maximum)
    }
}
