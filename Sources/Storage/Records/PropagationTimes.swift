import Evidence
import Foundation

/// Walks observations from the oldest on, and counts how long the CDN took to follow each change of the origin.
struct PropagationTimes {
    private(set) var seconds: [TimeInterval] = []
    private var current: ContentHash?
    /// The change that the CDN has not followed yet.
    private var changedAt: Date?

    /// `now`: when this was first seen.
    mutating func note(_ observation: Observation, at now: Date) {
        if let content = Self.content(of: observation.origin), content != current {
            changedAt = current == nil ? nil : now
            current = content
            // An origin that came back to what the CDN has all along says nothing about the CDN's pace.
            if isServed(by: observation) { changedAt = nil }
            return
        }
        guard let changedAt, isServed(by: observation) else { return }
        seconds.append(now.timeIntervalSince(changedAt))
        self.changedAt = nil
    }

    /// Whether every edge that answered has the present content.
    private func isServed(by observation: Observation) -> Bool {
        var copies = (observation.full?.edges ?? []).map(\.retrieval)
        if copies.isEmpty { copies = [observation.cdn.retrieval].compactMap(\.self) }
        let contents = copies.filter { $0.answer != nil }.map(Self.content(of:))
        return !contents.isEmpty && contents.allSatisfy { $0 == current }
    }

    private static func content(of retrieval: Retrieval) -> ContentHash? {
        guard let answer = retrieval.answer, answer.status == 200, answer.body.end == .complete else { return nil }
        return answer.body.hash
    }
}
