// A message in its parts, before any service's form is given to it. Nothing here is escaped or cut.

import Evidence
import Foundation
import Monitoring

struct Story {
    /// The line that decides. Words of our own and a domain's ASCII.
    let headline: String
    let gist: String
    /// What differs and what it does, the diff first.
    let lists: [(title: String, lines: [String])]
    let notes: [(title: String, text: String)]
    let since: String
    let links: [(title: String, url: String)]
    let incidentID: String

    /// `isBrief`: what happened alone, for a reply below the message that says the rest.
    init(_ facts: AlertFacts, isBrief: Bool = false) {
        if let digest = facts.digest {
            self.init(facts, DigestWording(digest: digest, at: facts.event.at), fix: digest.fix, isBrief: isBrief)
        } else {
            self.init(ofOne: facts, isBrief: isBrief)
        }
    }

    private init(ofOne facts: AlertFacts, isBrief: Bool) {
        let wording = Wording(facts: facts)
        headline = wording.headline
        gist = wording.resolution ?? wording.diagnosis
        let lists = [
            (wording.domainsTitle, wording.domains),
            ("What the CDN does not have yet:", wording.changes),
            ("What phones will do differently then:", wording.behaviour),
        ]
        let notes = [("Meanwhile:", wording.consequence), ("What to do:", wording.fix)]
        self.lists = isBrief ? [] : lists.filter { !$0.1.isEmpty }
        self.notes = isBrief ? [] : notes.compactMap { title, text in text.map { (title, $0) } }.filter { $1 != "" }
        since = wording.since
        var links = [("status page", facts.links.statusPage ?? "")]
        if !isBrief {
            links += [("file at the origin", facts.links.origin ?? ""), ("Apple's copy", facts.links.cdn ?? "")]
        }
        self.links = links.filter { !$0.1.isEmpty }
        incidentID = facts.incident.id
    }

    private init(_ facts: AlertFacts, _ digest: DigestWording, fix: String?, isBrief: Bool) {
        headline = digest.headline
        gist = digest.gist
        lists = [("Domains:", digest.lines)]
        notes = [("Meanwhile:", Wording(facts: facts).consequence), ("What to do:", fix)]
            .compactMap { title, text in isBrief ? nil : text.map { (title, $0) } }.filter { $1 != "" }
        since = digest.since
        links = facts.links.statusPage.map { [("status page", $0)] } ?? []
        incidentID = digest.ids
    }
}
