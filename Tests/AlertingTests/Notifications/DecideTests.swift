// The decision table of docs/reference/alerts.md. The page's table is printed from these rows, and a test compares the
// rows with `decide` over all combinations of its arguments.

import Evidence
import Foundation
import Monitoring
import Storage
import TestSupport
import Testing

@testable import Alerting

/// One combination of arguments.
private struct Case {
    let record: IncidentRecord
    let known: NotificationRecord
    let route: Route
    let suppression: Suppression?
    let refusalsLiftedAt: Date?

    var incident: Incident { record.incident }
    var isResolved: Bool { incident.state == .resolved }
    var knowsFiring: Bool { known.state == .firing }
    var isAbove: Bool { incident.version > known.version }
    var end: Date { incident.resolvedAt ?? noon }
    var age: TimeInterval { noon.timeIntervalSince(end) }
    var life: TimeInterval { route.isPager ? 30 * 86_400 : 72 * 3600 }
    var isRefused: Bool {
        guard let refused = known.refused, refused.at >= refusalsLiftedAt ?? .distantPast else { return false }
        return refused.version == (isResolved ? -incident.version : incident.version)
    }
    var mayEscalate: Bool {
        incident.severity == .error && record.acknowledgement == nil && !incident.isFlapping
    }
    /// When the escalation step is due; nil if the channel is not in one.
    var stepDue: Date? {
        guard case .after(let delay) = route.timing else { return nil }
        return max(incident.escalatesFrom ?? noon, known.releasedAt ?? .distantPast)
            + TimeInterval(delay.components.seconds)
    }
    var isSilent: Bool { suppression?.isSuppressing == true }
    var flapsAnew: Bool {
        incident.isFlapping && (incident.flapping?.version ?? 0) >= max(1, incident.again?.version ?? 0)
    }
    var soonest: Date { (known.notifiedAt ?? .distantPast) + 1800 }
    var reminder: Date? { route.reminders.next(for: incident, after: known.notifiedAt) }
    var untilFree: Decision { .wait(until: suppression?.until) }
    func isAbove(_ mark: Incident.Mark?) -> Bool { (mark?.version ?? 0) > known.version }
}

/// A row of the table: its four cells, its condition and its result.
private struct Row: Sendable {
    let knows: String
    let incident: String
    let condition: String
    let outcome: String
    let fits: @Sendable (Case) -> Bool
    let answer: @Sendable (Case) -> Decision

    init(
        _ knows: String, _ incident: String, _ condition: String, _ outcome: String,
        if fits: @escaping @Sendable (Case) -> Bool,
        then answer: @escaping @Sendable (Case) -> Decision
    ) {
        (self.knows, self.incident, self.condition, self.outcome) = (knows, incident, condition, outcome)
        (self.fits, self.answer) = (fits, answer)
    }

    var text: String {
        "|" + [knows, incident, condition, outcome].map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }
}

