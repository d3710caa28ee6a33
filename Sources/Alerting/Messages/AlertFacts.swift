// What is to be said, as it lies in the outbox until it is rendered.

import Evidence
import Foundation
import Monitoring

package struct AlertFacts: Codable, Equatable, Sendable {
    package var event: Event
    package var labels: [String: String]
    package var links: Links
    /// A marked test message, about no real incident.
    package var isTest: Bool
    /// The receiver cannot have heard of the beginning of what is over now. Known only when it is sent.
    var isUnsaidEnd = false
    /// All that this message says, where it says more than one thing; known only when it is sent.
    var digest: Digest?

    private enum CodingKeys: String, CodingKey { case event, labels, links, isTest }

    package init(event: Event, labels: [String: String], links: Links, isTest: Bool = false) {
        self.event = event
        self.labels = labels
        self.links = links
        self.isTest = isTest
    }

    package struct Links: Codable, Equatable, Sendable {
        package var statusPage: String?
        /// These two are nil where the message is about no single domain.
        package var cdn: String?
        package var origin: String?

        package init(statusPage: String?, cdn: String?, origin: String?) {
            self.statusPage = statusPage
            self.cdn = cdn
            self.origin = origin
        }
    }

    var incident: Incident { event.incident }

    /// What belongs together at the receiver, as a thread.
    var threadID: String { digest?.key ?? incident.id }

    /// The name of what happened, as webhooks carry it.
    var typeName: String { isTest ? "test" : event.type.rawValue }
}

extension AlertFacts {
    /// A test message that looks like a real one and says that it is none.
    /// `domain`: one of the watched ones, so that links work.
    package static func test(domain: Domain, links: Links, now: Date) -> AlertFacts {
        let incident = Incident(
            id: "test-\(Int(now.timeIntervalSince1970))", domain: domain, kind: .cdnStale, severity: .note,
            state: .firing, since: now, openedAt: now, firedAt: now)
        let event = Event(
            type: .firing, at: now, incident: incident,
            summary: "test message of aasa-monitor: nothing is wrong with \(domain)",
            diagnosis: "this message was asked for by `aasa-monitor alert test`; nothing needs to be done",
            comparison: Comparison(state: .notCompared), findings: [])
        return AlertFacts(event: event, labels: [:], links: links, isTest: true)
    }
}
