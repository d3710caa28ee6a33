// Several messages said as one.

import Evidence
import Foundation
import Monitoring

struct Digest: Equatable, Sendable {
    /// Names the message: for threads, and for receivers that replace a message by a later one.
    let key: String
    let occasion: Occasion
    /// The most severe first. Each is one incident, as it is to be told.
    let entries: [Entry]

    enum Occasion: Equatable, Sendable {
        /// Beginnings of one kind, or ends of one kind.
        case together
        /// What was kept for a channel that could not be reached.
        case backlog
        /// What is the matter now, for a channel that does not know.
        case present
    }

    struct Entry: Equatable, Sendable {
        let incident: Incident
        /// The channel cannot have heard of the beginning.
        let isUnsaidEnd: Bool
        let diagnosis: String
        let fix: String?

        /// What the incident is about.
        var place: String { incident.subject }

        init(_ facts: AlertFacts) {
            incident = facts.incident
            isUnsaidEnd = facts.isUnsaidEnd
            diagnosis = facts.event.diagnosis
            fix = facts.event.findings.first?.fix
        }
    }

    /// More are told by their number and the first ten.
    static let longest = 10
    static let shown = 10

    var domains: [String] {
        var seen: Set<String> = []
        return entries.compactMap(\.incident.domain?.name).filter { seen.insert($0).inserted }
    }

    /// The kind of all; nil where they differ.
    var kind: IncidentKind? { common(\.incident.kind) }
    var isOver: Bool { entries.allSatisfy { $0.incident.state == .resolved } }
    var diagnosis: String? { common(\.diagnosis) }
    var fix: String? { common(\.fix).flatMap(\.self) }

    private func common<Value: Equatable>(_ path: KeyPath<Entry, Value>) -> Value? {
        guard let first = entries.first?[keyPath: path], entries.allSatisfy({ $0[keyPath: path] == first }) else {
            return nil
        }
        return first
    }
}

extension AlertFacts {
    /// The facts of a message that says all of these; they are in the order of their worth and not empty.
    init?(_ members: [AlertFacts], key: String) {
        guard let lead = members.first else { return nil }
        // Of an incident with several messages the last says how it stands.
        var places: [String: Int] = [:]
        var entries: [Digest.Entry] = []
        for member in members {
            let id = member.incident.id
            if let place = places[id] {
                if member.incident.sequence > entries[place].incident.sequence { entries[place] = .init(member) }
            } else {
                places[id] = entries.count
                entries.append(.init(member))
            }
        }
        let types = Set(members.map(\.event.type))
        let kinds = Set(members.map(\.incident.kind))
        let occasion: Digest.Occasion =
            types == [.resolved] || kinds.count == 1 && types == [.firing]
            ? .together : types == [.firing] ? .present : .backlog
        let digest = Digest(key: key, occasion: occasion, entries: entries)
        self = lead
        event.at = members.map(\.event.at).max() ?? lead.event.at
        // Of a mixture trouble that goes on gives the tone.
        event.type = digest.isOver ? .resolved : lead.event.type == .resolved ? .firing : lead.event.type
        labels = lead.labels.filter { label in members.allSatisfy { $0.labels[label.key] == label.value } }
        links.statusPage = links.statusPage.map { String($0.prefix { $0 != "#" }) }
        self.digest = digest
    }
}
