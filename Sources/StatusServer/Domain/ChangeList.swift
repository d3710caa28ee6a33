// What changes between Apple's copy and the origin's file.

import Evidence
import Foundation

struct ChangeList: Equatable, Sendable {
    let note: String
    let before: String
    let after: String
    let behaviour: [Behaviour]
    let changes: [Line]
    let more: String?

    /// A kind of URL that does something else, by an example.
    struct Behaviour: Equatable, Sendable {
        let url: String
        let now: String
        let then: String
        let address: String
    }

    struct Line: Equatable, Sendable {
        let sign: String
        let word: String
        let text: String
    }

    private static let maximum = 24

    /// nil where nothing differs.
    init?(_ comparison: Comparison, reader: PlaceReader?) {
        guard !comparison.changes.isEmpty || !comparison.behaviour.isEmpty else { return nil }
        let origin = reader.flatMap { $0.version(of: $0.full.origin) }
        let copies = (reader?.full.full?.edges.map(\.retrieval) ?? []) + [reader?.full.cdn.retrieval].compactMap(\.self)
        let copy = reader.flatMap { reader in copies.lazy.compactMap(reader.version).first { $0 != origin } }
        before = copy.map { "Phones now, \($0)" } ?? "Phones now"
        after = origin.map { "With \($0)" } ?? "With the origin’s file"
        note =
            "from Apple’s copy\(copy.map { " (\($0))" } ?? "") to the origin’s file\(origin.map { " (\($0))" } ?? "")"
        behaviour = comparison.behaviour.prefix(Self.maximum).map { note in
            func words(_ behaviour: BehaviourNote.Behaviour) -> String {
                switch behaviour {
                case .opens: "opens \(note.app.onOneLine(upTo: 80))"
                case .blocked: "opens the website (excluded)"
                case .notMatched: "opens the website"
                }
            }
            var query = DomainQuery()
            query.url = note.example
            return Behaviour(
                url: note.example.onOneLine(upTo: 200), now: words(note.from), then: words(note.to),
                address: query.address("") + "#try")
        }
        changes = comparison.changes.prefix(Self.maximum).map { change in
            let sign: (String, String) =
                switch change.kind {
                case .added: ("+", "added")
                case .removed: ("−", "removed")
                case .changed: ("~", "changed")
                case .moved: ("↕", "moved")
                }
            return Line(sign: sign.0, word: sign.1, text: change.summary.onOneLine(upTo: 300))
        }
        let rest = max(0, comparison.changes.count - Self.maximum)
        more = rest > 0 ? "and \(rest.of("more change", "more changes"))" : nil
    }
}
