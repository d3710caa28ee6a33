// Of a state what the fleet needs. It is read for all domains before the first check, and a stored state is four times as long.

import Evidence
import Foundation

/// Encoded as these fields of `DomainState` are.
package struct DomainStanding: Decodable, Sendable {
    package let domain: Domain
    package var lastCheckedAt: Date?
    package let firstCheckedAt: Date?
    package let reachability: Reachability
    package let incidents: IncidentMemory<IncidentKind>

    package init(_ state: DomainState) {
        domain = state.domain
        lastCheckedAt = state.lastCheckedAt
        firstCheckedAt = state.firstCheckedAt
        reachability = state.reachability
        incidents = state.incidents
    }
}
