// `--format nagios` of `check` and `status`: a line for each domain as monitoring plugins have it, performance data, and their exit codes.
// https://nagios-plugins.org/doc/guidelines.html

import Evidence
import Facts
import Foundation
import Monitoring
import Report

struct PluginOutput {
    enum Status: Int32, Comparable {
        case ok = 0
        case warning = 1
        case critical = 2
        /// Nothing can be said of the site.
        case unknown = 3

        static func < (left: Status, right: Status) -> Bool { left.rank < right.rank }

        /// What is known to be wrong outweighs what is not known.
        private var rank: Int {
            switch self {
            case .ok: 0
            case .unknown: 1
            case .warning: 2
            case .critical: 3
            }
        }

        var word: String {
            switch self {
            case .ok: "OK"
            case .warning: "WARNING"
            case .critical: "CRITICAL"
            case .unknown: "UNKNOWN"
            }
        }
    }

    private var worst = Status.ok
    /// First on the first line.
    private var common: [String] = []
    /// Of all that was checked.
    var status: Status { entries.isEmpty && common.isEmpty ? .unknown : worst }
    private var entries: [(status: Status, name: String, words: String, data: [String])] = []
    /// Lines after the first.
    private var details: [String] = []

    init() {}

    /// What a daemon knows.
    init(_ overview: Overview, life: LifeText) {
        if let fault = life.lines.first { add(.critical, fault) }
        for incident in overview.monitor.incidents {
            add(
                incident.state == .firing ? .critical : .warning,
                "\(incident.kind.rawValue): \(incident.effect ?? incident.state.rawValue)")
        }
        overview.domains.forEach { add($0) }
    }

    mutating func add(_ report: CheckReport) {
        add(
            Self.status(report.verdict.level), report.observation.domain.name, report.diagnosis.oneLine,
            Self.performance(report))
        details += report.why.map { [Self.clean($0.words)] } ?? []
    }

    /// What the daemon knows of a domain.
    mutating func add(_ row: DomainReport) {
        let words = row.parts.isEmpty ? "The first check has not ended yet." : row.parts.joined(separator: " ")
        add(
            Self.status(row.verdict), row.domain, words,
            Self.performance(lag: row.comparison?.lagSeconds, row.comparison?.edges))
    }

    private mutating func add(_ status: Status, _ name: String, _ words: String, _ data: [String]) {
        worst = max(worst, status)
        entries.append((status, name, words, data))
    }

    /// What is true of no single domain.
    mutating func add(_ status: Status, _ words: String) {
        worst = max(worst, status)
        common.append(words)
    }

    /// The first line says all that a pager shows; of several domains each has a further line.
    var text: String {
        guard let first = entries.first else {
            guard !common.isEmpty else { return "AASA UNKNOWN - nothing was checked" }
            return Self.line("AASA \(status.word) - \(common.joined(separator: "; "))", [])
        }
        let head = common.map { "\($0); " }.joined()
        guard entries.count > 1 else {
            let line = Self.line("AASA \(status.word) - \(head)\(first.name): \(first.words)", first.data)
            return ([line] + details).joined(separator: "\n")
        }
        let bad = entries.filter { $0.status != .ok }
        let names = bad.prefix(3).map(\.name).joined(separator: ", ") + (bad.count > 3 ? ", …" : "")
        let count = bad.isEmpty ? "\(entries.count) domains" : "\(bad.count) of \(entries.count) domains: \(names)"
        let summary = "AASA \(status.word) - \(head)\(count)"
        let data = entries.flatMap { entry in entry.data.map { "'\(entry.name) \($0.dropFirst())" } }
        let lines = entries.map { Self.clean("\($0.status.word): \($0.name): \($0.words)") }
        return ([Self.line(summary, data)] + lines).joined(separator: "\n")
    }

    static func unknown(_ words: String) -> String { "AASA UNKNOWN - \(clean(words))" }

    private static func status(_ level: Verdict.Level?) -> Status {
        switch level {
        case .unknown, nil: .unknown
        case .ok: .ok
        case .warning: .warning
        case .failing: .critical
        }
    }

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
