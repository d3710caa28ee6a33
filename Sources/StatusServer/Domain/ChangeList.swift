// What changes between Apple's copy and the origin's file.

import AASA
import Evidence
import Foundation
import Report

struct ChangeList: Sendable {
    let note: String
    private let comparison: ComparisonReport
    private let query: DomainQuery
    private let path: String
    /// What phones do now, and what they will do.
    private let heads: (now: String, then: String)

    private static let maximum = 24

    /// nil if nothing differs. `query`: links to examples keep it; `path`: of the domain's page.
    init?(_ comparison: ComparisonReport, query: DomainQuery, path: String, reader: PlaceReader?) {
        guard !comparison.changes.isEmpty || !comparison.behaviour.isEmpty else { return nil }
        (self.comparison, self.query, self.path) = (comparison, query, path)
        let origin = reader.flatMap { $0.version(of: $0.full.origin) }
        let copies = (reader?.full.full?.edges.map(\.retrieval) ?? []) + [reader?.full.cdn.retrieval].compactMap(\.self)
        let copy = reader.flatMap { reader in copies.lazy.compactMap(reader.version).first { $0 != origin } }
        heads = (
            copy.map { "Phones now (\($0))" } ?? "Phones now", origin.map { "With \($0)" } ?? "With the origin’s file"
        )
        note =
            "from Apple’s copy\(copy.map { " (\($0))" } ?? "") to the origin’s file\(origin.map { " (\($0))" } ?? "")"
    }

    /// All changes.
    var html: HTML {
        let more = comparison.differences.more(after: Self.maximum)
        return """
            \(behaviour(upTo: Self.maximum))
            <ul class="diff">\(comparison.changes.prefix(Self.maximum).map(Self.change))</ul>\
            \(more.map { #"<p class="fine">\#($0)</p>"# })
            """
    }

    /// The changes that users notice; nil if there are none.
    func behaviour(upTo limit: Int) -> HTML? {
        let services = comparison.changes.compactMap(service)
        let rows = comparison.behaviour.prefix(max(1, limit - services.count)).map(row) + services
        guard !rows.isEmpty else { return nil }
        let more = comparison.behaviour.count + services.count - rows.count
        let link: HTML = """
            <p class="fine"><a href="\(query.with { $0.tab = .changes }.address(path))">\(more.grouped) more</a></p>
            """
        return """
            \(HTML.table(["URL", "\(heads.now)", "\(heads.then)"], rows))\(link, if: more > 0 && limit < Self.maximum)
            """
    }

    /// One kind of URL that behaves differently, with an example.
    private func row(_ difference: BehaviourChange) -> HTML {
        // If there is only one app, its ID adds nothing.
        let isOne = Set(comparison.behaviour.map(\.appID)).count == 1
        func words(_ behaviour: LinkBehaviour) -> String {
            switch behaviour {
            case .opens: isOne ? "app" : difference.appID.onOneLine(upTo: 80)
            case .blocked: "website (excluded)"
            case .notMatched: "website"
            }
        }
        let tried = query.with { ($0.tab, $0.url) = (.now, difference.example) }
        let name: HTML = """
            <a class="code" href="\(tried.address(path))#try"><bdi>\(difference.example.onOneLine(upTo: 200))</bdi></a>
            """
        return row(name, words(difference.from), words(difference.to))
    }

    private func row(_ name: HTML, _ from: String, _ to: String) -> HTML {
        """
        <tr role="row"><th role="rowheader" scope="row">\(name)</th>\
        <td role="cell" data-title="\(heads.now)"><bdi>\(from)</bdi></td>\
        <td role="cell" data-title="\(heads.then)"><b><bdi>\(to)</bdi></b></td></tr>

        """
    }

    /// A service that is added or removed with all its apps, under the name that users know.
    private func service(_ change: AssociationChange) -> HTML? {
        let names: [String: HTML] = [
            "/webcredentials": "Passwords, passkeys", "/appclips": "App Clips", "/activitycontinuation": "Handoff",
        ]
        guard let name = names[change.pointer] else { return nil }
        switch change.kind {
        case .added: return row(name, "not offered", "offered")
        case .removed: return row(name, "offered", "not offered")
        case .changed, .moved: return nil
        }
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
