// The body of a webhook about many. `domains` and `incidents` hold as many as fit; `count` says how many there are.

import Evidence
import Foundation
import Monitoring

struct WebhookDigest: Encodable {
    private let facts: AlertFacts
    private let digest: Digest
    /// How many domains and incidents are listed.
    var room: Int

    init?(_ facts: AlertFacts) {
        guard let digest = facts.digest else { return nil }
        self.facts = facts
        self.digest = digest
        room = digest.entries.count
    }

    private enum Key: String, CodingKey {
        case type, timestamp, data
        case schema, domains, count, labels, kind, severity, summary, diagnosis, incidents, findings, links
        case statusPage = "status_page"
    }

    func encode(to encoder: any Encoder) throws {
        let wording = DigestWording(digest: digest, at: facts.event.at)
        var root = encoder.container(keyedBy: Key.self)
        try root.encode(facts.typeName, forKey: .type)
        try root.encode(WebhookPayload.instant(facts.event.at), forKey: .timestamp)
        var data = root.nestedContainer(keyedBy: Key.self, forKey: .data)
        try data.encode("aasa-monitor/alert/v1", forKey: .schema)
        try data.encode(Array(digest.domains.prefix(room)), forKey: .domains)
        try data.encode(digest.entries.count, forKey: .count)
        try data.encode(facts.labels, forKey: .labels)
        try data.encode(digest.kind, forKey: .kind)
        try data.encode(digest.entries.map(\.incident.severity).max(), forKey: .severity)
        try data.encode(wording.headline, forKey: .summary)
        try data.encode(wording.gist.cut(toBytes: 1000), forKey: .diagnosis)
        try data.encode([String](), forKey: .findings)
        try data.encode(
            digest.entries.prefix(room).map { WebhookIncident(incident: $0.incident, isOneOfMany: true) },
            forKey: .incidents)
        var links = data.nestedContainer(keyedBy: Key.self, forKey: .links)
        try links.encode(facts.links.statusPage, forKey: .statusPage)
    }
}
