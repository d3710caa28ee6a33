import ArgumentParser
import Evidence
import Foundation
import Monitoring
import Report
import StatusServer
import Storage

/// `aasa-monitor status`: the state of the watched domains, from the daemon's store.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the watched domains, trouble first.",
        discussion: """
            Reads the store, or asks the daemon at --url, and sends no other request. To check a site now, use `check`.

            Exit codes: 1 if a domain is failing or no daemon is checking, 64 if a domain is not watched. With \
            --format nagios those of monitoring plugins: 0 OK, 1 warning, 2 critical, 3 unknown.
            """)

    @Option(.text, .json, .nagios, notes: [.nagios: "plugin output"]) var format: OutputFormat
    @Flag(help: "Show only the domains that fail or have a confirmed incident.") var failing = false
    @Option(
        help: ArgumentHelp("Only domains with this label; several labels must all match.", valueName: "name=value"),
        transform: LabelFilter.init)
    var label: [LabelFilter] = []
    @Flag(help: "One line per domain.") var short = false
    @Flag(help: "Refresh every two seconds, until Ctrl-C.") var watch = false
    @OptionGroup var color: ColorOption
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions
    @Argument(help: "Domains (default: all).", completion: .domains) var domains: [String] = []

    /// Between two refreshes of `--watch`.
    private static let pause: Duration = .seconds(2)

    func validate() throws {
        if watch, format == .nagios { throw ValidationError("--watch cannot be combined with --format nagios") }
    }

    func run() async throws {
        do {
            try await show()
        } catch let failure as CommandFailure where format == .nagios {
            // A plugin prints the reason for UNKNOWN on standard output.
            Console.print(PluginOutput.unknown(failure.message))
            throw ExitCode(Verdict.Level.unknown.pluginCode)
        }
    }

    private func show() async throws {
        let named = domains.isEmpty ? [] : try Targets.read(domains).map(\.domain)
        var isBad = false
        if watch { Console.endWithReader() }
        repeat {
            let now = Date()
            let (overview, details) = try await remote.ask(store, .reader, now: now) { api in
                let asked = try await read(named, api)
                let all = named.isEmpty ? try await reports(api) : asked.map(\.base)
                let counting = all.filter { row in label.allSatisfy { row.labels[$0.name] == $0.value } }
                if counting.isEmpty, !all.isEmpty {
                    let labels = label.map { "\($0.name)=\($0.value)".displayable.shortened(to: 80) }
                    throw CommandFailure(.usage, "no domain has the label \(labels.joined(separator: " and "))")
                }
                let overview = Overview(try await api.status(), counting, wall: now)
                    .showing { !failing || $0.isTrouble }
                guard format == .json else { return (overview, [DomainDetail]()) }
                let shown = Set(overview.domains.map(\.domain))
                guard named.isEmpty else { return (overview, asked.filter { shown.contains($0.domain) }) }
                return (overview, try await read(shown.map { try Domain($0) }, api))
            }
            isBad =
                overview.monitor.state != .checking || overview.monitor.incidents.contains { $0.state == .firing }
                || overview.domains.contains(where: \.isTrouble)
            try show(overview, details, now)
            if watch { try await Task.sleep(for: Self.pause) }
        } while watch
        if isBad { throw MonitorExit.found.code }
    }

    /// The details of these domains, sorted by name.
    private func read(_ domains: [Domain], _ api: any MonitorAPI) async throws -> [DomainDetail] {
        var details: [DomainDetail] = []
        var missing: [String] = []
        for domain in Set(domains).sorted(by: { $0.name < $1.name }) {
            do {
                details.append(try await api.domain(domain))
            } catch let refusal as APIRefusal where refusal.reason == .notFound {
                missing.append(domain.name)
            }
        }
        guard missing.isEmpty else {
            throw CommandFailure(
                .usage, "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") not watched here")
        }
        return details
    }

    /// The reports of all domains.
    private func reports(_ api: any MonitorAPI) async throws -> [DomainReport] {
        var reports: [DomainReport] = []
        var filter = SummaryFilter()
        while true {
            let page = try await api.domains(filter, limit: 500)
            reports += page.domains
            guard let next = page.next else { return reports }
            filter.after = next
        }
    }

    private func show(_ overview: Overview, _ details: [DomainDetail], _ now: Date) throws {
        let isTerminal = TerminalSize.standardOutput != nil
        // Moves the cursor to the top and clears the rest, without flicker.
        let start = watch && isTerminal ? "\u{1B}[H\u{1B}[J" : ""
        let warning = overview.monitor.warning(now: now)
        switch format {
        case .json:
            Console.print(start + (try ReportJSON.text(details)))
            warning.first.map(Console.remark)
        case .nagios:
            let plugin = PluginOutput(overview, now: now)
            Console.print(plugin.text)
            throw ExitCode(plugin.status.pluginCode)
        default:
            Console.print(start + StatusText(overview, isShort: short, style: .standardOutput, now: now).text)
        }
    }
}

