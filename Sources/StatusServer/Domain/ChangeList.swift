// What changes between Apple's copy and the origin's file.

import AASA
import Evidence
import Foundation
import Report

struct ChangeList: Sendable {
    let note: String
    let html: HTML

    private static let maximum = 24

    /// nil where nothing differs.
    init?(_ comparison: ComparisonReport, of domain: String, reader: PlaceReader?) {
        guard !comparison.changes.isEmpty || !comparison.behaviour.isEmpty else { return nil }
        let origin = reader.flatMap { $0.version(of: $0.full.origin) }
        let copies = (reader?.full.full?.edges.map(\.retrieval) ?? []) + [reader?.full.cdn.retrieval].compactMap(\.self)
        let copy = reader.flatMap { reader in copies.lazy.compactMap(reader.version).first { $0 != origin } }
        let before = copy.map { "Phones now, \($0)" } ?? "Phones now"
        let after = origin.map { "With \($0)" } ?? "With the origin’s file"
        note =
            "from Apple’s copy\(copy.map { " (\($0))" } ?? "") to the origin’s file\(origin.map { " (\($0))" } ?? "")"
        let behaviour = comparison.behaviour.prefix(Self.maximum).map {
            Self.behaviour($0, domain, before: before, after: after)
        }
        let table = HTML.table(["URL", "\(before)", "\(after)"], behaviour)
        let more = comparison.differences.more(after: Self.maximum)
        html = """
            \(table, if: !behaviour.isEmpty)
            <ul class="diff">\(comparison.changes.prefix(Self.maximum).map(Self.change))</ul>\
            \(more.map { #"<p class="fine">\#($0)</p>"# })
            """
    }

    /// A kind of URL that does something else, by an example.
    private static func behaviour(
        _ difference: BehaviourChange, _ domain: String, before: String, after: String
    ) -> HTML {
        func words(_ behaviour: LinkBehaviour) -> String {
            switch behaviour {
            case .opens: "opens \(difference.appID.onOneLine(upTo: 80))"
            case .blocked: "opens the website (excluded)"
            case .notMatched: "opens the website"
            }
        }
        var query = DomainQuery()
        query.url = difference.example
        return """
            <tr role="row"><th role="rowheader" scope="row" class="code">\
            <a href="\(query.address("/domains/\(domain)"))#try">\
            <bdi>\(difference.example.onOneLine(upTo: 200))</bdi></a></th>\
            <td role="cell" data-title="\(before)"><bdi>\(words(difference.from))</bdi></td>\
            <td role="cell" data-title="\(after)"><b><bdi>\(words(difference.to))</bdi></b></td></tr>

            """
    }

    private static func change(_ change: AssociationChange) -> HTML {
        let (sign, word): (String, String) =
            switch change.kind {
            case .added: ("+", "added")
            case .removed: ("−", "removed")
            case .changed: ("~", "changed")
            case .moved: ("↕", "moved")
            }
        return """
            <li><span class="sign" aria-hidden="true">\(sign)</span> \
            <span class="code"><bdi>\(change.summary.onOneLine(upTo: 300))</bdi></span> \
            <span class="fine">\(word)</span></li>
            """
    }
}
