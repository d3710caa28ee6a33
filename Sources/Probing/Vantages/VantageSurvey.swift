// The origin as other places see it, by way of a proxy at each.

import Curl
import Evidence
import Foundation

struct VantageSurvey: Sendable {
    let origin: OriginProbe
    let points: [VantagePoint]

    struct Seen: Sendable {
        var point: VantagePoint
        var sight: Sight
        /// Of the time that this place had.
        var left: Duration
    }

    /// Each place at once, each within `timeout`.
    func looks(at domain: Domain, timeout: Duration) async throws -> [Seen] {
        try await together(points) { point in
            let end = ContinuousClock.now + timeout
            let sight = try await origin.retrieve(domain, timeout: timeout, proxy: point.proxy)
            return Seen(point: point, sight: sight, left: end - .now)
        }
    }

    /// A place that is given something else than this machine is asked once more, in what is left of its time: a server
    /// that differs from one answer to the next, or a proxy that fails once, is no rule about places. Who took all the
    /// time is not waited for again.
    func confirmed(_ seen: [Seen], against plain: Retrieval, of domain: Domain) async throws -> [Seen] {
        guard plain.answer?.status == 200 else { return seen }
        return try await together(seen) { look in
            guard look.left > .zero, look.sight.retrieval.failure?.kind != .timedOut, !look.sight.answersLike(plain)
            else { return look }
            let again = try await origin.retrieve(domain, timeout: look.left, proxy: look.point.proxy)
            // What had less time than the first look says nothing by running out of it.
            if again.retrieval.failure?.kind == .timedOut { return look }
            return Seen(point: look.point, sight: again, left: .zero)
        }
    }
}
