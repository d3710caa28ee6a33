// What `decide` answers for all combinations of its arguments, in Snapshots/decide.txt. A line stands for all combinations that
// it does not tell apart: it names only the arguments that make a difference there. `isOpen` of a part leaves out what cannot occur,
// and values that `decide` does not look at in that place: a change that makes it look there opens the part. `make golden` writes
// the file again.

import Evidence
import Foundation
import Monitoring
import Storage
import TestSupport
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("decide, recorded")
    struct DecideGoldenTests {
        @Test("decide answers every combination of its arguments as recorded")
        func answers() throws {
            var table = DecisionTable(parts: parts)
            let text = table.text(of: try Arguments())
            let file = URL(filePath: #filePath).appending(path: "../../Snapshots/decide.txt").standardized
            let difference = try GoldenFile.difference(between: text, and: file)
            #expect(difference == nil, "\(difference ?? "")")
        }
    }
}

private struct Arguments {
    var record: IncidentRecord
    var known = NotificationRecord(incidentID: "a")
    var route = Route()
    var suppression: Suppression?
    var refusalsLiftedAt: Date?

    init() throws {
        record = IncidentRecord(
            incident: Incident(
                id: "a", subject: .domain(try Domain("example.com")), kind: .cdnStale, severity: .error,
                state: .pending, since: noon - 100_000, openedAt: noon - 95_000))
        route.reminders = ReminderSchedule(every: .seconds(86_400))
    }

    var isResolved: Bool { record.incident.state == .resolved }
}

/// A part of the arguments, with the values that it takes.
private struct Part: Sendable {
    let values: [(name: String, set: @Sendable (inout Arguments) -> Void)]
    /// Whether there is anything to choose, by the parts before it.
    var isOpen: @Sendable (Arguments) -> Bool = { _ in true }
}

private let mark = Incident.Mark(version: 3, at: noon - 93_600)
private let acknowledged = noon - 40

/// The order is the one that gives the shortest file.
private let parts: [Part] = [
    Part(values: [
        ("about another", { _ in }),
        ("about this channel", { $0.route.isSubject = true }),
    ]),
    Part(values: [
        ("pending", { _ in }),
        ("firing", { $0.record.incident.state = .firing }),
        ("recovering", { $0.record.incident.state = .recovering }),
        ("resolved", { $0.record.incident.state = .resolved }),
    ]),
    Part(values: [
        ("knows nothing", { _ in }),
        ("knows firing", { $0.known.state = .firing }),
        ("knows resolved", { $0.known.state = .resolved }),
    ]),
    Part(
        values: [("version 1", { $0.record.incident.version = 1 }), ("version 3", { $0.record.incident.version = 3 })],
        isOpen: { $0.record.incident.state != .pending }),
    Part(values: [
        ("refused nothing", { _ in }),
        ("refused version 3", { $0.known.refused = .init(version: 3, at: noon - 10) }),
        ("refused the end of version 1", { $0.known.refused = .init(version: -1, at: noon - 10) }),
    ]),
    Part(
        values: [
            ("refusals hold", { _ in }),
            ("older refusals lifted", { $0.refusalsLiftedAt = noon - 20 }),
            ("refusals lifted", { $0.refusalsLiftedAt = noon - 5 }),
        ], isOpen: { $0.known.refused != nil }),
    Part(
        values: [("knows for sure", { _ in }), ("may know firing", { $0.known.maybeDelivered = true })],
        isOpen: { $0.known.refused == nil }),
    Part(
        values: [("not pending there", { _ in }), ("pending there", { $0.known.pendingSince = noon - 300 })],
        isOpen: { $0.known.refused == nil }),
    Part(
        values: [("knows version 1", { $0.known.version = 1 }), ("knows version 3", { $0.known.version = 3 })],
        isOpen: { $0.known.state != .nothing }),
    Part(
        values: [
            ("for 1 minute", { $0.record.incident.resolvedAt = noon - 60 }),
            ("for 25 hours", { $0.record.incident.resolvedAt = noon - 90_000 }),
            ("for 80 hours", { $0.record.incident.resolvedAt = noon - 288_000 }),
            ("for 31 days", { $0.record.incident.resolvedAt = noon - 2_678_400 }),
        ], isOpen: { $0.isResolved }),
    Part(values: [
        ("takes no acknowledgements", { _ in }),
        ("takes acknowledgements", { $0.route.takesAcknowledgements = true }),
    ]),
    Part(values: [
        ("not acknowledged", { _ in }),
        (
            "acknowledged",
            { $0.record.acknowledgement = Acknowledgement(by: "eva", reason: "", at: acknowledged, version: 3) }
        ),
    ]),
    Part(
        values: [
            ("knows no acknowledgement", { _ in }),
            ("knows the acknowledgement", { $0.known.acknowledgedAt = acknowledged }),
        ], isOpen: { $0.known.refused == nil }),
    Part(
        values: [
            ("routed", { _ in }),
            ("step reached", { $0.route.timing = .after(.seconds(60)) }),
            ("step to come", { $0.route.timing = .after(.seconds(90 * 86_400)) }),
            ("not routed", { $0.route.timing = .none }),
        ], isOpen: { !$0.route.isSubject }),
    Part(values: [("error", { _ in }), ("warning", { $0.record.incident.severity = .warning })]),
    Part(values: [("steady", { _ in }), ("flapping", { $0.record.incident.isFlapping = true })]),
    Part(
        values: [
            ("no change of a file", { _ in }),
            (
                "change the CDN caught up with",
                {
                    $0.record.incident.kind = .change
                    $0.record.incident.reason = .cdnCaughtUp
                }
            ),
            (
                "change that another followed",
                {
                    $0.record.incident.kind = .change
                    $0.record.incident.reason = .superseded
                }
            ),
        ], isOpen: { $0.isResolved && !$0.record.incident.isFlapping && $0.record.acknowledgement == nil }),
    Part(
        values: [
            ("no certificate", { _ in }), ("certificate", { $0.record.incident.kind = .certificateExpiring }),
        ],
        isOpen: {
            $0.record.incident.state == .firing && $0.known.state == .firing && !$0.record.incident.isFlapping
                && $0.record.acknowledgement == nil
        }),
    Part(
        values: [
            ("unmarked", { _ in }),
            ("worse", { $0.record.incident.worse = mark }),
            ("again", { $0.record.incident.again = mark }),
            ("began to flap", { $0.record.incident.flapping = mark }),
            (
                "again and began to flap",
                {
                    $0.record.incident.again = mark
                    $0.record.incident.flapping = mark
                }
            ),
        ], isOpen: { $0.record.incident.version == 3 && !$0.isResolved }),
    Part(values: [("chat", { _ in }), ("pager", { $0.route.isPager = true })], isOpen: { !$0.route.isSubject }),
    Part(
        values: [
            ("notified 1 minute ago", { $0.known.notifiedAt = noon - 60 }),
            ("notified 1 hour ago", { $0.known.notifiedAt = noon - 3600 }),
            ("notified 1 day ago", { $0.known.notifiedAt = noon - 86_399 }),
            ("notified 10 days ago", { $0.known.notifiedAt = noon - 10 * 86_400 }),
        ], isOpen: { $0.known.state == .firing }),
    Part(
        values: [("reminders", { _ in }), ("no reminders", { $0.route.reminders = ReminderSchedule(every: nil) })],
        isOpen: { !$0.route.isPager && !$0.route.takesAcknowledgements }),
    Part(values: [
        ("free", { _ in }),
        ("silenced", { $0.suppression = Suppression(until: noon + 500, reason: .silenced) }),
        ("inhibited", { $0.suppression = Suppression(until: nil, reason: .inhibited) }),
        ("evidence too old", { $0.suppression = Suppression(until: noon + 60, reason: .staleEvidence) }),
    ]),
]

