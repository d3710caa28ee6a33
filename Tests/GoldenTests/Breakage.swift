// One surface that differs from the others: the comparison of surfaces must find it.

import Foundation

struct Breakage: CustomStringConvertible, Sendable {
    let state: String
    let surface: String
    /// The text on the surface, and the wrong text that replaces it.
    let said: String
    let other: String
    let property: Property

    var description: String { "\(surface) of \(state): '\(said)' as '\(other)'" }

    init(_ state: String, _ surface: String, _ said: String, _ other: String, _ property: Property) {
        (self.state, self.surface, self.said, self.other, self.property) = (state, surface, said, other, property)
    }

    static let all: [Breakage] = [
        .init("stale", "api-domain.json", #""verdict": "failing""#, #""verdict": "warning""#, .level),
        .init("stale", "status-short.txt", "FAILING", "WARNING", .level),
        .init("stale", "status.nagios.txt", "CRITICAL", "WARNING", .level),
        .init("stale", "page-domain.html", "badge fail", "badge warn", .level),
        .init("stale", "badge.svg", "#b3211b", "#855000", .level),
        .init("stale", "status.txt", "Phones follow the old file", "Links work", .effect),
        .init("stale", "page-incident.html", "Phones follow the old file", "Links work", .effect),
        .init("stale", "slack.txt", "Phones follow the old file", "Links work", .effect),
        .init("stale", "webhook.txt", "Phones follow the old file", "Links work", .effect),
        .init("stale", "api-incidents.json", #""severity": "error""#, #""severity": "warning""#, .severity),
        .init("stale", "incidents.txt", "  error  ", "  warning  ", .severity),
        .init("stale", "history.txt", "  error  ", "  warning  ", .severity),
        .init("stale", "page-incidents.html", #"" class="fail""#, #"" class="warn""#, .severity),
        .init("stale", "status.txt", "wrong since 31 h ago", "wrong since 30 h ago", .since),
        .init("stale", "page-incidents.html", #"Z">21 Nov 07:32"#, #"Z">21 Nov 08:02"#, .since),
        .init("stale", "slack.txt", "since 2026-11-21 07:32", "since 2026-11-21 08:02", .since),
        .init("stale", "webhook.txt", #""since": "2026-11-21T07:32"#, #""since": "2026-11-21T08:02"#, .since),
        .init("stale", "page-domain.html", #"Z">08:02"#, #"Z">07:32"#, .fired),
        .init("silenced", "history.txt", "  silenced until 23 Nov 14:32 UTC", "", .marks),
        .init("stale", "page-domains.html", "Phones follow the old file", "Links work", .effect),
        .init("acknowledged", "status-short.txt", " (acknowledged by eva)", "", .marks),
        .init(
            "acknowledged", "page-incidents.html", "Acknowledged by␣\n      <bdi>eva", "Acknowledged by␣ <bdi>max",
            .marks),
        .init("flapping", "page-domain.html", "<bdi>flapping", "<bdi>", .marks),
        .init("flapping", "status.nagios.txt", " (flapping)", "", .marks),
        .init("global", "page-incident.html", "inhibited by cdn.wide", "not notified", .marks),
        .init("missing", "status.txt", "inhibited by origin.broken · ", "", .marks),
        .init("missing", "status.nagios.txt", " origin.broken firing ", " ", .incidents),
        .init("stale", "page-domains.html", "<bdi>chat, hook", "<bdi>chat", .notified),
        .init("stale", "metrics.txt", #"kind="cdn.stale",severity="error"} 1"#, "", .counts),
        .init("stale", "metrics.txt", #"aasa_domains{state="stale"} 1"#, "", .domains),
    ]

    /// The differences in the state's files after the replacement; nil if the surface does not contain the first text.
    func found(in files: [String: String]) throws -> [String]? {
        guard let text = files[surface], text.contains(said) else { return nil }
        var files = files
        files[surface] = text.replacing(said, with: other)
        return try SurfaceReader(files).said.disagreements
    }
}
