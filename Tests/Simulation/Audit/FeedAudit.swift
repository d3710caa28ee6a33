// What a feed gets: the current set of alerts, again and again.

import Foundation
import Monitoring

extension Audit {
    private struct Alert: Decodable {
        let annotations: [String: String]
        let startsAt: String
        let endsAt: String
    }

    /// Looks at a request to a feed.
    /// - Returns: what it says about each incident.
    mutating func examineFeed(_ body: Data, _ channel: SimulatedChannel, _ present: Present) throws -> [(
        id: String, isEnd: Bool
    )] {
        var said: [(id: String, isEnd: Bool)] = []
        for alert in try JSONDecoder().decode([Alert].self, from: body) {
            let id = alert.annotations["incident"] ?? ""
            guard let incident = ledger[id], let start = Self.instant(alert.startsAt),
                let end = Self.instant(alert.endsAt)
            else { throw Violation(rule: .committed, detail: "\(channel.name) gets the alert \(id)") }
            guard start <= end else {
                throw Violation(rule: .nonNegative, detail: "the alert \(id) ends before it begins")
            }
            let isEnd = end <= present.wall + 1
            let story = story(id, channel.name)
            guard isEnd == incident.isOver else {
                throw Violation(rule: .present, detail: "the alert \(id) is sent as \(isEnd ? "ended" : "firing")")
            }
            // Without another round the alert ends by itself, by the receiver's clock.
            guard isEnd || abs(end.timeIntervalSince(present.wall) - 300) < 5 else {
                throw Violation(rule: .ages, detail: "the alert \(id) ends at \(alert.endsAt)")
            }
            if isEnd, story.isEmpty {
                throw Violation(rule: .endOnlyToNotified, detail: "\(channel.name) does not know \(id)")
            }
            if !isEnd, story.isEmpty {
                guard !present.isSurelySilent(incident) else {
                    throw Violation(rule: .silence, detail: "\(channel.name) gets the alert \(id)")
                }
                guard [.atOnce, .perhaps].contains(concern(of: incident, to: channel, present)) else {
                    throw Violation(rule: .routing, detail: "\(channel.name) gets the alert \(id)")
                }
            }
            said.append((id, isEnd))
        }
        return said
    }

    mutating func noteFeed(
        _ reaction: SimulatedReceiver.Reaction?, _ said: [(id: String, isEnd: Bool)], _ channel: String,
        _ present: Present
    ) throws {
        for (id, isEnd) in said {
            guard let incident = ledger[id] else { continue }
            var word = Word(
                key: "", reason: isEnd ? .resolved : .firing, version: incident.version, isEnd: isEnd,
                acknowledgedAt: nil, at: present.now)
            word.isAccepted = reaction?.isAccepted ?? false
            word.isRefusal = reaction?.isRefused ?? false
            word.isRefused = word.isRefusal
            try note(word, Story.ID(incident: id, channel: channel))
        }
    }

    private static func instant(_ text: String) -> Date? {
        try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