/// The first matching row decides.
private let rows: [Row] = [
    Row(
        "anything", "anything", "it is about this channel itself", "nothing",
        if: { $0.route.isSubject }, then: { _ in .nothing }),
    Row(
        "anything", "a [change](#changes) that is over", "a newer one replaced it, or it is no longer followed",
        "nothing",
        if: { $0.isResolved && $0.incident.kind == .change && $0.incident.reason != .cdnCaughtUp },
        then: { _ in .nothing }),
    Row(
        "anything", "resolved", "the receiver refused this version", "nothing until the channel is repaired",
        if: { $0.isResolved && $0.isRefused },
        then: { $0.age < $0.life ? .wait(until: $0.end + $0.life) : .nothing }),
    Row(
        "firing, or may know of it", "resolved", "it ended less than 72 hours ago (pagers: 30 days)",
        "`resolved`, even in silences",
        if: { $0.isResolved && ($0.knowsFiring || $0.known.maybeDelivered) && $0.age <= $0.life },
        then: { _ in .send(.resolved) }),
    Row(
        "nothing, or an earlier end", "resolved",
        "a message was pending; a chat; neither silenced nor inhibited; it ended less than 24 hours ago",
        "one message: \"was firing, resolved\"",
        if: {
            $0.isResolved && !$0.knowsFiring && !$0.known.maybeDelivered && $0.isAbove
                && ($0.known.pendingSince != nil || $0.known.refused != nil) && !$0.route.isPager && !$0.isSilent
                && $0.age <= 86_400
        }, then: { _ in .send(.wasFiring) }),
    Row("anything", "resolved", "", "nothing", if: { $0.isResolved }, then: { _ in .nothing }),
    Row("nothing", "pending", "", "nothing", if: { $0.incident.version == 0 }, then: { _ in .nothing }),
    Row(
        "firing", "acknowledged", "the service accepts acknowledgements and does not have this one",
        "`acknowledged`, even in silences",
        if: {
            guard $0.knowsFiring, $0.route.takesAcknowledgements, let taken = $0.record.acknowledgement else {
                return false
            }
            return taken.at != $0.known.acknowledgedAt
        }, then: { _ in .send(.acknowledged) }),
    Row(
        "anything", "recovering", "", "wait",
        if: { $0.incident.state == .recovering }, then: { _ in .undecided }),
    Row(
        "anything", "firing", "the receiver refused this version", "nothing until the channel is repaired",
        if: { $0.isRefused }, then: { _ in .nothing }),
    Row(
        "nothing, or resolved", "firing",
        "not routed here, or filtered out by [`severity` or `kinds`](#what-a-channel-is-notified-of); or an escalation step, "
            + "and the incident is a warning, acknowledged or flapping", "nothing",
        if: { !$0.knowsFiring && ($0.route.timing == .none || $0.stepDue != nil && !$0.mayEscalate) },
        then: { _ in .nothing }),
    Row(
        "nothing, or resolved", "firing", "suppressed", "wait",
        if: { !$0.knowsFiring && $0.suppression != nil }, then: { $0.untilFree }),
    Row(
        "nothing, or resolved", "firing",
        "the escalation step is not due, counted from the firing or from the end of the suppression", "wait",
        if: { !$0.knowsFiring && $0.stepDue ?? .distantPast > noon }, then: { .wait(until: $0.stepDue) }),
    Row(
        "nothing, or resolved", "firing", "an escalation step", "`firing`",
        if: { !$0.knowsFiring && $0.stepDue != nil }, then: { _ in .send(.escalated) }),
    Row(
        "nothing", "firing", "", "`firing`",
        if: { $0.known.state == .nothing }, then: { _ in .send(.firing) }),
    Row(
        "resolved", "firing", "", "`update` (again; flapping if this made it flap)",
        if: { $0.known.state == .resolved }, then: { .send($0.flapsAnew ? .flapping : .again) }),
    Row(
        "firing", "firing", "no longer routed here, or filtered out", "nothing",
        if: { $0.route.timing == .none }, then: { _ in .nothing }),
    Row(
        "firing", "firing, higher version", "suppressed", "wait",
        if: { $0.isAbove && $0.suppression != nil }, then: { $0.untilFree }),
    Row(
        "firing", "firing, higher version", "it became worse", "`update` (worse)",
        if: { $0.isAbove && $0.isAbove($0.incident.worse) }, then: { _ in .send(.worse) }),
    Row(
        "firing", "firing, higher version", "it started to flap, and did not come back for good",
        "`update` (flapping)",
        if: {
            $0.isAbove && $0.isAbove($0.incident.flapping) && ($0.flapsAnew || !$0.isAbove($0.incident.again))
        }, then: { _ in .send(.flapping) }),
    Row(
        "firing", "firing, higher version", "it came back", "`update` (again)",
        if: { $0.isAbove && $0.isAbove($0.incident.again) }, then: { _ in .send(.again) }),
    Row(
        "firing", "firing, higher version", "it changed, less than 30 minutes after the last message", "wait",
        if: { $0.isAbove && $0.soonest > noon }, then: { .wait(until: $0.soonest) }),
    Row(
        "firing", "firing, higher version", "it changed", "`update` (changed)",
        if: { $0.isAbove }, then: { _ in .send(.changed) }),
    Row(
        "firing", "firing, same version", "a pager; acknowledged; flapping; or no reminder left", "nothing",
        if: {
            $0.route.isPager || $0.record.acknowledgement != nil || $0.incident.isFlapping || $0.reminder == nil
        }, then: { _ in .nothing }),
    Row(
        "firing", "firing, same version", "the next reminder is not due", "wait",
        if: { $0.reminder ?? .distantPast > noon }, then: { .wait(until: $0.reminder) }),
    Row(
        "firing", "firing, same version", "a reminder is due, but suppressed", "wait",
        if: { $0.suppression != nil }, then: { $0.untilFree }),
    Row(
        "firing", "firing, same version", "a reminder is due", "`reminder`",
        if: { _ in true }, then: { _ in .send(.reminder) }),
]

