import Evidence
import Foundation
import Monitoring

/// An incident as a webhook has it. `encode` of an optional writes null; `encodeIfPresent` would leave the key out.
struct WebhookIncident: Encodable {
    let incident: Incident
    /// Among others it says by itself what it is about.
    let isOneOfMany: Bool

    private enum Key: String, CodingKey {
        case id, domain, kind, severity, state, since, openedAt = "opened_at", resolvedAt = "resolved_at", reason
    }

    func encode(to encoder: any Encoder) throws {
        var story = encoder.container(keyedBy: Key.self)
        try story.encode(incident.id, forKey: .id)
        if isOneOfMany {
            try story.encode(incident.domain, forKey: .domain)
            try story.encode(incident.kind, forKey: .kind)
            try story.encode(incident.severity, forKey: .severity)
        }
        try story.encode(incident.state, forKey: .state)
        try story.encode(WebhookPayload.instant(incident.since), forKey: .since)
        try story.encode(WebhookPayload.instant(incident.openedAt), forKey: .openedAt)
        try story.encode(incident.resolvedAt.map(WebhookPayload.instant), forKey: .resolvedAt)
        try story.encode(incident.reason, forKey: .reason)
    }
}
