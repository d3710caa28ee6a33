// Silences and maintenance windows: what is in force, what comes, and a form for another silence.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import Report
import Storage

extension Pages {
    static let silencesPath = "/silences"

    func silences(_ request: Request) async -> Response {
        let isPaused = refusal != nil || request.uri.queryParameters["pause"] != nil
        return await context.answer(request, .silences) { time in
            let basis = try await context.basis(
                time, role, refusal, counts: try await context.store.statusCounts(), isPaused: isPaused,
                pauseAddress: Self.silencesPath + (isPaused ? "" : "?pause=1"))
            let view = SilencesView(
                Silences(
                    silences: try await context.store.silences(notOverAt: time.wall), windows: try await api.windows()),
                watched: context.watched.index, basis: basis, time: time)
            return (view, view.frame)
        }
    }
}

struct SilencesView: Equatable, Sendable {
    let frame: Frame
    let headline: String
    let note: String
    let silences: [Row]
    let windows: [WindowRow]
    /// Of incidents.
    let kinds: [FrontPage.Choice]

    struct Row: Equatable, Sendable {
        let silence: DomainView.SilenceRow
        /// Whether it is in force now.
        let isActive: Bool
        let matches: String
    }

    struct WindowRow: Equatable, Sendable {
        let name: String
        let scope: String
        let isActive: Bool
        let when: String
        let zone: String
        let reason: String
        let matches: String
    }

    init(_ all: Silences, watched: WatchIndex, basis: Frame.Basis, time: ReportTime) {
        let now = time.wall
        let active = all.silences.count { $0.isActive(at: now) } + all.windows.count { $0.end(at: now) != nil }
        let until = all.everything(at: now).map(time.clock)
        headline =
            until.map { "Nobody is notified until \($0)" }
            ?? (active == 0 ? "Nothing is silenced" : "\(active.of("silence")) in force")
        note =
            until == nil
            ? "Silences and maintenance windows stop messages, not checks."
            : "A silence or maintenance window covers all domains. Checks go on."
        frame = Frame(
            title: headline, tone: until == nil ? .soft : .warn, section: .silences, json: "/api/v1/silences",
            basis: basis, time: time)
        kinds = IncidentKind.allCases.map {
            FrontPage.Choice(value: $0.rawValue, text: $0.rawValue, isChosen: $0.rawValue == basis.refusal?.kind)
        }
        func matches(_ scope: SilenceScope) -> String {
            let count = watched.count(of: scope)
            return count == 0 ? "no watched domain" : count.of("domain")
        }
        silences = all.silences.sorted { ($0.endsAt, $0.id) < ($1.endsAt, $1.id) }.map { silence in
            Row(
                silence: DomainView.SilenceRow(SilenceReport(silence, now: now), time),
                isActive: silence.isActive(at: now),
                matches: matches(silence.scope))
        }
        windows = all.windows.map { window in
            // By the clock of its zone, which stands beside it; the page's own clock is UTC.
            func shown(_ instant: Date) -> String {
                let ahead = Double(window.zone.secondsFromGMT(for: instant))
                return time.clock(instant + ahead) + (ahead == 0 ? "" : " (\(time.clock(instant)) UTC)")
            }
            let end = window.end(at: now).map { "in force until \(shown($0))" }
            let next = window.nextStart(after: now).map { "next \(shown($0))" }
            return WindowRow(
                name: window.name.onOneLine(upTo: 100), scope: "\(window.scope)".onOneLine(upTo: 200),
                isActive: end != nil, when: [window.schedule, end ?? next ?? "never"].joined(separator: "; "),
                zone: window.zoneName,
                reason: window.reason.onOneLine(upTo: 300), matches: matches(window.scope))
        }
    }
}
