// The truth table of docs/alerts.md, written down a second time as rows, and held against `decide` over all combinations of its
// arguments.

import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

/// One combination of arguments.
private struct Case {
    let record: IncidentRecord
    let known: NotificationRecord
    let route: Route
    let suppression: Suppression?

    var incident: Incident { record.incident }
    var isResolved: Bool { incident.state == .resolved }
    var knowsFiring: Bool { known.state == .firing }
    var age: TimeInterval { noon.timeIntervalSince(incident.resolvedAt ?? noon) }
    var isRefused: Bool {
        known.refused?.version == (isResolved ? -incident.version : incident.version)
    }
    var mayEscalate: Bool {
        route.escalatesAfter != nil && incident.severity == .error && record.acknowledgement == nil
            && !incident.isFlapping
    }
    var isStep: Bool { !route.isRouted && route.escalatesAfter != nil }
    var stepDue: Date {
        max(incident.escalatesFrom ?? noon, known.releasedAt ?? .distantPast)
            + (route.escalatesAfter ?? .zero).components.seconds.seconds
    }
    var isSilent: Bool { suppression?.reason == .silenced || suppression?.reason == .inhibited }
    var flapsAnew: Bool {
        incident.isFlapping && (incident.flapping?.version ?? 0) >= max(1, incident.again?.version ?? 0)
    }
    func isAbove(_ mark: Incident.Mark?) -> Bool { (mark?.version ?? 0) > known.version }
}

extension Int64 {
    fileprivate var seconds: TimeInterval { TimeInterval(self) }
}

/// The first row whose condition holds answers.
private func row(_ c: Case) -> (name: String, answer: Decision) {
    let until = c.suppression?.until
    let soonest = (c.known.notifiedAt ?? .distantPast) + 1800
    let reminder = c.route.reminders.next(for: c.incident, after: c.known.notifiedAt)
    let isAbove = c.incident.version > c.known.version
    if c.route.isSubject { return ("about this channel", .nothing) }
    if c.isResolved {
        let life: TimeInterval = c.route.isPager ? 30 * 86_400 : 72 * 3600
        if c.isRefused {
            let end = (c.incident.resolvedAt ?? noon) + life
            return c.age < life
                ? ("the end was refused", .wait(until: end)) : ("the end was refused long ago", .nothing)
        }
        if c.knowsFiring || c.known.mayKnow {
            return c.age <= life ? ("knows firing, resolved", .send(.resolved)) : ("resolved too long ago", .nothing)
        }
        if c.known.version < c.incident.version {
            let wasPending = c.known.pendingSince != nil || c.known.refused != nil
            let isDue = wasPending && !c.route.isPager && !c.isSilent && c.age <= 86_400
            return isDue ? ("was pending", .send(.wasFiring)) : ("knows nothing of it, resolved", .nothing)
        }
        return ("knows resolved, resolved", .nothing)
    }
    if c.incident.version == 0 { return ("pending", .nothing) }
    if c.knowsFiring, c.route.takesAcknowledgements, let taken = c.record.acknowledgement,
        taken.at != c.known.acknowledgedAt
    {
        return ("acknowledged", .send(.acknowledged))
    }
    if c.incident.state == .recovering { return ("recovering", .undecided) }
    if c.isRefused { return ("this version was refused", .nothing) }
    if !c.knowsFiring {
        if !c.route.isRouted && !c.mayEscalate { return ("new: not concerned", .nothing) }
        if c.suppression != nil { return ("new: suppressed", .wait(until: until)) }
        if c.isStep && c.stepDue > noon { return ("new: step not reached", .wait(until: c.stepDue)) }
        if c.isStep { return ("new: step", .send(.escalated)) }
        if c.known.state == .nothing { return ("knows nothing", .send(.firing)) }
        return c.flapsAnew ? ("knows resolved: flapping", .send(.flapping)) : ("knows resolved", .send(.again))
    }
    if !c.route.isRouted && c.route.escalatesAfter == nil { return ("not routed any more", .nothing) }
    if isAbove {
        if c.suppression != nil { return ("version above: suppressed", .wait(until: until)) }
        if c.isAbove(c.incident.worse) { return ("version above: worse", .send(.worse)) }
        if c.isAbove(c.incident.flapping), c.flapsAnew || !c.isAbove(c.incident.again) {
            return ("version above: flapping", .send(.flapping))
        }
        if c.isAbove(c.incident.again) { return ("version above: again", .send(.again)) }
        if soonest > noon { return ("version above: changed, soon after", .wait(until: soonest)) }
        return ("version above: changed", .send(.changed))
    }
    if c.route.isPager || c.record.acknowledgement != nil || c.incident.isFlapping { return ("no reminder", .nothing) }
    guard let reminder else { return ("no more reminders", .nothing) }
    if reminder > noon { return ("reminder to come", .wait(until: reminder)) }
    if c.suppression != nil { return ("reminder due: suppressed", .wait(until: until)) }
    return ("reminder due", .send(.reminder))
}

