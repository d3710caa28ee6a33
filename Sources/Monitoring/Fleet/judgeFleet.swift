// The one place where what happens to many domains, and to the monitor itself, becomes incidents. Pure and total, as
// `evaluate` is: no clock, no I/O; the same arguments give the same result.

import Evidence
import Foundation

/// Judges all watched domains together, and the monitor's own condition, in the light of what was known (`state`).
package func judgeFleet(_ state: FleetState, _ look: FleetLook, _ policy: FleetPolicy, now: Date) -> FleetEvaluation {
    var result = FleetEvaluation(state: state)
    let reader = FleetReader(look: look, policy: policy, now: now)
    // What is open comes first, so that the end of a channel that is gone is told.
    let channels = Set(look.channels.map(\.name)).union(state.open.compactMap(\.channelName)).sorted()
    let causes: [FleetCause] = [.network, .cdn, .store, .schedule, .configuration] + channels.map { .channel($0) }
    result.state.ended.removeAll { !(0..<policy.reopenWindow.inSeconds).contains($0.age(at: now)) }
    for cause in causes {
        let known = state[cause]
        let reading = reader.reading(of: cause, known: known, network: result.state[.network])
        // That a file was taken is a fact, and does not only look so.
        let settle = cause == .configuration ? 0 : reader.settle
        FleetCourse(
            cause: cause, policy: policy, settle: settle, lookedAt: reader.lastLook, judgedAt: state.judgedAt, now: now
        ).advance(known, on: reading, into: &result)
    }
    result.state.judgedAt = now
    return result
}

extension FleetIncident {
    fileprivate var channelName: String? { if case .channel(let name) = cause { name } else { nil } }

    fileprivate func age(at now: Date) -> TimeInterval {
        now.timeIntervalSince(incident.resolvedAt ?? .distantPast)
    }
}
