// Keeps book of rows, attempts and receipts beside the product, and says where a rule does not hold. This file owns what the
// store says.

import Evidence
import Foundation
import Monitoring

struct Audit {
    struct Story: Hashable {
        let incident: String
        let channel: String
    }

    var ledger = Ledger()
    var rows: [Int64: AuditedRow] = [:]
    var open: Set<Int64> = []
    private var newest: Int64 = 0
    private var keys: [String: Int64] = [:]
    private var identities: [String: Int64] = [:]
    private var byStory: [Story: [Int64]] = [:]
    /// Rows that were removed in due time.
    var forgotten: Set<Int64> = []
    /// Messages that an incident of the fleet took back before anybody tried to send them.
    private(set) var recalled: Set<String> = []
    var attempts: [String: [Attempt]] = [:]
    var heard: [Story: [Heard]] = [:]
    var lastAttempted: [Story: Int] = [:]

    func rows(of story: Story) -> [AuditedRow] { (byStory[story] ?? []).compactMap { rows[$0] } }

    /// Takes in what changed in the store.
    /// `recalled`: the kinds whose waiting messages an incident of the fleet has just taken back.
    /// - Returns: how many rows are new.
    mutating func take(_ store: StoreReading, recalled: Set<IncidentKind> = []) throws -> Int {
        var fresh = 0
        let present = try store.rows(newerThan: newest, or: open.sorted())
        let seen = Set(present.map(\.id))
        let gone = open.subtracting(seen).sorted().compactMap { rows[$0] }
        for row in gone { try takeBack(row, recalled) }
        if !gone.isEmpty { try checkRemembered(gone, withheld: store.withheld()) }
        var superseded: [AuditedRow] = []
        for row in present {
            if let known = rows[row.id] {
                try follow(known, row)
                if row.state == "superseded", known.state != row.state { superseded.append(row) }
            } else {
                fresh += 1
                try admit(row)
            }
            rows[row.id] = row
            if row.isOpen { open.insert(row.id) } else { open.remove(row.id) }
            newest = max(newest, row.id)
        }
        // What takes its place may be new, too.
        for row in superseded { try checkSuperseded(row) }
        return fresh
    }

    /// A parent may take back what nobody has tried to send; the same may be owed again under the same key.
    private mutating func takeBack(_ row: AuditedRow, _ kinds: Set<IncidentKind>) throws {
        let isMeant = ledger.kind(of: row.incident).map(kinds.contains) ?? false
        guard isMeant, !row.isEnd, row.digest == nil, attempts[row.key] == nil else {
            throw Violation(rule: .nothingLost, detail: "the open row \(row.identity) is gone")
        }
        recalled.insert(row.identity)
        open.remove(row.id)
        rows[row.id] = nil
        keys[row.key] = nil
        identities[row.identity] = nil
        byStory[Story(row)]?.removeAll { $0 == row.id }
    }

    /// What was taken back is told once nothing explains it any more, unless it is over by then.
    private func checkRemembered(_ gone: [AuditedRow], withheld: Set<String>) throws {
        for row in gone where !withheld.contains(row.incident) && !ledger.isOver(row.incident) {
            throw Violation(rule: .silence, detail: "\(row.identity) was taken back, and nothing remembers to tell it")
        }
    }

    private mutating func admit(_ row: AuditedRow) throws {
        guard ledger.has(row.incident, row.sequence) else {
            throw Violation(rule: .storedBeforeSent, detail: "the row \(row.identity) is about no transition")
        }
        // What was given up may be said again to a channel that is new or repaired.
        let twin = identities[row.identity].flatMap { rows[$0] }
        guard keys[row.key] == nil, twin.map({ !$0.isOpen && $0.state != "delivered" }) ?? true else {
            throw Violation(rule: .keys, detail: "two rows say \(row.identity)")
        }
        keys[row.key] = row.id
        identities[row.identity] = row.id
        byStory[Story(row), default: []].append(row.id)
    }

    private mutating func follow(_ known: AuditedRow, _ row: AuditedRow) throws {
        guard known.identity == row.identity, known.key == row.key else {
            throw Violation(rule: .keys, detail: "\(known.identity) became \(row.identity)")
        }
        guard known.digest == row.digest || known.digest == nil && attempts[row.key] == nil else {
            throw Violation(rule: .keys, detail: "\(row.identity) was sent and has joined another message")
        }
        guard row.attempts >= known.attempts, row.attempts >= 0 else {
            throw Violation(rule: .nonNegative, detail: "the attempts of \(row.identity) went back")
        }
        guard known.state != row.state else { return }
        switch row.state {
        case "delivered":
            guard attempts[row.key]?.contains(where: \.isAccepted) == true else {
                throw Violation(
                    rule: .deliveredWasReceived, detail: "\(row.identity) is marked delivered and was never received")
            }
        case "dead":
            guard attempts[row.key]?.contains(where: \.isRefusal) == true else {
                throw Violation(rule: .transitionExplained, detail: "\(row.identity) was given up without a refusal")
            }
        case "expired":
            guard row.mayHaveArrived || attempts[row.key]?.contains(where: \.isAccepted) != true else {
                throw Violation(rule: .nothingLost, detail: "it is forgotten that \(row.identity) may have arrived")
            }
        default: break
        }
    }

    /// Whether a channel was told of the trouble, or will be, as far as its rows say.
    func knowsOfTrouble(_ story: Story, before sequence: Int) -> Bool {
        let last = rows(of: story)
            .filter { row in
                row.sequence < sequence && row.type != "incident.acknowledged"
                    && (row.isOpen || row.state == "delivered"
                        || ["expired", "dead"].contains(row.state) && row.mayHaveArrived)
            }
            .max { ($0.sequence, $0.id) < ($1.sequence, $1.id) }
        return last.map { !$0.isEnd } ?? false
    }

    func has(_ story: Story, _ sequence: Int? = nil) -> Bool {
        rows(of: story).contains { sequence == nil || $0.sequence == sequence }
    }

    /// Every channel has its message about each of the transitions, or there is a reason.
    func check(_ news: [Ledger.Transition], channels: [String], withheld: Set<String>) throws {
        for transition in news {
            let isKept = transition.reason == .silenced || transition.reason == .parent
            if isKept, !transition.isEnd, !withheld.contains(transition.incident) {
                throw Violation(rule: .silence, detail: "what is kept back of \(transition.incident) is not remembered")
            }
            for channel in channels {
                let story = Story(incident: transition.incident, channel: channel)
                let isRouted = transition.channels.contains(channel)
                let knows = knowsOfTrouble(story, before: transition.sequence)
                let reason = ledger.explain(transition, knowsOfTrouble: knows)
                let isOwed = reason == nil && (isRouted || transition.isEnd)
                guard has(story, transition.sequence) != isOwed else { continue }
                let what = "\(transition.kind.rawValue) \(transition.incident) number \(transition.sequence)"
                switch reason {
                case nil where isOwed:
                    throw Violation(rule: .transitionExplained, detail: "\(channel) is owed nothing about \(what)")
                case .silenced, .parent, .inHand:
                    throw Violation(
                        rule: .silence, detail: "\(channel) is owed \(what) in spite of: \(reason?.rawValue ?? "")")
                default:
                    throw Violation(
                        rule: .endOnlyToTold, detail: "\(channel) is owed \(what), of which it knows nothing")
                }
            }
        }
    }
}

extension Audit.Story {
    init(_ row: AuditedRow) { self.init(incident: row.incident, channel: row.channel) }
}