private let rowNames: Set<String> = [
    "about this channel", "the end was refused", "the end was refused long ago", "knows firing, resolved",
    "resolved too long ago", "was pending",
    "knows nothing of it, resolved", "knows resolved, resolved", "pending", "acknowledged", "recovering",
    "this version was refused", "new: not concerned", "new: suppressed", "new: step not reached", "new: step",
    "knows nothing", "knows resolved", "knows resolved: flapping", "not routed any more", "version above: suppressed",
    "version above: worse",
    "version above: again", "version above: flapping", "version above: changed, soon after", "version above: changed",
    "no reminder", "no more reminders", "reminder to come", "reminder due: suppressed", "reminder due",
]

private enum Combinations {
    static let states: [Incident.State] = [.pending, .firing, .recovering, .resolved]
    static let suppressions: [Suppression?] = [
        nil, Suppression(until: noon + 500, reason: .silenced), Suppression(until: nil, reason: .inhibited),
        Suppression(until: noon + 60, reason: .staleEvidence),
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
                            record.mayKnow = flags & 1 != 0
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
        for flags in 0..<8 {
            for after in [nil, Duration.seconds(60), .seconds(90 * 86_400)] {
                var route = Route()
                route.isRouted = flags & 1 == 0
                route.isPager = flags & 2 != 0
                route.takesAcknowledgements = flags & 4 != 0
                route.reminders = ReminderSchedule(every: .seconds(86_400))
                route.escalatesAfter = after
                all.append(route)
            }
        }
        var route = Route()
        all.append(route)
        route.isSubject = true
        all.append(route)
        return all
    }
}

extension AlertingSuite {
    @Suite("decide")
    struct DecideTests {
        @Test(
            "every combination of arguments is answered by the first row of the table that fits, and each row is needed"
        )
        func table() throws {
            var used: Set<String> = []
            let known = Combinations.known()
            let routes = Combinations.routes()
            for record in try Combinations.incidents() {
                for known in known {
                    for route in routes {
                        for suppression in Combinations.suppressions {
                            let one = Case(record: record, known: known, route: route, suppression: suppression)
                            let (name, expected) = row(one)
                            used.insert(name)
                            let answer = decide(record, known, route, suppression, now: noon)
                            // `#expect` for each of a million would take minutes.
                            if answer != expected {
                                Issue.record("\(name): \(answer) and not \(expected): \(one)")
                                return
                            }
                        }
                    }
                }
            }
            #expect(used == rowNames)
        }

        @Test(
            "reminders come further and further apart, up to a day, for seven days",
            arguments: [
                (4, [4, 12, 28, 52, 76, 100, 124, 148]), (24, [24, 48, 72, 96, 120, 144, 168]),
                (36, [36, 72, 108, 144]),
                (200, [200]),
            ])
        func reminders(hours: Int, expected: [Int]) throws {
            #expect(try due(hours, .cdnStale, atMost: 20) == expected)
        }

        @Test("reminders of a certificate go on until it is renewed")
        func certificate() throws {
            #expect(try due(24, .certificateExpiring, atMost: 14) == (1...14).map { $0 * 24 })
        }

        @Test("reminders that were missed are one, and the rhythm stays")
        func missed() throws {
            let incident = try incident(.cdnStale)
            let schedule = ReminderSchedule(every: .seconds(4 * 3600))
            #expect(schedule.next(for: incident, after: noon + 60 * 3600) == noon + 76 * 3600)
            #expect(ReminderSchedule(every: nil).next(for: incident, after: nil) == nil)
        }

        @Test("a refusal counts until it is lifted")
        func lifted() throws {
            var known = NotificationRecord(incidentID: "a")
            known.refused = .init(version: 1, at: noon - 60)
            let record = IncidentRecord(incident: try incident(.cdnStale))
            #expect(decide(record, known, Route(), nil, now: noon) == .nothing)
            #expect(decide(record, known, Route(), nil, refusalsLiftedAt: noon - 90, now: noon) == .nothing)
            #expect(decide(record, known, Route(), nil, refusalsLiftedAt: noon, now: noon) == .send(.firing))
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