/// `--label team=growth`.
struct LabelFilter: Equatable, Sendable {
    let name: String
    let value: String

    init(_ text: String) throws {
        guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
            throw ValidationError("it takes NAME=VALUE, such as team=growth")
        }
        name = String(text[..<sign])
        value = String(text[text.index(after: sign)...])
    }
}

extension MonitorStatus {
    /// That no daemon checks, in lines; none if one does.
    func warning(now: Date) -> [String] {
        let last = since.map { "\(Span.minute($0)) UTC (\(Span.age(now.timeIntervalSince($0))))" }
        return switch state {
        case .checking: []
        case .stopped:
            [
                "No daemon runs: no checks and no alerts"
                    + (last.map { " since \($0)" } ?? ", and none has ever run here"),
                "Start it with `systemctl start aasa-monitor` or `aasa-monitor run`; its log says why it ended.",
            ]
        case .notReady:
            [
                "The daemon is not ready: \(reason ?? "")",
                "See its log, such as `journalctl -u aasa-monitor`.",
            ]
        case .stalled:
            [
                "The daemon runs but does not check: the last check ended \(last ?? "")",
                "See its log, such as `journalctl -u aasa-monitor`, and restart it.",
            ]
        }
    }
}

extension DomainReport {
    /// Its diagnosis, part by part.
    var told: [String] { parts.isEmpty ? ["The first check has not ended yet."] : parts }

    /// What phones do, in a word or two.
    var word: String { state?.word(comparison?.state) ?? DomainStatus.waiting.word }

    fileprivate var sign: TextStyle.Sign { TextStyle.Sign(verdict, state) }
}

/// The overview in a terminal: domains that need attention in full, the others in one line each.
struct StatusText {
    private(set) var text = ""

    /// Domains of one paragraph that are listed.
    private static let mostListed = 20
    private let style: TextStyle
    private let now: Date

    init(_ overview: Overview, isShort: Bool = false, style: TextStyle, now: Date) {
        (self.style, self.now) = (style, now)
        let fault = overview.monitor.warning(now: now)
        var lines = fault.isEmpty ? [style.bold(overview.headline)] : [style.bold(fault[0])] + fault.dropFirst()
        if let silenced = overview.monitor.silenced { lines.append(silenced) }
        if !fault.isEmpty { lines += ["", "Last known state: \(overview.pastHeadline)"] }
        let global = overview.monitor.incidents
        guard !isShort else {
            lines += global.flatMap { incident in
                let line = "\(incident.kind.rawValue)  \(incident.stateSince(age)) · \(identity(incident))"
                return style.broken(line, indentation: 0, hanging: 2)
            }
            lines += table(overview.domains)
            text = style.signs(lines.joined(separator: "\n"))
            return
        }
        for incident in global {
            lines += [""]
            lines += style.heading(
                TextStyle.Sign(incident.state == .firing ? .failing : .warning), incident.kind.rawValue,
                incident.effect ?? incident.about)
            lines += parts(incident.cause, incident.action, incident.outlook)
            lines += style.remark("\(incident.stateSince(age)) · \(identity(incident))")
        }
        let troubled = overview.domains.filter(\.needsAttention)
        let calm = overview.domains.filter { !$0.needsAttention }
        for group in Self.groups(troubled) { lines += [""] + paragraph(group) }
        if !calm.isEmpty {
            lines.append("")
            let column = style.nameColumn(calm.map(\.domain))
            for row in calm {
                lines += style.heading(
                    row.sign, row.domain, ([progress(row)] + checked(row)).joined(separator: " · "),
                    brief: row.state == .propagating ? nil : row.word, column: column)
                lines += row.orderedIncidents.flatMap { style.remark(line($0)) }
            }
        }
        lines +=
            [""] + overview.notifications.split(separator: "\n").flatMap { style.wrapped(String($0), indentation: 0) }
        text = style.signs(lines.joined(separator: "\n"))
    }

