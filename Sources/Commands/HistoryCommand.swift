import ArgumentParser
import Evidence
import Foundation
import Monitoring
import Report
import StatusServer
import Storage

/// `aasa-monitor history`: what the daemon remembers of one domain, from its store.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show what changed on a domain, how long Apple's CDN took, incidents and alerts sent.",
        discussion: """
            Reads the store, or asks the daemon at --url, and sends no other request. The changes of a version are \
            shown as long as the store keeps both files (store.keep_observations).
            """)

    @Option(.text, .json) var format: OutputFormat
    @Option(help: "At most this many versions, incidents and deliveries each.") var limit = 20
    @OptionGroup var color: ColorOption
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions
    @Argument(help: "The domain.", completion: .domains) var domain: String

    func validate() throws {
        guard (1...HistoryReport.largestLimit).contains(limit) else {
            throw ValidationError("--limit takes a number from 1 to \(HistoryReport.largestLimit), not \(limit)")
        }
    }

    func run() async throws {
        let targets = try Targets.read([domain])
        guard targets.count == 1, let target = targets.first else {
            throw CommandFailure(.usage, "history takes one domain, not \(targets.count)")
        }
        let now = Date()
        let history = try await remote.ask(store, .reader, now: now) { api in
            do {
                return try await api.history(of: target.domain, limit: limit)
            } catch let refusal as APIRefusal where refusal.reason == .notFound {
                throw CommandFailure(.usage, "\(target.domain) is not watched here, or its first check is not finished")
            }
        }
        switch format {
        case .json: Console.print(try ReportJSON.text(history))
        default: Console.print(HistoryText(history, style: .standardOutput, now: now).text)
        }
    }
}

/// The past of one domain in a terminal: versions and what they changed, a bar for each propagation, incidents, alerts.
struct HistoryText {
    let text: String

    /// Changes of one version that are shown.
    private static let mostChanges = 8

    init(_ history: HistoryReport, style: TextStyle, now: Date) {
        let checked = history.checkedAt.map { "checked \(Span.age(now.timeIntervalSince($0)))" } ?? "never checked"
        var lines = ["\(style.bold(history.domain))  \(style.dim(checked))"]
        lines += Self.section("versions at the origin", style, Self.versions(history, style))
        lines += Self.section(Self.propagationTitle(history), style, Self.propagations(history, style))
        lines += Self.section("incidents", style, Self.incidents(history, style, now))
        lines += Self.section("alerts sent", style, Self.deliveries(history, style))
        text = style.signs(lines.joined(separator: "\n"))
    }

    private static func section(_ title: String, _ style: TextStyle, _ lines: [String]) -> [String] {
        ["", style.bold(title)] + (lines.isEmpty ? ["  none"] : lines)
    }

    // MARK: - Versions

    private static func versions(_ history: HistoryReport, _ style: TextStyle) -> [String] {
        history.versions.flatMap { version -> [String] in
            let isFirst = version.differences == nil && version.from == history.versions.last?.from
            let facts: [String?] = [
                Span.minute(version.from), "\(version.sha256.prefix(8))…",
                version.bytes.map { $0.of("byte") } ?? "no longer kept",
                version.until.map { "served for \($0.timeIntervalSince(version.from).inWords)" } ?? "served now",
                propagation(version, history),
            ]
            var lines = ["  " + facts.compactMap(\.self).joined(separator: "  ")]
            if let differences = version.differences {
                lines += Self.lines(differences, style)
            } else if !isFirst {
                lines.append("    " + style.dim("what changed is no longer known"))
            }
            return lines
        }
    }

    private static func propagation(_ version: HistoryReport.Version, _ history: HistoryReport) -> String? {
        if let seconds = version.propagationSeconds { return "at every edge after \(TimeInterval(seconds).inWords)" }
        guard version.until == nil, let lag = history.lagSeconds, lag > 0 else { return nil }
        return "not at every edge yet, after \(TimeInterval(lag).inWords)"
    }

