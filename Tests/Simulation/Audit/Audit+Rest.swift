// What must hold after a long quiet time, and what became of everything.

import Evidence
import Foundation
import Monitoring

extension Audit {
    func checkRest(_ present: Present) throws -> [Explanation: Int] {
        for incident in ledger.incidents.values.sorted(by: { $0.change < $1.change }) where !incident.isOver {
            // Nothing has been sent to that channel since, so nothing could show that it works again.
            guard !incident.cause.hasPrefix("channel/") else { continue }
            throw Violation(
                rule: .comesToRest,
                detail:
                    "\(incident.kind.rawValue) of \(incident.domain)\(incident.cause) is still \(incident.state.rawValue)"
            )
        }
        for (id, story) in stories.sorted(by: { ($0.key.incident, $0.key.channel) < ($1.key.incident, $1.key.channel) })
        {
            guard story.knowsFiring, let incident = ledger[id.incident], incident.isOver,
                present.setup.channel(id.channel)?.isFeed == false
            else { continue }
            let isExcused =
                story.rejected.contains(-incident.version) || story.explanations.contains(.expired)
                || story.explanations.contains(.refused) || story.explanations.contains(.takenOver)
            guard isExcused else {
                throw Violation(rule: .endIsDelivered, detail: "\(id.channel) still shows \(id.incident) as firing")
            }
        }
        var counts: [Explanation: Int] = [:]
        for incident in ledger.incidents.values {
            for channel in present.setup.channels where present.concern(of: incident, to: channel) != .none {
                counts[outcome(of: incident, story(incident.id, channel.name)), default: 0] += 1
            }
        }
        return counts
    }

    /// The first reason that explains it.
    private func outcome(of incident: CommittedIncident, _ story: Story) -> Explanation {
        if story.words.contains(where: { $0.isAccepted && !$0.isEnd && $0.isAboutTrouble }) {
            guard story.knowsFiring, incident.isOver else { return .delivered }
            return story.explanations.contains(.refused) ? .refused : .expired
        }
        if story.received != nil { return .combined }
        let order: [Explanation] = [.refused, .expired, .silenced, .inhibited, .notEscalated]
        return order.first(where: story.explanations.contains) ?? .brief
    }
}