private enum Combinations {
    static let states: [Incident.State] = [.pending, .firing, .recovering, .resolved]
    static let suppressions: [Suppression?] = [
        nil, Suppression(until: noon + 500), Suppression(until: nil),
        Suppression(until: noon + 60, isSuppressing: false),
    ]

    static func incidents() throws -> [IncidentRecord] {
        var all: [IncidentRecord] = []
        let domain = try Domain("example.com")
        for state in states {
            for version in state == .pending ? [0] : [1, 3] {
                for mark in 0...(version == 3 && state != .resolved ? 4 : 0) {
                    let ages: [TimeInterval] = state == .resolved ? [60, 90_000, 288_000, 2_678_400] : [90_000]
                    for age in ages {
                        for flags in 0..<8 {
                            let at = noon - age - 3600
                            let top = Incident.Mark(version: 3, at: at)
                            let incident = Incident(
                                id: "a", subject: .domain(domain), kind: .cdnStale,
                                severity: flags & 1 == 0 ? .error : .warning, state: state, since: at - 7200,
                                openedAt: at - 3600, firedAt: version > 0 ? at - 1800 : nil,
                                resolvedAt: state == .resolved ? noon - age : nil, version: version,
                                worse: mark == 1 ? top : nil, again: mark == 2 || mark == 4 ? top : nil,
                                flapping: mark >= 3 ? top : nil, isFlapping: flags & 2 != 0)
                            let taken = Acknowledgement(by: "eva", reason: "", at: noon - 40, version: 3)
                            all.append(
                                IncidentRecord(incident: incident, acknowledgement: flags & 4 == 0 ? nil : taken))
                            if state == .firing, flags < 2 {
                                var certificate = incident
                                certificate.kind = .certificateExpiring
                                all.append(IncidentRecord(incident: certificate))
                            }
                            guard state == .resolved, flags < 2 else { continue }
                            for reason in [Incident.Resolution.cdnCaughtUp, .superseded] {
                                var change = incident
                                (change.kind, change.reason) = (.change, reason)
                                all.append(IncidentRecord(incident: change))
                            }
                        }
                    }
                }
            }
        }
        return all
    }

    static func known() -> [NotificationRecord] {
        var all: [NotificationRecord] = []
        for state in NotificationRecord.State.allCases {
            let instants = [noon - 60, noon - 3600, noon - 86_399, noon - 10 * 86_400]
            for version in state == .nothing ? [0] : [1, 3] {
                for notified in state == .firing ? instants : [noon - 3600] {
                    for flags in 0..<11 {
                        var record = NotificationRecord(incidentID: "a")
                        record.state = state
                        record.version = version
                        record.notifiedAt = state == .nothing ? nil : notified
                        if flags < 8 {
                            record.maybeDelivered = flags & 1 != 0
                            record.pendingSince = flags & 2 == 0 ? nil : noon - 300
                            record.acknowledgedAt = flags & 4 == 0 ? nil : noon - 40
                        } else if flags == 10 {
                            record.releasedAt = noon - 30
                        } else {
                            record.refused = .init(version: flags == 8 ? 3 : -1, at: noon - 10)
                        }
                        all.append(record)
                    }
                }
            }
        }
        return all
    }

    static func routes() -> [Route] {
        var all: [Route] = []
        for flags in 0..<4 {
            for timing in [Route.Timing.none, .atOnce, .after(.seconds(60)), .after(.seconds(90 * 86_400))] {
                var route = Route()
                route.timing = timing
                route.isPager = flags & 1 != 0
                route.takesAcknowledgements = flags & 2 != 0
                route.reminders = ReminderSchedule(every: .seconds(86_400))
                all.append(route)
                guard flags == 0 else { continue }
                route.reminders = ReminderSchedule(every: nil)
                all.append(route)
            }
        }
        var route = Route()
        all.append(route)
        route.isSubject = true
        all.append(route)
        return all
    }

