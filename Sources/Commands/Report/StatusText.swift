import Evidence
import StatusServer

/// The overview in a terminal: what needs attention in full, what is well in one line each.
struct StatusText {
    let text: String

    init(_ overview: Overview, style: TextStyle) {
        var lines = [style.bold(overview.headline)]
        for line in overview.fleet {
            lines += ["", "\(style.bold(line.kind))  \(line.state) since \(line.since)"]
            lines += line.diagnosis.flatMap(style.diagnosis)
            lines.append("  " + Self.incident(line.id, line.acknowledgedBy))
        }
        let (troubled, calm) = (overview.rows.filter(\.needsAttention), overview.rows.filter { !$0.needsAttention })
        for row in troubled {
            lines += ["", "\(style.bold(row.name))  \(Self.level(row, style))  \(style.dim(Self.details(row)))"]
            lines += row.diagnosis.flatMap(style.diagnosis)
            lines += row.incidents.map { "  " + Self.incident($0) }
        }
        if !calm.isEmpty {
            lines.append("")
            lines += TextTable(rows: calm.map { [$0.name, $0.verdict, Self.details($0)] })
                .lines(indentation: 0, style: style)
        }
        lines += ["", overview.notifications]
        text = lines.joined(separator: "\n")
    }

    private static func level(_ row: OverviewRow, _ style: TextStyle) -> String {
        switch row.level {
        case .failing: style.verdict(.failing)
        case .warning: style.verdict(.warning)
        case .ok: style.verdict(.ok)
        case .unchecked: row.verdict
        }
    }

    private static func details(_ row: OverviewRow) -> String {
        [row.comparison, row.checked.map { "checked \($0)" }].compactMap(\.self).joined(separator: " · ")
    }

    private static func incident(_ incident: OverviewIncident) -> String {
        let parts = [
            "\(incident.kind) \(incident.state) since \(incident.since)",
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
