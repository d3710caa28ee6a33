// A channel that is new, or that let messages expire, knows nothing of what is the matter: it is told once.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

struct Introduction {
    let store: Store
    let delivery: Delivery
    let logger: Logger
    /// What the store says of earlier times may be out of date: a domain is judged again before anybody is told.
    let startedAt: Date

    /// For so long the looks at all domains are waited for, so that one message can tell them all. Then a channel is told of
    /// those that were looked at, and of each other one after its own look.
    static let patience: TimeInterval = 300

    /// Tells each channel that the store does not know all that fires now; nothing of what is silent.
    func look(
        _ routes: Routes, _ recipients: [Domain: SilenceWatch.Recipient], _ mutings: Mutings, now: Date
    ) async throws {
        let channels = routes.channels.filter { !$0.kind.isStateFeed }
        let unknown = try await store.unknownChannels(among: channels.map(\.name))
        for channel in channels where unknown.contains(channel.name) {
            let told = try await store.introduce(
                channel: channel.name, now: now, rules: delivery.rules(for: channel),
                mayJoin: !channel.kind.keepsIncidents, hearsOfHand: channel.kind.hearsOfHand
            ) { [startedAt] incident, state in
                // What is kept back is made good by its own rules: of the fleet to those who hear of it, and once it is clear
                // whether it is over.
                if incident.domain == nil || incident.state == .recovering { return .withhold }
                // Of a domain that is watched no longer.
                guard let domain = state?.domain, let recipient = recipients[domain] else { return .skip }
                let open = state?.open[incident.kind]
                let isRouted = routes.isRouted(channel.name, to: recipient.channels)
                guard isRouted || open?.escalatedFor != nil else { return .skip }
                // A look that lies ahead is one of a former process, before the clock was set back.
                guard state?.lastCheckedAt.map({ $0 >= startedAt && $0 <= now }) ?? false else {
                    return now.timeIntervalSince(startedAt) < Self.patience ? .wait : .withhold
                }
                guard mutings.muting(domain: domain, labels: recipient.labels, kind: incident.kind, at: now) == nil
                else { return .withhold }
                guard let event = Event.present(incident, verdict: state?.verdict, at: now) else { return .skip }
                let events = isRouted ? [event] : [event.escalated(of: open)].compactMap(\.self)
                // Whoever was here before may have been told while it was less grave.
                let worse = Event.present(incident, verdict: state?.verdict, at: now, isWorse: true)
                func drafts(_ events: [Event]) throws -> [OutboxDraft] {
                    try routes.drafts(for: events, domain: domain, labels: recipient.labels, channels: [channel.name])
                        .filter { $0.channel == channel.name }
                }
                return .tell(
                    try drafts(events) + drafts([worse].compactMap(\.self)).map(\.owedToWhoeverWasToldOfLess))
            }
            guard let told, told > 0 else { continue }
            logger.notice(
                "telling a channel that is new, or missed it, what fires now",
                metadata: ["channel": "\(channel.name)", "incidents": "\(told)"])
            delivery.wake()
        }
    }
}