    // MARK: - Domains with one cause

    /// Groups rows that need the same decision, in the order of the rows.
    private static func groups(_ rows: [DomainReport]) -> [[DomainReport]] {
        var places: [String: Int] = [:]
        var groups: [[DomainReport]] = []
        for row in rows {
            let key = cause(row)
            if let place = places[key] {
                groups[place].append(row)
            } else {
                places[key] = groups.count
                groups.append([row])
            }
        }
        return groups
    }

    /// Equal for domains with the same text, apart from names and numbers.
    private static func cause(_ row: DomainReport) -> String {
        let words = row.parts.joined(separator: "\n").replacing(row.domain, with: "")
        return
            ([row.word, row.verdict?.rawValue ?? "", row.diagnosisId?.rawValue ?? ""] + [words.filter { !$0.isNumber }])
            .joined(separator: "\n")
    }

    private func paragraph(_ group: [DomainReport]) -> [String] {
        guard let first = group.first else { return [] }
        let isSame = group.allSatisfy { $0.parts == first.parts }
        let name = group.count == 1 ? first.domain : "\(group.count.grouped) domains"
        let effect = shortened(first.effect) ?? first.told[0]
        var lines = style.heading(first.sign, name, isSame ? effect : "Like \(first.domain): \(effect)")
        lines += parts(first.cause, first.action, first.outlook)
        guard group.count > 1 else {
            return lines + [details(first)].flatMap { $0.isEmpty ? [] : style.remark($0) }
                + first.orderedIncidents.flatMap { style.remark(line($0)) }
        }
        let shown = group.prefix(Self.mostListed)
        let rows = shown.map { row in
            [row.domain, ([details(row)] + row.orderedIncidents.map(line)).joined(separator: " · ")]
        }
        lines += TextTable(rows: rows).lines(indentation: 4, style: style)
        let more = group.count - shown.count
        if more > 0 { lines += style.remark("and \(more.grouped) more; --short lists all") }
        return lines
    }

    // MARK: - Lines

    private func table(_ rows: [DomainReport]) -> [String] {
        let column = style.nameColumn(rows.map(\.domain))
        return rows.flatMap { row in
            let incidents = row.orderedIncidents.map { $0.brief(at: now) }
            return style.heading(
                row.sign, row.domain,
                ([progress(row)] + incidents + checked(row)).joined(separator: " · "),
                column: column)
        }
    }

    private func age(_ date: Date) -> String { Span.age(now.timeIntervalSince(date)) }

    private func checked(_ row: DomainReport) -> [String] { row.checkedAt.map { ["checked \(age($0))"] } ?? [] }

    private func shortened(_ part: String?) -> String? { part.map { $0.onOneLine(upTo: 600) } }

    private func parts(_ cause: String?, _ action: String?, _ outlook: String?) -> [String] {
        style.parts(shortened(cause), shortened(action), shortened(outlook))
    }

    /// The state, and how far a change has spread.
    private func progress(_ row: DomainReport) -> String { row.state?.progress(row.comparison) ?? row.word }

    private func details(_ row: DomainReport) -> String {
        ([row.comparison?.summary].compactMap(\.self) + checked(row)).joined(separator: " · ")
    }

    private func line(_ incident: IncidentReport) -> String {
        let parts = ["\(incident.kind.rawValue) \(incident.stateSince(age))", incident.waitsFor(at: now)]
        return (parts.compactMap(\.self) + [identity(incident)]).joined(separator: " · ")
    }

    private func identity(_ incident: IncidentReport) -> String {
        (incident.notes(at: now, zone: " UTC") + ["incident \(incident.shortID)"]).joined(separator: " · ")
    }
}
