// What checks and global evaluations commit. Neither writes a notification: the channels' loops do that.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// The store keeps only the hash and size of larger bodies. Apple refuses a file over 128 KiB.
    package static let maximumBodyBytes = 256 * 1024

    /// Commits one check in one transaction: the observation, the state and the incidents.
    /// `observation`: nil if the state changes without a probe, for example when a domain was removed.
    /// `stored`: the state in the store before this check, if the caller has it.
    /// Returns true if an incident got a change number, which wakes the channels' loops.
    @discardableResult
    package func commit(
        _ evaluation: Evaluation, of observation: Observation? = nil, after stored: DomainState? = nil
    ) async throws -> Bool {
        // Encode before the transaction: all checks share one writer.
        let state = evaluation.state
        let full = try observation.flatMap { $0.depth == .full ? try Stored.encode($0.storable) : nil }
        let bodies = observation?.storableBodies ?? []
        let isUnchanged = state.lastCheckedAt.flatMap { stored?.unchanged(at: $0) } == state
        let content = isUnchanged ? nil : try DomainRow.Content(state)
        let isNews = try await write { database in
            if let observation { try Self.keep(full, bodies, of: observation, database) }
            if try content != nil || !DomainRow.noteUnchanged(state, database) {
                let content = try content ?? DomainRow.Content(state)
                let now = state.lastCheckedAt ?? self.now()
                let origin = try VersionIntervalRow.record(
                    evaluation.places, of: state.domain, at: now,
                    before: (stored?.lastCheckedAt, stored?.lastFullAt), database)
                try DomainRow.write(state, content, origin: origin, at: now, database)
            }
            return try IncidentRow.write(evaluation.changes, database)
        }
        return isNews
    }

    /// Commits one global evaluation in one transaction. Returns true if an incident got a change number.
    @discardableResult
    package func commit(_ evaluation: GlobalEvaluation) async throws -> Bool {
        try await write { database in
            try Self.setMeta("global_format", String(DomainState.formatVersion), database)
            try Self.setMeta("global", try Stored.text(evaluation.state), database)
            return try IncidentRow.write(evaluation.changes, database)
        }
    }

    /// The state after the last global evaluation; nil before the first one. If the stored state cannot be read,
    /// it starts from the confirmed, unresolved incidents in the store.
    package func globalState() async throws -> GlobalState? {
        let (state, fault) = try await read { database -> (GlobalState?, UnreadableState?) in
            var fault: UnreadableState?
            if let stored = try Self.meta("global", database) {
                try Self.checkFormat(
                    try Self.meta("global_format", database).flatMap(Int.init) ?? 0, of: "all domains")
                do {
                    let state = try Stored.decode(GlobalState.self, text: stored, what: "global state")
                    return (state, nil)
                } catch let error as StoreError {
                    fault = UnreadableState(name: UnreadableState.global, error: error.message)
                }
            }
            var state = GlobalState()
            for record in try IncidentRow.records(.openGlobal, database) {
                guard let cause = record.incident.cause else { continue }
                var tracked = TrackedIncident(incident: record.incident)
                tracked.facts = try IncidentRow.account(record.incident.id, database)?.facts
                state.open[cause] = tracked
            }
            return (state.open.isEmpty ? nil : state, fault)
        }
        if let fault { await report([fault]) }
        return state
    }
}
