// `--format nagios` of `check` and `status`: lines, performance data and exit codes of monitoring plugins.
// https://nagios-plugins.org/doc/guidelines.html

import Evidence
import Facts
import Foundation
import Monitoring
import Report

extension Verdict.Level {
    /// A plugin's exit code. `unknown`: the state of the site is unknown.
    var pluginCode: Int32 {
        switch self {
        case .ok: 0
        case .warning: 1
        case .failing: 2
        case .unknown: 3
        }
    }

    fileprivate var pluginWord: String {
        switch self {
        case .ok: "OK"
        case .warning: "WARNING"
        case .failing: "CRITICAL"
        case .unknown: "UNKNOWN"
        }
    }
}

struct PluginOutput {
    private var worst = Verdict.Level.ok
    /// First on the first line.
    private var common: [String] = []
    /// The status of everything that was checked.
    var status: Verdict.Level { entries.isEmpty && common.isEmpty ? .unknown : worst }
    private var entries: [(status: Verdict.Level, name: String, words: String, data: [String])] = []

    init() {}

    /// What a daemon knows.
    init(_ overview: Overview, now: Date) {
        if let fault = overview.monitor.warning(now: now).first { add(.failing, fault) }
        for incident in overview.monitor.incidents {
            add(
                incident.state == .firing ? .failing : .warning,
                [incident.brief(at: now), incident.effect].compactMap(\.self).joined(separator: ": "))
        }
        overview.domains.forEach { add($0, now: now) }
    }

    mutating func add(_ report: CheckReport) {
        if let why = report.why { common.append(why.words) }
        add(
            report.verdict.level, report.subject, report.diagnosis.oneLine,
            Self.performance(report))
    }

    /// Adds a domain as the daemon knows it.
    mutating func add(_ row: DomainReport, now: Date) {
        add(
            row.verdict ?? .unknown, row.domain,
            (row.told + row.orderedIncidents.map { $0.brief(at: now) }).joined(separator: " "),
            Self.performance(lag: row.comparison?.lagSeconds, row.comparison?.edges))
    }

    private mutating func add(_ status: Verdict.Level, _ name: String, _ words: String, _ data: [String]) {
        note(status)
        entries.append((status, name, words, data))
    }

    private mutating func note(_ status: Verdict.Level) {
        worst = .worst([worst, status])
    }

    /// Adds what does not belong to a single domain.
    mutating func add(_ status: Verdict.Level, _ words: String) {
        note(status)
        common.append(words)
    }

    /// A pager shows only the first line. If there are several domains, each has another line.
    var text: String {
        guard let first = entries.first else {
            guard !common.isEmpty else { return "AASA UNKNOWN - nothing was checked" }
            return Self.line("AASA \(status.pluginWord) - \(common.joined(separator: "; "))", [])
        }
        let head = common.map { "\($0); " }.joined()
        guard entries.count > 1 else {
            return Self.line("AASA \(status.pluginWord) - \(head)\(first.name): \(first.words)", first.data)
        }
        let bad = entries.filter { $0.status != .ok }
        let names = bad.prefix(3).map(\.name).joined(separator: ", ") + (bad.count > 3 ? ", …" : "")
        let count = bad.isEmpty ? "\(entries.count) domains" : "\(bad.count) of \(entries.count) domains: \(names)"
        let summary = "AASA \(status.pluginWord) - \(head)\(count)"
        let data = entries.flatMap { entry in entry.data.map { "'\(entry.name) \($0.dropFirst())" } }
        let lines = entries.map { Self.clean("\($0.status.pluginWord): \($0.name): \($0.words)") }
        return ([Self.line(summary, data)] + lines).joined(separator: "\n")
    }

    static func unknown(_ words: String) -> String { "AASA UNKNOWN - \(clean(words))" }

    private static func line(_ words: String, _ data: [String]) -> String {
        clean(words) + (data.isEmpty ? "" : "|" + data.joined(separator: " "))
    }

    /// A bar begins the performance data, and a line break ends the line.
    private static func clean(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: "; ").displayable.escaped { $0 == "|" ? "/" : nil }
    }

    /// `'label'=value[unit];;;minimum;maximum`
    private static func performance(_ report: CheckReport) -> [String] {
        var data: [String] = []
        if let total = report.observation.origin.connection?.timings.total {
            data.append("'origin_seconds'=\(number(total / 1000))s;;;0")
        }
        data += performance(lag: report.verdict.comparison.lagSeconds, report.verdict.comparison.edges)
        if let end = report.observation.origin.connection?.tls?.chain.first?.notAfter {
            let left = end.timeIntervalSince(report.observation.checkedAt)
            data.append("'certificate_seconds'=\(Int(left))s")
        }
        return data
    }

    private static func performance(lag: Int?, _ edges: EdgeTally?) -> [String] {
        [
            lag.map { "'cdn_lag'=\($0)s;;;0" },
            edges.map { "'edges_in_sync'=\($0.inSync);;;0;\($0.asked)" },
        ].compactMap(\.self)
    }

    private static func number(_ value: Double) -> String { String((value * 1000).rounded() / 1000) }
}