/// All combinations as a tree, in which equal branches are one and a part that makes no difference is left out.
private struct DecisionTable {
    private enum Node: Hashable {
        case answer(Int)
        case branches(part: Int, [Int])
    }

    private let parts: [Part]
    private var answers: [Decision] = []
    private var nodes: [Node] = []
    private var numbers: [Node: Int] = [:]
    private var combinations = 0

    init(parts: [Part]) { self.parts = parts }

    mutating func text(of arguments: Arguments) -> String {
        let root = build(arguments, from: 0)
        var lines = ["# \(combinations) combinations"]
        add(root, path: [], to: &lines)
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func build(_ arguments: Arguments, from start: Int) -> Int {
        var part = start
        while part < parts.count, !parts[part].isOpen(arguments) { part += 1 }
        guard part < parts.count else { return number(of: .answer(answer(arguments))) }
        var branches: [Int] = []
        for value in parts[part].values {
            var chosen = arguments
            value.set(&chosen)
            branches.append(build(chosen, from: part + 1))
        }
        return Set(branches).count == 1 ? branches[0] : number(of: .branches(part: part, branches))
    }

    private mutating func answer(_ arguments: Arguments) -> Int {
        combinations += 1
        var record = arguments.record
        if record.incident.version > 0 { record.incident.firedAt = (record.incident.resolvedAt ?? noon) - 94_000 }
        let answer = decide(
            record, arguments.known, arguments.route, arguments.suppression,
            refusalsLiftedAt: arguments.refusalsLiftedAt, now: noon)
        if let known = answers.firstIndex(of: answer) { return known }
        answers.append(answer)
        return answers.count - 1
    }

    private mutating func number(of node: Node) -> Int {
        if let known = numbers[node] { return known }
        nodes.append(node)
        numbers[node] = nodes.count - 1
        return nodes.count - 1
    }

    private func add(_ number: Int, path: [String], to lines: inout [String]) {
        switch nodes[number] {
        case .answer(let answer): lines.append("\(path.joined(separator: " · ")): \(Self.words(answers[answer]))")
        case .branches(let part, let branches):
            var isDone: Set<Int> = []
            for branch in branches where isDone.insert(branch).inserted {
                let names = zip(parts[part].values, branches).filter { $1 == branch }.map(\.0.name)
                add(branch, path: path + [names.joined(separator: " | ")], to: &lines)
            }
        }
    }

    private static func words(_ answer: Decision) -> String {
        switch answer {
        case .nothing: "nothing"
        case .undecided: "undecided"
        case .wait(let until): until.map { "wait \(Int($0.timeIntervalSince(noon))) s" } ?? "wait"
        case .send(let reason): "send \(reason.rawValue)"
        }
    }
}
