import AASA
import ArgumentParser
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Report
import StatusServer
import Storage

/// `aasa-monitor incidents`: the incidents of all domains, open and past.
struct IncidentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "incidents", abstract: "List open incidents, or past ones too.",
        discussion: """
            Reads the store, or asks the daemon at --url, and sends no other request. An id, or the beginning of one, \
            shows only that incident; `ack` and `deliveries list --incident` take the same.
            """)

    @Option(.text, .json) var format: OutputFormat
    @Flag(help: "Include resolved incidents, as long as the store keeps them.") var all = false
    @Option(
        help: ArgumentHelp(
            "Incidents that were open at any time since then: 24h, 7d, or a time such as 2026-11-21T07:00:00Z.",
            valueName: "time"))
    var since: String?
    @Option(help: "Only those of this domain.", completion: .domains) var domain: String?
    @Option(
        help: ArgumentHelp("Only those of this kind, such as cdn.stale.", valueName: "kind"),
        completion: .list(IncidentKind.allCases.map(\.rawValue)))
    var kind: String?
    @Option(help: "At most this many, the newest.") var limit = 100
    @OptionGroup var color: ColorOption
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions
    @Argument(help: ArgumentHelp("The id of an incident, or the beginning of it.", valueName: "incident"))
    var ids: [String] = []

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit: \(limit) is not a number above zero") }
        guard ids.isEmpty || !all && since == nil && domain == nil && kind == nil else {
            throw ValidationError("an incident's id cannot be combined with --all, --since, --domain or --kind")
        }
        if let name = ids.first(where: { $0.contains(".") && (try? Domain($0)) != nil }) {
            throw ValidationError("'\(name.displayable.shortened(to: 80))' is a domain: --domain lists its incidents")
        }
        _ = try (parsedKind(), parsedDomain(), start(now: Date()))
    }

    func run() async throws {
        let now = Date()
        let (monitor, incidents) = try await remote.ask(store, .reader, now: now) { api in
            (try await api.status(), try await find(api, now))
        }
        switch format {
        case .json: Console.print(try ReportJSON.text(incidents))
        default:
            let isPast = all || since != nil || !ids.isEmpty
            Console.print(IncidentsText(incidents, isPast: isPast, style: .standardOutput, now: now).text)
        }
        monitor.warning(now: now).first.map(Console.remark)
    }

    // MARK: - What is asked for

    private func parsedKind() throws -> IncidentKind? {
        guard let kind else { return nil }
        guard let known = IncidentKind(rawValue: kind) else {
            let names = IncidentKind.allCases.map(\.rawValue)
            let hint = Spelling.suggestion(for: kind, among: names)
            throw ValidationError(
                "--kind: '\(kind.displayable.shortened(to: 80))' is not a kind of incident"
                    + (hint.isEmpty ? "; the kinds are \(names.joined(separator: ", "))" : hint))
        }
        return known
    }

    private func parsedDomain() throws -> Domain? {
        do {
            return try domain.map { try Domain($0) }
        } catch {
            throw ValidationError("--domain: \(error)")
        }
    }

    /// nil: no limit.
    private func start(now: Date) throws -> Date? {
        guard let since else { return nil }
        if let instant = try? Date(since, strategy: .iso8601) { return instant }
        do {
            return now - (try TimeSpan.reading(.milliseconds(1)...(.seconds(3660 * 86_400)))(since)).duration.inSeconds
        } catch {
            throw ValidationError(
                "--since: '\(since.displayable.shortened(to: 80))' is not a duration such as 24h or 7d, or a time "
                    + "such as 2026-11-21T07:00:00Z")
        }
    }

    func find(_ api: any MonitorAPI, _ now: Date) async throws -> [IncidentReport] {
        guard ids.isEmpty else {
            var found: [IncidentReport] = []
            for id in ids {
                let incident = try await api.incident(named: id).base
                if !found.contains(where: { $0.id == incident.id }) { found.append(incident) }
            }
            return found
        }
        let (domain, start) = (try parsedDomain(), try start(now: now))
        let isPast = all || start != nil
        var query = IncidentQuery(domain: domain, kind: try parsedKind(), limit: min(limit, Self.pageSize))
        query.state = isPast ? nil : .open
        var found = try await Self.list(query, limit, api) { incident in
            start.map { (incident.resolvedAt ?? .distantFuture) >= $0 } ?? true
        }
        // Unconfirmed incidents are open too, and say what they wait for.
        query.state = .pending
        found += try await Self.list(query, limit, api) { _ in true }
        if found.isEmpty, let domain {
            do {
                _ = try await api.domain(domain)
            } catch let refusal as APIRefusal where refusal.reason == .notFound {
                // One that is no longer watched may have a past.
                let past = try await api.incidents(IncidentQuery(domain: domain, limit: 1)).incidents
                if past.isEmpty { throw CommandFailure(.usage, "\(domain) is not watched here") }
            }
        }
        return Array(found.prefix(limit))
    }

    /// The most that a daemon returns in one page.
    private static let pageSize = 500

    /// The newest incidents that pass, at most `limit`.
    static func list(
        _ query: IncidentQuery, _ limit: Int, _ api: any MonitorAPI, _ passes: (IncidentReport) -> Bool = { _ in true }
    ) async throws -> [IncidentReport] {
        var (found, query): ([IncidentReport], IncidentQuery) = ([], query)
        while found.count < limit {
            let page = try await api.incidents(query)
            found += page.incidents.filter(passes)
            guard let place = page.next.flatMap(IncidentPlace.init) else { break }
            query.after = place
        }
        return Array(found.prefix(limit))
    }
}

