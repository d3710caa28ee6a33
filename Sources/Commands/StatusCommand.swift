import ArgumentParser
import Evidence
import Foundation
import StatusServer
import Storage

/// `aasa-monitor status`: what the daemon knows, from its store.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what the daemon knows of its domains, trouble first.",
        discussion: """
            Reads the store, or asks the daemon of --url, and sends no other request. To look at a site now, use `check`.

            Exit codes: 1 if a domain is failing or no daemon checks any more, 64 if a domain is not watched. With --format \
            nagios those of monitoring plugins: 0 OK, 1 warning, 2 critical, 3 unknown.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, nagios }

    @Option(help: "text, json or nagios (plugin output).") var format = Format.text
    @Flag(help: "Show only the domains that fail or have a confirmed incident.") var failing = false
    @Option(
        help: ArgumentHelp("Only domains with this label; several of them must all match.", valueName: "name=value"),
        transform: LabelFilter.init)
    var label: [LabelFilter] = []
    @Flag(help: "One line a domain.") var short = false
    @Flag(help: "Show it again every two seconds, until Ctrl-C.") var watch = false
    @OptionGroup var color: ColorOption
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions
    @Argument(help: "Domains (default: all).", completion: DomainCompletion.kind) var domains: [String] = []

    /// Between two looks of `--watch`.
    private static let pause: Duration = .seconds(2)

    func validate() throws {
        if watch, format == .nagios { throw ValidationError("--watch excludes --format nagios") }
    }

    func run() async throws {
        do {
            try await show()
        } catch let failure as CommandFailure where format == .nagios {
            // A plugin says on standard output why it knows nothing.
            Console.print(PluginOutput.unknown(failure.message))
            throw ExitCode(PluginOutput.Status.unknown.rawValue)
        }
    }

    private func show() async throws {
        let named = domains.isEmpty ? [] : try Targets.read(domains).map(\.domain)
        var isBad = false
        if watch { Console.endWithReader() }
        repeat {
            let now = Date()
            let seen = Seen()
            func counts(_ row: OverviewRow) -> Bool {
                seen.names.insert(row.name)
                let counts = label.allSatisfy { row.labels[$0.name] == $0.value }
                if counts { seen.matches += 1 }
                return counts
            }
            func shows(_ row: OverviewRow) -> Bool { !failing || row.isTrouble }
            let withDocuments = format == .json
            let reading = try await remote.ask(
                {
                    try await $0.status(
                        of: named, withDocuments: withDocuments, now: now, counts: counts, shows: shows)
                }, or: store, .reader
            ) {
                try await StatusReading(
                    $0, domains: Set(named), withDocuments: withDocuments, now: now, counts: counts, shows: shows)
            }
            let missing = named.map(\.name).filter { !seen.names.contains($0) }
            guard missing.isEmpty else {
                throw CommandFailure(
                    .usage, "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") not watched here")
            }
            if seen.matches == 0, !seen.names.isEmpty {
                let labels = label.map { "\($0.name)=\($0.value)".displayable.shortened(to: 80) }
                throw CommandFailure(.usage, "no domain has the label \(labels.joined(separator: " and "))")
            }
            isBad =
                reading.life != .checking || reading.overview.global.contains { $0.state == "firing" }
                || reading.overview.rows.contains(where: \.isTrouble)
            try show(reading, now)
            if watch { try await Task.sleep(for: Self.pause) }
        } while watch
        if isBad { throw MonitorExit.found.code }
    }

    /// What was read, shown or not.
    private final class Seen {
        var names: Set<String> = []
        var matches = 0
    }

    private func show(_ reading: StatusReading, _ now: Date) throws {
        let isTerminal = TerminalSize.standardOutput != nil
        // The cursor to the top, and all below it cleared: no flicker.
        let start = watch && isTerminal ? "\u{1B}[H\u{1B}[J" : ""
        let life = LifeText(reading.life, now: now)
        switch format {
        case .json:
            let documents = reading.documents.map { String(decoding: $0, as: UTF8.self) }
            Console.print(start + "[" + documents.joined(separator: ",\n ") + "]")
            life.lines.first.map(Console.remark)
        case .text:
            Console.print(start + StatusText(reading.overview, life: life, isShort: short, style: .standardOutput).text)
        case .nagios:
            let plugin = PluginOutput(reading.overview, life: life)
            Console.print(plugin.text)
            throw ExitCode(plugin.status.rawValue)
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

extension OverviewRow {
    /// Whether it decides the exit code.
    fileprivate var isTrouble: Bool { level == .failing || isFiring }
}

/// That nobody checks any more; no line where somebody does.
struct LifeText {
    let lines: [String]

    init(_ life: MonitorLife, now: Date) {
        func since(_ date: Date) -> String {
            "\(Span.minute(date)) UTC (\(Span.age(now.timeIntervalSince(date))))"
        }
        lines =
            switch life {
            case .checking: []
            case .stopped(let last):
                [
                    "No daemon runs: nothing is checked and no alert is sent"
                        + (last.map { " since \(since($0))" } ?? ", and none ever was"),
                    "Start it with `systemctl start aasa-monitor` or `aasa-monitor run`; its log says why it ended.",
                ]
            case .notReady(let words):
                ["The daemon is not ready: \(words)", "See its log, such as `journalctl -u aasa-monitor`."]
            case .stalled(let last):
                [
                    "The daemon does not check: it runs, and the last check ended \(since(last))",
                    "See its log, such as `journalctl -u aasa-monitor`, and restart it.",
                ]
            }
    }
}

/// The overview in a terminal: what needs attention in full, what is well in one line each.
struct StatusText {
    let text: String

    /// Domains of one paragraph that are listed.
    private static let mostListed = 20

    init(_ overview: Overview, life: LifeText? = nil, isShort: Bool = false, style: TextStyle) {
        let fault = life?.lines ?? []
        var lines = fault.isEmpty ? [style.bold(overview.headline)] : [style.bold(fault[0])] + fault.dropFirst()
        if let nobody = overview.nobody { lines.append(nobody) }
        if !fault.isEmpty { lines += ["", "What it knew last: \(overview.pastHeadline)"] }
        guard !isShort else {
            lines += overview.global.map { "\($0.kind)  \($0.state) since \($0.since) · incident \($0.id)" }
            lines += Self.table(overview.rows, style)
            text = lines.joined(separator: "\n")
            return
        }
        for line in overview.global {
            lines += ["", "\(style.bold(line.kind))  \(line.state) since \(line.since)"]
            lines += line.diagnosis.flatMap(style.diagnosis)
            lines.append("  " + Self.incident(line.id, line.acknowledgedBy))
        }
        let (troubled, calm) = (overview.rows.filter(\.needsAttention), overview.rows.filter { !$0.needsAttention })
        for group in Self.groups(troubled) { lines += [""] + Self.paragraph(group, style) }
        if !calm.isEmpty {
            lines.append("")
            lines += TextTable(rows: calm.map { [$0.name, $0.verdict, Self.details($0)] })
                .lines(indentation: 0, style: style).map { line in
                    String(line.reversed().drop { $0 == " " }.reversed())
                }
            lines += calm.flatMap { row in row.incidents.map { "  \(row.name): \(Self.incident($0))" } }
        }
        lines += ["", overview.notifications]
        text = lines.joined(separator: "\n")
    }

    // MARK: - Domains with one cause

    /// In the order of the rows; those that need the same decision stand together.
    private static func groups(_ rows: [OverviewRow]) -> [[OverviewRow]] {
        var places: [String: Int] = [:]
        var groups: [[OverviewRow]] = []
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

    /// Equal for domains of which the same is said, names and numbers apart.
    private static func cause(_ row: OverviewRow) -> String {
        let words = row.diagnosis.joined(separator: "\n").replacing(row.name, with: "")
        return ([row.verdict, row.diagnosisID ?? ""] + [words.filter { !$0.isNumber }]).joined(separator: "\n")
    }

    private static func paragraph(_ group: [OverviewRow], _ style: TextStyle) -> [String] {
        guard let first = group.first else { return [] }
        guard group.count > 1 else {
            return ["\(style.bold(first.name))  \(level(first, style))  \(style.dim(details(first)))"]
                + first.diagnosis.flatMap(style.diagnosis) + first.incidents.map { "  " + incident($0) }
        }
        let isSame = group.allSatisfy { $0.diagnosis == first.diagnosis }
        var lines = ["\(style.bold("\(group.count.grouped) domains"))  \(level(first, style))"]
        if !isSame { lines[0] += "  " + style.dim("as \(first.name):") }
        lines += first.diagnosis.flatMap(style.diagnosis)
        let shown = group.prefix(mostListed)
        let width = shown.map(\.name.count).max() ?? 0
        // A line each, however long: who looks for a domain finds its incident beside it.
        lines += shown.map { row in
            "  \(row.name.padding(toLength: width, withPad: " ", startingAt: 0))  "
                + ([details(row)] + row.incidents.map(incident)).joined(separator: " · ")
        }
        let more = group.count - shown.count
        if more > 0 { lines.append("  " + style.dim("and \(more.grouped) more; --short lists all")) }
        return lines
    }

    // MARK: - Lines

    private static func table(_ rows: [OverviewRow], _ style: TextStyle) -> [String] {
        let words = rows.map { row in
            let incidents = row.incidents.map { "\($0.kind) \($0.state) \($0.id)" }
            return [
                row.name, row.level == .ok || row.level == .unchecked ? row.verdict : row.verdict.uppercased(),
                ([row.comparison] + incidents + [row.checked.map { "checked \($0)" }]).compactMap(\.self)
                    .joined(separator: " · "),
            ]
        }
        let names = words.map { $0[0].count }.max() ?? 0
        let levels = words.map { $0[1].count }.max() ?? 0
        return words.map {
            $0[0].padding(toLength: names + 2, withPad: " ", startingAt: 0)
                + $0[1].padding(toLength: levels + 2, withPad: " ", startingAt: 0) + $0[2]
        }
    }

    private static func level(_ row: OverviewRow, _ style: TextStyle) -> String {
        switch row.level {
        case .failing: style.verdict(.failing)
        case .warning: style.verdict(.warning)
        case .ok: style.verdict(.ok)
        case .unknown: style.verdict(.unknown)
        case .unchecked: row.verdict
        }
    }

    private static func details(_ row: OverviewRow) -> String {
        [row.comparison, row.checked.map { "checked \($0)" }].compactMap(\.self).joined(separator: " · ")
    }

    private static func incident(_ incident: OverviewIncident) -> String {
        let parts = [
            "\(incident.kind) \(incident.state) since \(incident.since)",
            incident.waitsFor,
            incident.silencedUntil.map { "silenced until \($0) UTC" },
            incident.inhibitedBy.map { "inhibited by \($0)" },
            Self.incident(incident.id, incident.acknowledgedBy),
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }

    private static func incident(_ id: String, _ acknowledgedBy: String?) -> String {
        "incident \(id)" + (acknowledgedBy.map { " · acknowledged by \($0)" } ?? "")
    }
}
