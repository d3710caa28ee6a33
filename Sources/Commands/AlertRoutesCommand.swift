import AASA
import Alerting
import ArgumentParser
import Daemon
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Report
import Storage

/// `aasa-monitor alert routes DOMAIN`: who would be notified of what, and when.
struct AlertRoutesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes", abstract: "Show who would be notified of what about a domain, and when.",
        discussion: """
            Reads the configuration as the daemon does. Needs no daemon and sends nothing. If the store can be read, \
            the domain's silences are shown too.
            """)

    @Option(.text, .json) var format: OutputFormat
    @OptionGroup var configuration: ConfigurationOptions
    @Argument(help: "The domain.", completion: .domains) var domain: String

    func run() async throws {
        let targets = try Targets.read([domain])
        guard targets.count == 1, let target = targets.first else {
            throw CommandFailure(.usage, "routes takes one domain, not \(targets.count)")
        }
        let path = try configuration.resolvedPath()
        let file = try ConfigurationOptions.load(path)
        try await RunCommand.explaining {
            guard let routes = AlertRoutes(of: target.domain, file) else {
                let hint = Spelling.suggestion(for: target.domain.name, among: file.domains.map(\.domain.name))
                throw CommandFailure(.usage, "\(path) does not list \(target.domain)\(hint)")
            }
            let now = Date()
            let text = RoutesText(
                routes, silences: await silences(of: routes, file.store.path, now: now), fallback: file.alerts.fallback,
                style: .standardOutput, now: now)
            Console.print(format == .json ? text.json.text(isPretty: true) : text.text)
        }
    }

    /// The domain's silences that have not ended; nil if no store can be read.
    private func silences(of routes: AlertRoutes, _ path: String, now: Date) async -> [SilenceReport]? {
        guard FileManager.default.fileExists(atPath: path),
            let store = try? Store(path: path, access: .reader)
        else { return nil }
        defer { try? store.close() }
        return try? await store.silences(notOverAt: now).filter { silence in
            IncidentKind.ofDomains.contains {
                silence.scope.matches(domain: routes.domain, labels: routes.labels, kind: $0)
            }
        }.map { SilenceReport($0, now: now) }
    }
}

/// Who would be notified of what, as text and as JSON.
struct RoutesText {
    let routes: AlertRoutes
    /// nil: no store can be read.
    let silences: [SilenceReport]?
    let fallback: String?
    let style: TextStyle
    let now: Date

    init(_ routes: AlertRoutes, silences: [SilenceReport]?, fallback: String?, style: TextStyle, now: Date) {
        self.style = style
        self.routes = routes
        self.silences = silences
        self.fallback = fallback
        self.now = now
    }

    // MARK: - Text