    private static func lines(_ differences: Differences, _ style: TextStyle) -> [String] {
        if differences.changes.isEmpty { return ["    " + style.dim("the same in meaning")] }
        var lines = differences.changes.prefix(mostChanges).map {
            "    \($0.kind.mark) \($0.summary.displayable.shortened(to: 200))"
        }
        for change in differences.behaviour.prefix(mostChanges) {
            lines += style.wrapped(Self.sentence(change), indentation: 4, hanging: 2)
        }
        let more =
            max(0, differences.total - mostChanges) + max(0, differences.behaviour.count - mostChanges)
        if more > 0 { lines.append("    " + style.dim("and \(more) more; --format json shows more of them")) }
        return lines
    }

    private static func sentence(_ change: BehaviourChange) -> String {
        if change.to == .opens { return "\(change.example) opens \(change.appID) since then" }
        return "\(change.example) no longer opens \(change.appID)"
    }

    // MARK: - Propagation times

    private static func propagationTitle(_ history: HistoryReport) -> String {
        guard let usual = history.usual else { return "time until every edge of Apple's CDN served a change" }
        return "time until every edge of Apple's CDN served a change: median "
            + "\(TimeInterval(usual.medianSeconds).inWords), nine of ten within \(TimeInterval(usual.ninthSeconds).inWords)"
    }

    private static func propagations(_ history: HistoryReport, _ style: TextStyle) -> [String] {
        var bars = history.propagations.map { (Span.minute($0.changedAt), $0.seconds, "") }
        // Only the current version can still be propagating.
        if let present = history.versions.first, present.propagationSeconds == nil, let lag = history.lagSeconds,
            lag > 0
        {
            bars.append((Span.minute(present.from), lag, " so far"))
        }
        return plot(bars, width: max(10, min(50, style.width - 50)))
    }

    /// A bar for each value, in eighths of a column; the longest one fills the width.
    static func plot(_ bars: [(label: String, seconds: Int, note: String)], width: Int) -> [String] {
        let longest = max(1, bars.map(\.seconds).max() ?? 1)
        let parts = Array("▏▎▍▌▋▊▉")
        return bars.map { label, seconds, note in
            let eighths = max(1, seconds * width * 8 / longest)
            let bar =
                String(repeating: "█", count: eighths / 8) + (eighths % 8 == 0 ? "" : String(parts[eighths % 8 - 1]))
            return "  \(label)  \(bar) \(TimeInterval(seconds).inWords)\(note)"
        }
    }

    // MARK: - Incidents and alerts

    private static func incidents(_ history: HistoryReport, _ style: TextStyle, _ now: Date) -> [String] {
        history.incidents.flatMap { incident -> [String] in
            let end = incident.resolvedAt.map {
                "resolved after \($0.timeIntervalSince(incident.since).inWords)"
                    + (incident.endInWords.map { " (\($0))" } ?? "")
            }
            let facts = [
                Span.minute(incident.since), incident.severity.rawValue, incident.kind.rawValue,
                end ?? incident.state.rawValue, incident.shortID,
            ]
            let words = incident.resolvedAt == nil ? incident.diagnosis : incident.was.map { "was: " + $0 }
            return ["  " + (facts + incident.notes(at: now, zone: " UTC")).joined(separator: "  ")]
                + (words.map { style.wrapped($0, indentation: 4) } ?? [])
        }
    }

    private static func deliveries(_ history: HistoryReport, _ style: TextStyle) -> [String] {
        let rows = history.deliveries.map { delivery in
            [
                Span.minute(delivery.at), delivery.outcome, delivery.channel.displayable, delivery.reason,
                delivery.kind?.rawValue ?? String(delivery.type.prefix { $0 != "." }),
                String(delivery.incident.prefix(12)),
                [
                    delivery.status.map { "status \($0)" }, delivery.error?.displayable.shortened(to: 120),
                    delivery.attempts > 1 ? "\(delivery.attempts) attempts" : nil,
                ].compactMap(\.self).joined(separator: ", "),
            ]
        }
        return TextTable(rows: rows).lines(indentation: 2, style: style)
    }
}
