// The committed incidents, as the store's rows say.

import Evidence
import Foundation
import Monitoring

struct Ledger {
    private(set) var incidents: [String: CommittedIncident] = [:]
    private(set) var lastChange: Int64 = 0

    subscript(id: String) -> CommittedIncident? { incidents[id] }

    /// Reads the rows whose number is higher than the last one.
    /// - Returns: the changed rows, each with what was known before.
    mutating func take(
        _ rows: [CommittedIncident]
    ) throws -> [(before: CommittedIncident?, after: CommittedIncident)] {
        var news: [(before: CommittedIncident?, after: CommittedIncident)] = []
        for row in rows {
            let before = incidents[row.id]
            if let before { try Self.check(before, row) }
            guard row.version > 0, row.firedAt != nil else {
                throw Violation(rule: .evaluation, detail: "\(row.id) has a number but never fired")
            }
            let marks = [row.worse, row.again, row.flapping].compactMap(\.self)
            guard marks.allSatisfy({ (2...max(2, row.version)).contains($0.version) }) else {
                throw Violation(rule: .evaluation, detail: "\(row.id) has a mark of a version that it never had")
            }
            incidents[row.id] = row
            lastChange = max(lastChange, row.change)
            if before != row { news.append((before, row)) }
        }
        return news
    }

    /// A new process finds what earlier processes committed.
    func checkKept(_ rows: [CommittedIncident]) throws {
        let present = Dictionary(rows.map { ($0.id, $0) }) { _, last in last }
        for (id, known) in incidents
        where present[id].map({ $0.change < known.change || $0.version < known.version }) ?? true {
            throw Violation(rule: .nothingLost, detail: "\(known.kind.rawValue) \(id) differs from what was committed")
        }
    }

    /// A power failure has undone whatever is not among these rows.
    mutating func goBack(to rows: [CommittedIncident]) throws {
        for row in rows {
            guard let known = incidents[row.id], row.change <= known.change, row.version <= known.version else {
                throw Violation(
                    rule: .nothingLost, detail: "\(row.kind.rawValue) \(row.id) was never committed like this")
            }
        }
        incidents = Dictionary(rows.map { ($0.id, $0) }) { _, last in last }
        lastChange = rows.map(\.change).max() ?? 0
    }

    private static func check(_ before: CommittedIncident, _ after: CommittedIncident) throws {
        guard after.version >= before.version, after.change >= before.change else {
            throw Violation(rule: .nothingLost, detail: "the versions of \(after.id) go back")
        }
        guard before.kind == after.kind, before.domain == after.domain, before.cause == after.cause else {
            throw Violation(rule: .keys, detail: "the ID \(after.id) was used before")
        }
        guard !before.isOver || after.isOver || after.version > before.version else {
            throw Violation(rule: .evaluation, detail: "\(after.id) fires again under the version that has ended")
        }
    }
}