    var text: String {
        let labels = routes.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)".displayable }
        var lines = [([routes.domain.name] + labels).joined(separator: "  ")]
        lines += section("incidents of the domain", channels(routes.incidents))
        lines += section(
            "new versions of the file (notify: [changes])",
            routes.changes.map { "  \(Self.name($0))  \(Self.when($0))" })
        lines += section(
            "groups of domains, and the monitor's own trouble"
                + (fallback.map { " (fallback: \($0.displayable))" } ?? ""),
            channels(routes.monitor))
        lines += section("maintenance windows of the domain", routes.windows.map(window))
        lines += section(
            "silences of the domain", silences.map { $0.map(silence) } ?? ["  unknown: no store to read"])
        lines.append("")
        lines.append(
            routes.remindEvery.map {
                "Reminders: the first after \($0.notation), then at doubling intervals of at most a day, for 7 days. An "
                    + "acknowledgement ends reminders and escalation; RESOLVED goes to each channel that was notified."
            } ?? "Reminders are off. RESOLVED goes to each channel that was notified.")
        return style.signs(lines.joined(separator: "\n"))
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        ["", title] + (lines.isEmpty ? ["  none"] : lines)
    }

    /// One line for each channel and time; a channel does not repeat for each kind.
    private func channels(_ rules: [AlertRoutes.Rule]) -> [String] {
        var rows: [(name: String, when: String, asked: [Asked])] = []
        for rule in rules {
            let names =
                rule.notifications.isEmpty
                ? [("no channel", "")] : rule.notifications.map { (Self.name($0), ", " + Self.when($0)) }
            for (name, when) in names {
                if let row = rows.firstIndex(where: { $0.name == name && $0.when == when }) {
                    rows[row].asked += rule.asked
                } else {
                    rows.append((name, when, rule.asked))
                }
            }
        }
        let all = rules.flatMap(\.asked)
        // What no channel gets comes last.
        rows = rows.filter { !$0.when.isEmpty } + rows.filter(\.when.isEmpty)
        return TextTable(rows: rows.map { [$0.name, Self.words($0.asked, of: all) + $0.when] })
            .lines(indentation: 2, style: style)
    }

    /// One question that a route answers.
    fileprivate struct Asked: Hashable {
        let subject: String
        let severity: Severity
    }

    /// `all`, `errors of cdn.stale, cdn.missing`, `warnings except file.broken`.
    private static func words(_ asked: [Asked], of all: [Asked]) -> String {
        let subjects = all.map(\.subject).uniqued
        func severities(_ subject: String, _ asked: [Asked]) -> [Severity] {
            asked.filter { $0.subject == subject }.map(\.severity).sorted { $0 > $1 }
        }
        let groups = Dictionary(grouping: asked.map(\.subject).uniqued) { severities($0, asked) }
        return groups.sorted { ($1.key.count, $1.key.first ?? .note) < ($0.key.count, $0.key.first ?? .note) }.map {
            key, own in
            let isWhole = own.allSatisfy { severities($0, all) == key }
            let head = isWhole ? "" : key.map { $0.rawValue + "s" }.joined(separator: " and ")
            let others = subjects.filter { !own.contains($0) }
            if others.isEmpty { return isWhole ? "all" : head }
            if others.count <= 2, others.count < own.count {
                return "\(isWhole ? "all" : head) except \(others.map(\.displayable).joined(separator: ", "))"
            }
            let names = subjects.filter(own.contains).map(\.displayable).joined(separator: ", ")
            return isWhole ? names : "\(head) of \(names)"
        }.joined(separator: "; ")
    }

    private static func name(_ notification: ExpectedNotification) -> String {
        "\(notification.channel.displayable) (\(notification.type.rawValue))"
    }

    private static func when(_ notification: ExpectedNotification) -> String {
        let time = notification.after == .zero ? "immediately" : "after \(notification.after.notation)"
        return time + (notification.isEscalation ? " (escalation), unless acknowledged" : "")
            + (notification.reminder == nil ? ", no reminders" : "")
    }

    private func window(_ window: MaintenanceWindow) -> String {
        let time = window.end(at: now).map { "now, until \($0.rfc3339)" }
        let next = window.nextStart(after: now).map { "next at \($0.rfc3339)" }
        return "  "
            + [window.name.displayable, time ?? next, window.reason.displayable].compactMap(\.self)
            .filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private func silence(_ silence: SilenceReport) -> String {
        "  \(silence.id)  \(silence.scope)  "
            + (silence.state == .active ? "" : "from \(silence.startsAt.rfc3339) ")
            + "until \(silence.endsAt.rfc3339)  by \(silence.author.displayable): \(silence.reason.displayable)"
    }

    // MARK: - JSON

    var json: OrderedJSON {
        .object([
            ("schema", .string("aasa-monitor/routes/v1")), ("domain", .string(routes.domain.name)),
            ("labels", .object(routes.labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("incidents", .array(routes.incidents.map { Self.json($0, "kinds") })),
            ("changes", .array(routes.changes.map(Self.json))),
            ("monitor", .array(routes.monitor.map { Self.json($0, "about") })),
            ("fallback", .optional(fallback)),
            ("remind_every_seconds", .optional(routes.remindEvery?.inSeconds)),
            (
                "maintenance",
                .array(
                    routes.windows.map { window in
                        .object([
                            ("name", .string(window.name)), ("reason", .string(window.reason)),
                            ("until", .optional(window.end(at: now))),
                            ("next", .optional(window.nextStart(after: now))),
                        ])
                    })
            ),
            ("silences", silences.map { OrderedJSON.report($0) } ?? .null),
        ])
    }

    private static func json(_ rule: AlertRoutes.Rule, _ subjects: String) -> OrderedJSON {
        .object([
            (subjects, .array(rule.subjects.map { .string($0) })),
            ("severities", .array(rule.severities.map { .string($0.rawValue) })),
            ("channels", .array(rule.notifications.map(json))),
        ])
    }

    private static func json(_ notification: ExpectedNotification) -> OrderedJSON {
        .object([
            ("name", .string(notification.channel)), ("type", .string(notification.type.rawValue)),
            ("after_seconds", .number(notification.after.inSeconds)),
            ("escalation", .bool(notification.isEscalation)),
            ("first_reminder_seconds", .optional(notification.reminder?.inSeconds)),
        ])
    }
}

extension AlertRoutes.Rule {
    fileprivate var asked: [RoutesText.Asked] {
        subjects.flatMap { subject in severities.map { RoutesText.Asked(subject: subject, severity: $0) } }
    }
}