    /// No lift, one before the refusals of `known`, and one after them.
    static func lifts(of known: NotificationRecord) -> [Date?] {
        known.refused == nil ? [nil] : [nil, noon - 20, noon - 5]
    }
}

extension AlertingSuite {
    @Suite("decide")
    struct DecideTests {
        @Test(
            "each combination of arguments gets the result of the first matching row, and no row is redundant"
        )
        func table() throws {
            var used: Set<Int> = []
            let known = Combinations.known()
            let routes = Combinations.routes()
            // Every seventh combination. No argument has a multiple of seven values, so any two values still meet.
            // `make soak` tests all.
            let stride = Rounds.of(7, soak: 1)
            var count = 0
            for record in try Combinations.incidents() {
                for (known, lift) in known.flatMap({ known in Combinations.lifts(of: known).map { (known, $0) } }) {
                    for route in routes {
                        for suppression in Combinations.suppressions {
                            count += 1
                            guard count % stride == 0 else { continue }
                            let one = Case(
                                record: record, known: known, route: route, suppression: suppression,
                                refusalsLiftedAt: lift)
                            let answer = decide(
                                record, known, route, suppression, refusalsLiftedAt: lift, now: noon)
                            // Millions of calls of `#expect` would take minutes.
                            guard let row = rows.firstIndex(where: { $0.fits(one) }),
                                rows[row].answer(one) == answer
                            else {
                                let row = rows.first { $0.fits(one) }
                                Issue.record("\(answer), not by \(row?.text ?? "any row"): \(one)")
                                return
                            }
                            used.insert(row)
                        }
                    }
                }
            }
            #expect(used.count == rows.count, "\(rows.indices.filter { !used.contains($0) }.map { rows[$0].text })")
        }

        @Test("docs/reference/alerts.md has exactly this table")
        func page() throws {
            let file = URL(filePath: #filePath).appending(path: "../../../../docs/reference/alerts.md").standardized
            let page = try String(contentsOf: file, encoding: .utf8)
            let head = "| the channel knows | the incident is | and | then |\n|---|---|---|---|\n"
            let start = try #require(page.range(of: head)).upperBound
            let end = try #require(page.range(of: "\n\n", range: start..<page.endIndex)).lowerBound
            let table = rows.map(\.text).joined(separator: "\n")
            let difference = try GoldenFile.difference(
                between: page.replacingCharacters(in: start..<end, with: table), and: file)
            #expect(difference == nil, "\(difference ?? "")")
        }

        @Test(
            "the gaps between reminders grow to a day, and reminders stop after seven days",
            arguments: [
                (4, [4, 12, 28, 52, 76, 100, 124, 148]), (24, [24, 48, 72, 96, 120, 144, 168]),
                (36, [36, 72, 108, 144]),
                (200, [200]),
            ])
        func reminders(hours: Int, expected: [Int]) throws {
            #expect(try due(hours, .cdnStale, atMost: 20) == expected)
        }

        @Test("reminders of a certificate continue until it is renewed")
        func certificate() throws {
            #expect(try due(24, .certificateExpiring, atMost: 14) == (1...14).map { $0 * 24 })
        }

        @Test("missed reminders become one, and the rhythm stays")
        func missed() throws {
            let incident = try incident(.cdnStale)
            let schedule = ReminderSchedule(every: .seconds(4 * 3600))
            #expect(schedule.next(for: incident, after: noon + 60 * 3600) == noon + 76 * 3600)
            #expect(ReminderSchedule(every: nil).next(for: incident, after: nil) == nil)
        }

        private func incident(_ kind: IncidentKind) throws -> Incident {
            Incident(
                id: "a", subject: .domain(try Domain("example.com")), kind: kind, severity: .error, state: .firing,
                since: noon, openedAt: noon, firedAt: noon, version: 1)
        }

        private func due(_ hours: Int, _ kind: IncidentKind, atMost count: Int) throws -> [Int] {
            let incident = try incident(kind)
            let schedule = ReminderSchedule(every: .seconds(hours * 3600))
            var all: [Int] = []
            var last: Date?
            while all.count < count, let next = schedule.next(for: incident, after: last) {
                all.append(Int(next.timeIntervalSince(noon)) / 3600)
                last = next
            }
            return all
        }
    }
}
