// Which edges of the CDN answer this machine. A dead one holds nobody up: after three time-outs in a row it counts as silent at
// once, and one request a minute asks whether it still is.

import Evidence
import Synchronization

final class EdgeHealth: Sendable {
    private struct Record {
        /// In a row.
        var timeouts = 0
        /// Until then a silent edge is not asked, and others come before one that was passed over.
        var quietUntil: ContinuousClock.Instant
        /// When the last time-out counted.
        var countedAt: ContinuousClock.Instant
    }

    private let records = Mutex<[String: Record]>([:])

    private static let limit = 3
    private static let pause: Duration = .seconds(60)
    /// The CDN's addresses change now and then; above this many the records of old ones are forgotten.
    private static let maximumEdges = 256

    /// Whether a request may go to an edge now. A silent one gets one request a minute: the caller that gets true sends it.
    func mayAsk(_ edge: String, at now: ContinuousClock.Instant = .now) -> Bool {
        records.withLock { records in
            guard let known = records[edge], known.timeouts >= Self.limit else { return true }
            guard known.quietUntil <= now else { return false }
            records[edge]?.quietUntil = now + Self.pause
            return true
        }
    }

    /// `began`: when the request was made; of several at once that time out one counts. nil: now.
    func note(
        _ retrieval: Retrieval, from edge: String, began: ContinuousClock.Instant? = nil,
        at now: ContinuousClock.Instant = .now
    ) {
        if retrieval.failure?.kind == .timedOut {
            add(1, to: edge, began: began ?? now, at: now)
        } else {
            records.withLock { $0[edge] = nil }
        }
    }

    /// It took no connection in the time of a first try, which says little.
    func notePassedOver(_ edge: String, at now: ContinuousClock.Instant = .now) {
        add(0, to: edge, began: now, at: now)
    }

    private func add(
        _ timeouts: Int, to edge: String, began: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) {
        records.withLock { records in
            if let known = records[edge] {
                // What was not asked, being silent, was not passed over either.
                if timeouts == 0, known.timeouts >= Self.limit { return }
                if timeouts > 0, known.timeouts > 0, began < known.countedAt { return }
            }
            if records.count >= Self.maximumEdges, records[edge] == nil { records = [:] }
            records[edge] = Record(
                timeouts: (records[edge]?.timeouts ?? 0) + timeouts, quietUntil: now + Self.pause, countedAt: now)
        }
    }

    /// In the order in which one that will do is tried: the same one as long as it answers.
    func ordered(_ edges: [String], at now: ContinuousClock.Instant = .now) -> [String] {
        records.withLock { records in
            func isBehind(_ edge: String) -> Bool {
                records[edge].map { $0.timeouts >= Self.limit || $0.quietUntil > now } ?? false
            }
            return edges.filter { !isBehind($0) } + edges.filter(isBehind)
        }
    }
}

extension Failure {
    /// Of an edge that is not asked now.
    static let silentEdge = Failure(
        kind: .timedOut, phase: .connecting,
        detail: "the last requests to this edge timed out, so it is asked once a minute")
}
