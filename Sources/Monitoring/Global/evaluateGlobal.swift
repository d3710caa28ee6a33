// The only place that turns problems of many domains, and of the monitor itself, into incidents. Pure and total like
// `evaluate`: no clock, no I/O; the same arguments give the same result.

import Evidence
import Foundation

/// Evaluates all domains together, and the monitor itself, given the previous `state`.
package func evaluateGlobal(_ state: GlobalState, _ snapshot: GlobalSnapshot, now: Date) -> GlobalEvaluation {
    let reader = GlobalReader(snapshot, state, now: now)
    var log = IncidentLog(memory: state)
    log.memory.ended = log.memory.ended.filter { _, ended in
        now.timeIntervalSince(ended.incident.resolvedAt ?? .distantPast) < Incident.reopenWindow
    }
    // Also the channels of open incidents, so that the incident of a removed channel ends.
    let channels = Set(snapshot.channels.map(\.name)).union(state.open.keys.compactMap(\.channelName)).sorted()
    for cause in [.network, .cdn, .blind, .schedule, .configuration] + channels.map({ GlobalCause.channel($0) }) {
        let reading = reader.reading(of: cause, in: log.memory)
        if let resolvedText = reading.resolvedText { log.memory.open[cause]?.facts?.resolvedText = resolvedText }
        let changes = log.changes.count
        IncidentMachine(cause, reading.report, reader, now: now).advance(on: reading.condition, in: &log)
        guard log.memory.open[cause] != nil else { continue }
        log.remember(reading.report, of: cause, isWritten: log.changes.count > changes)
    }
    return GlobalEvaluation(
        state: log.memory, changes: log.changes,
        isWorthStoring: !log.changes.isEmpty || log.memory.begun != state.begun
            || log.memory.ended.count != state.ended.count)
}

extension IncidentMachine<GlobalCause> {
    fileprivate init(_ cause: GlobalCause, _ report: GlobalReport?, _ reader: GlobalReader, now: Date) {
        let isParent = !cause.inhibits.isEmpty
        self.init(
            key: cause, kind: cause.kind, subject: .global(cause),
            rules: IncidentRules(
                recoveries: 2,
                // An accepted file is a fact and needs no waiting period.
                settle: cause == .configuration ? 0 : reader.settle,
                evidenceAt: isParent ? reader.lastCheck ?? .distantPast : nil,
                // If an inhibiting incident stayed open while flapping, the inhibited ones would stay suppressed.
                canFlap: !isParent),
            now: now,
            facts: { tracked in
                if tracked.incident.state != .resolved, let report { return report.facts }
                var facts = tracked.facts ?? .missing
                guard tracked.incident.state == .resolved else { return facts }
                facts.diagnosis = .remark(.over, isParent ? .unknown(.ofManyDomains) : .unaffected)
                facts.findings = []
                // The number of domains changed during the incident, so the resolved message has none.
                facts.subject = nil
                return facts
            }, fingerprint: { _ in report?.fingerprint })
    }
}

extension IncidentLog<GlobalCause> {
    /// Keeps the last report of an incident. A change of the affected domains is written immediately.
    fileprivate mutating func remember(_ report: GlobalReport?, of cause: GlobalCause, isWritten: Bool) {
        guard let report, let open = memory.open[cause] else { return }
        if !isWritten, open.hasFired, let known = open.facts {
            guard known.affected != report.affected else { return }
            changes.append(IncidentChange(incident: open.incident, facts: report.facts, transition: .rewritten))
        }
        memory.open[cause]?.facts = report.facts
    }
}

/// The memory of the global evaluation. A restart neither repeats nor forgets an incident.
package typealias GlobalState = IncidentMemory<GlobalCause>

package struct GlobalEvaluation: Equatable, Sendable {
    package var state: GlobalState
    package var changes: [IncidentChange] = []
    /// Whether the store must write it; advanced counters alone are not worth a write.
    package var isWorthStoring = false
}
