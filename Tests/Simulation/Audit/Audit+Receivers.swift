// What leaves the machine, and what the receivers have heard.

import Alerting
import Foundation

extension Audit {
    struct Attempt {
        let life: Int
        let isAccepted: Bool
        /// The sender read a clear yes.
        let isConfirmed: Bool
        /// The receiver read the message and refused it as such.
        let isRefusal: Bool
        let bytes: Data
    }

    /// One request about a story.
    struct Heard {
        let sequence: Int
        let isEnd: Bool
        let isAccepted: Bool
        /// The sender knows that the receiver has it not.
        let isRefused: Bool
    }

    /// What a channel can know of the trouble that an end is about.
    enum Knowledge {
        case nothing, refused, unclear, told
    }

    func knowledge(of story: Story, before sequence: Int) -> Knowledge {
        let past = (heard[story] ?? []).filter { $0.sequence < sequence }
        let lastEnd = past.filter { $0.isEnd && $0.isAccepted }.map(\.sequence).max() ?? 0
        let trouble = past.filter { !$0.isEnd && $0.sequence > lastEnd }
        let isPerhapsOver = past.contains { $0.isEnd && $0.sequence > lastEnd && !$0.isRefused }
        if trouble.contains(where: \.isAccepted) { return isPerhapsOver ? .unclear : .told }
        return trouble.isEmpty ? .nothing : trouble.allSatisfy(\.isRefused) ? .refused : .unclear
    }

    static func isPager(_ channel: String) -> Bool {
        SimulatedSetup.channels.contains { $0.name == channel && $0.kind == .pagerduty }
    }

    /// A beginning goes without being said where its end says it too, or where a pager hears neither. Nothing that somebody
    /// may have heard is passed over.
    func checkSuperseded(_ row: AuditedRow) throws {
        let story = Story(row)
        let isPager = Self.isPager(row.channel)
        let later = rows(of: story).filter { $0.sequence > row.sequence }
        let fault: String?
        switch row.type {
        case "incident.resolved":
            let known = knowledge(of: story, before: row.sequence)
            fault =
                !isPager
                ? "a chat does not hear of it"
                : known == .told || known == .unclear ? "the pager may have heard of the beginning" : nil
        case "incident.firing":
            if let end = later.last(where: \.isEnd) {
                let known = knowledge(of: story, before: end.sequence)
                let isLate = isPager && end.state == "delivered"
                fault = (known == .told || known == .unclear) && !isLate ? "it may have been heard" : nil
            } else {
                fault = "nothing takes its place"
            }
        case "incident.update": fault = later.isEmpty && !isPager ? "nothing takes its place" : nil
        // The next one says it anew, a pager reminds by itself, and whoever has it in hand needs none.
        default: fault = nil
        }
        if let fault {
            throw Violation(rule: .transitionExplained, detail: "\(row.identity) was superseded: \(fault)")
        }
    }

    /// Looks at a request on its way out. `rows`: all that share it.
    func examine(_ row: AuditedRow, among rows: [AuditedRow], frozen: Data?, life: Int, body: Data, id: String?) throws
    {
        guard frozen == body else {
            throw Violation(rule: .storedBeforeSent, detail: "\(row.identity) goes out in other bytes than are stored")
        }
        guard id == nil || id == row.digest ?? row.key else {
            throw Violation(rule: .keys, detail: "\(row.identity) goes out under another key")
        }
        let earlier = attempts[row.key] ?? []
        if let index = earlier.lastIndex(where: { !$0.isRefusal }), earlier[index].bytes != body {
            let former = earlier[index].bytes
            // Bytes that were clearly refused may be replaced by plainer ones; until then they are the same. A receiver may
            // take a message, have its answer lost, and refuse the same bytes the next time: what it said last counts.
            guard earlier[index...].contains(where: { $0.isRefusal && $0.bytes == former }) else {
                throw Violation(rule: .sameBytes, detail: "\(row.identity) goes out in other bytes than before")
            }
        }
        if let former = earlier.last, former.isConfirmed, former.life == life {
            throw Violation(rule: .repeats, detail: "\(row.identity) was taken already, and the process knows it")
        }
        let story = Story(row)
        if let last = lastAttempted[story], last > row.sequence {
            throw Violation(rule: .order, detail: "\(row.identity) goes out behind number \(last)")
        }
        if row.isEnd { try examineEnd(row, body, isAlone: rows.count == 1) }
    }

    /// A pager hears an end only of what it may have heard begin; a chat that heard nothing hears both at once, and is
    /// told so.
    private func examineEnd(_ row: AuditedRow, _ body: Data, isAlone: Bool) throws {
        let story = Story(row)
        let known = knowledge(of: story, before: row.sequence)
        if known == .nothing {
            let wasOwed = rows(of: story).contains {
                !$0.isEnd && $0.sequence < row.sequence && ($0.state == "superseded" || $0.state == "expired")
            }
            guard wasOwed, !Self.isPager(row.channel) else {
                throw Violation(
                    rule: .endOnlyToTold, detail: "\(row.identity) is the first that the channel hears of it")
            }
        }
        // Slack is told in words. Of a digest the line of each says it.
        guard isAlone, SimulatedSetup.channels.contains(where: { $0.name == row.channel && $0.kind == .slack }) else {
            return
        }
        let isCombined = String(decoding: body, as: UTF8.self).contains("WAS FIRING")
        guard known == .unclear || known == .refused || isCombined == (known == .nothing) else {
            throw Violation(
                rule: .endOnlyToTold,
                detail: "\(row.identity) says \(isCombined ? "both" : "the end alone") to a channel that knows \(known)"
            )
        }
    }

    mutating func note(_ attempt: Attempt, isRefused: Bool, of row: AuditedRow) {
        let story = Story(row)
        attempts[row.key, default: []].append(attempt)
        lastAttempted[story] = max(lastAttempted[story] ?? 0, row.sequence)
        // Who has it in hand says nothing of the trouble itself.
        guard row.type != "incident.acknowledged" else { return }
        heard[story, default: []].append(
            Heard(
                sequence: row.sequence, isEnd: row.isEnd, isAccepted: attempt.isAccepted, isRefused: isRefused))
    }

    /// The sender died with the request in its hands.
    mutating func noteLost(_ row: AuditedRow) {
        heard[Story(row), default: []].append(
            Heard(sequence: row.sequence, isEnd: row.isEnd, isAccepted: false, isRefused: false))
    }
}
