// What is told past a store that takes no writes, in a form that outlives the process.

import Alerting
import Evidence
import Foundation
import Monitoring
import Storage

/// Trouble of the store with all that its end needs: under which id it was told, in which words, and who may know of it.
struct Outage: Codable, Equatable, Sendable {
    /// As it was first worded: a repeat under the same key must say the same.
    let event: Event
    let incident: FleetIncident
    /// The channels that took it.
    private(set) var taken: Set<String> = []
    /// Those that may have it, though they did not say so.
    private(set) var unclear: Set<String> = []

    init(event: Event, incident: FleetIncident) {
        self.event = event
        self.incident = incident
    }

    /// Who may know of it.
    var reached: Set<String> { taken.union(unclear) }

    mutating func note(_ reach: DirectMessage.Reach) {
        taken.formUnion(reach.taken)
        unclear.formUnion(reach.unclear)
        unclear.subtract(taken)
    }

    /// The same while a message is on its way: whoever it is sent to may have it when the process is killed.
    func underWay(to channels: [String]) -> Outage {
        var outage = self
        outage.note(DirectMessage.Reach(unclear: Set(channels)))
        return outage
    }

    /// The incident as it is once writes work again, and the whole story for the outbox: to those who were reached a
    /// beginning that is settled, to those who should have been one that is owed, and the end behind both. So each hears
    /// what it has not heard, by the rules for what was over before it could be said.
    ///
    /// `isMuted`: nobody is told anything but the end of what it knows.
    func over(_ routes: Routes, isMuted: Bool, at now: Date) throws -> (incident: Incident, story: [OutboxDraft]) {
        var over = incident
        over.incident.state = .resolved
        over.incident.resolvedAt = now
        over.incident.reason = .recovered
        over.incident.nextReminderAt = nil
        over.incident.sequence += 1
        let routed = routes.fleetChannels(of: .store)
        let names = routes.channels.map(\.name).filter { name in
            reached.contains(name) || !isMuted && routes.isRouted(name, to: routed)
        }
        let beginnings = try routes.drafts(for: [event], domain: nil, channels: names).map { draft in
            var draft = draft
            draft.arrival = taken.contains(draft.channel) ? .taken : unclear.contains(draft.channel) ? .unclear : .none
            // It could not be owed before.
            draft.expiresAt = now + draft.expiresAt.timeIntervalSince(draft.createdAt)
            draft.createdAt = now
            return draft
        }
        let ends = try routes.drafts(for: [over.event(.resolved, at: now)], domain: nil)
        return (over.incident, beginnings + ends.filter { names.contains($0.channel) })
    }
}
