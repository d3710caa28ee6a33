import Foundation
import Monitoring

/// A message of the outbox as an operator sees it: what became of it, and nothing of what it says.
package struct OutboxEntry: Equatable, Sendable {
    package let row: OutboxRow
    /// nil where the incident's row is gone, where it is about no single domain, and for a test message.
    package let domain: String?
    package let kind: IncidentKind?
}

/// What an operator asked of one message.
package struct OutboxAnswer: Equatable, Sendable {
    package let id: Int64
    /// Why nothing was done, in words; nil where it was.
    package let refusal: String?
}
