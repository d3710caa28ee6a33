// What must hold once the world has been quiet for long.

import Foundation
import Monitoring

extension Audit {
    func checkRest(withheld: Set<String>) throws -> [Explanation: Int] {
        if let id = open.min(), let row = rows[id] {
            throw Violation(rule: .comesToRest, detail: "\(row.identity) is still \(row.state)")
        }
        for (story, requests) in heard.sorted(by: {
            ($0.key.incident, $0.key.channel) < ($1.key.incident, $1.key.channel)
        })
        where requests.last(where: \.isAccepted)?.isEnd == false {
            let end = rows(of: story).last(where: \.isEnd)
            // A receiver that is dead for longer than an end is worth sending, or that refuses it, is not told.
            guard let end, end.state == "expired" || end.state == "dead" else {
                throw Violation(
                    rule: .endIsTold,
                    detail:
                        "\(story.channel) was told of \(story.incident) and not of its end (\(end?.state ?? "no row"))")
            }
        }
        var tally: [Explanation: Int] = [:]
        for (incident, transitions) in ledger.transitions {
            for transition in transitions.values {
                for channel in transition.channels {
                    let story = Story(incident: incident, channel: channel)
                    tally[try explanation(of: transition, story), default: 0] += 1
                }
            }
        }
        return tally
    }

    private func explanation(of transition: Ledger.Transition, _ story: Story) throws -> Explanation {
        let all = rows(of: story)
        let own = all.filter { $0.sequence == transition.sequence }
        if let row = own.last(where: { $0.state == "delivered" }) ?? own.last {
            let later = all.filter { $0.sequence > transition.sequence }
            guard let reason = Explanation(row, hasLater: !later.isEmpty, end: later.last(where: \.isEnd)?.state) else {
                throw Violation(rule: .transitionExplained, detail: "\(row.identity) is \(row.state)")
            }
            return reason
        }
        if transition.isEnd { return .notConcerned }
        let prefix = "\(transition.incident) \(story.channel) "
        let wasRecalled = recalled.contains { $0.hasPrefix(prefix) && $0.hasSuffix(" \(transition.sequence)") }
        guard let reason = transition.reason ?? (wasRecalled ? .parent : nil) else {
            throw Violation(
                rule: .transitionExplained,
                detail: "nothing tells why \(story.channel) has no message number \(transition.sequence) of "
                    + "\(transition.kind.rawValue) \(transition.incident)")
        }
        return reason
    }
}
