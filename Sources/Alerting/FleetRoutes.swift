// Which channels are told of an incident of the fleet.

import Evidence
import Foundation
import Monitoring
import Storage

extension Routes {
    /// Who is told of trouble that is nobody's domain.
    package struct FleetRouting: Equatable, Sendable {
        /// The channels that any watched domain is routed to; nil for all. Whoever is told of domains is told why nothing is
        /// told of them.
        package var watching: [String]?
        /// The channel for the monitor's own trouble; nil: all of them.
        package var fallback: String?

        package init(watching: [String]? = nil, fallback: String? = nil) {
            self.watching = watching
            self.fallback = fallback
        }
    }

    /// The messages that one event of the fleet owes, to be committed with the judgement.
    package func fleetDrafts(for event: Event, of cause: FleetCause) throws -> [OutboxDraft] {
        var sick: String?
        if case .channel(let name) = cause { sick = name }
        return try drafts(for: [event], domain: nil, channels: fleetChannels(of: cause))
            .filter { event.type == .resolved || $0.channel != sick }
    }

    /// nil for all but those of the escalation.
    package func fleetChannels(of cause: FleetCause) -> [String]? {
        switch cause {
        case .network, .cdn: return fleet.watching
        case .store, .schedule, .configuration: return fleet.fallback.map { [$0] }
        case .channel(let sick):
            if let fallback = fleet.fallback, fallback != sick { return [fallback] }
            return channels.map(\.name).filter { $0 != sick && isRouted($0, to: nil) }
        }
    }
}
