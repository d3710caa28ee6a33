// `check --format nagios`: a line for each domain as monitoring plugins have it, performance data, and their exit codes.
// https://nagios-plugins.org/doc/guidelines.html

import Evidence
import Facts
import Foundation

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
    /// Of all that was checked.
    var status: Status { entries.isEmpty ? .unknown : worst }
    private var entries: [(status: Status, name: String, words: String, data: [String])] = []
    /// Lines after the first.
    private var details: [String] = []

    mutating func add(_ report: CheckReport) {
        let own = Self.status(report.verdict)
        worst = max(worst, own)
        entries.append(
            (own, report.observation.domain.name, report.diagnosis.oneLine, Self.performance(report)))
        details += report.why.map { [Self.clean($0.words)] } ?? []
    }

    /// The first line says all that a pager shows; of several domains each has a further line.
    var text: String {
        guard let first = entries.first else { return "AASA UNKNOWN - nothing was checked" }
        guard entries.count > 1 else {
            let line = Self.line("AASA \(status.word) - \(first.name): \(first.words)", first.data)
            return ([line] + details).joined(separator: "\n")
        }
        let bad = entries.filter { $0.status != .ok }
        let names = bad.prefix(3).map(\.name).joined(separator: ", ") + (bad.count > 3 ? ", …" : "")
        let count = bad.isEmpty ? "\(entries.count) domains" : "\(bad.count) of \(entries.count) domains: \(names)"
        let summary = "AASA \(status.word) - \(count)"
        let data = entries.flatMap { entry in entry.data.map { "'\(entry.name) \($0.dropFirst())" } }
        let lines = entries.map { Self.clean("\($0.status.word): \($0.name): \($0.words)") }
        return ([Self.line(summary, data)] + lines).joined(separator: "\n")
    }

    static func unknown(_ words: String) -> String { "AASA UNKNOWN - \(clean(words))" }

    private static func status(_ verdict: Verdict) -> Status {
        switch verdict.level {
        case .unknown: .unknown
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
        if let lag = report.verdict.comparison.lagSeconds { data.append("'cdn_lag'=\(lag)s;;;0") }
        if let edges = report.verdict.comparison.edges {
            data.append("'edges_in_sync'=\(edges.inSync);;;0;\(edges.asked)")
        }
        if let end = report.observation.origin.connection?.tls?.chain.first?.notAfter {
            let left = end.timeIntervalSince(report.observation.checkedAt)
            data.append("'certificate_seconds'=\(Int(left))s")
        }
        return data
    }

    private static func number(_ value: Double) -> String { String((value * 1000).rounded() / 1000) }
}