extension IncidentReport {
    /// What a resolved incident was about; nil while it is open, or if no effect is known.
    var was: String? {
        guard resolvedAt != nil, let effect else { return nil }
        return [effect, cause].compactMap(\.self).joined(separator: " ").onOneLine(upTo: 400)
    }
}

/// Incidents in a terminal, one line each. An open incident also says what phones do, why, and what to do; a resolved
/// one says what it was about.
struct IncidentsText {
    let text: String

    init(_ incidents: [IncidentReport], isPast: Bool, style: TextStyle, now: Date) {
        guard !incidents.isEmpty else {
            text = isPast ? "no incident" : "no incident is open"
            return
        }
        let open = incidents.filter { $0.resolvedAt == nil }
        let calm = open.count { $0.acknowledged != nil }
        var head = "\(open.count.of("incident is", "incidents are")) open"
        if calm > 0 { head += ", \(calm.grouped) acknowledged" }
        // Acknowledging the inhibiting incident acknowledges these too.
        let inhibited = open.count { $0.acknowledged == nil && $0.inhibitedBy != nil }
        if inhibited > 0 { head += ", \(inhibited.grouped) inhibited" }
        if isPast { head += "; \((incidents.count - open.count).grouped) resolved" }
        var lines = [style.bold(head)]
        for incident in incidents {
            let isOpen = incident.resolvedAt == nil
            let line = Self.line(incident, style, now)
            lines += isOpen ? [""] : []
            lines += style.broken(line, indentation: 0, hanging: 4)
            guard isOpen else {
                lines += incident.was.map { style.part("was", $0) } ?? []
                continue
            }
            if let effect = incident.effect { lines += style.part("now", effect.onOneLine(upTo: 600)) }
            let parts = [incident.cause, incident.action, incident.outlook].map { $0?.onOneLine(upTo: 600) }
            lines += style.parts(parts[0], parts[1], parts[2])
        }
        text = style.signs(lines.joined(separator: "\n"))
    }

    private static func line(_ incident: IncidentReport, _ style: TextStyle, _ now: Date) -> String {
        let state =
            incident.resolvedAt.map { end in
                "resolved after \(Span.words(end.timeIntervalSince(incident.since)))"
                    + (incident.endInWords.map { " (\($0))" } ?? "")
                    + " · since \(Span.minute(incident.since)) UTC"
            } ?? incident.stateSince { "\(Span.minute($0)) UTC (\(Span.age(now.timeIntervalSince($0))))" }
        let facts: [String?] = [
            "\(style.bold(incident.shortID))  \(style.severity(incident.severity))  \(incident.about.displayable)  \(state)",
            incident.waitsFor(at: now),
            incident.acknowledgedInWords.map { words in
                let reason = incident.acknowledged?.reason ?? ""
                return words + (reason.isEmpty ? "" : ": \(reason.onOneLine(upTo: 200))")
            },
        ]
        return
            (facts.compactMap(\.self) + incident.marks(at: now, zone: " UTC")
            + [incident.notifiedInWords()].compactMap(\.self)).joined(separator: " · ")
    }
}
