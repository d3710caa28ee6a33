// What checks and global evaluations commit. Neither touches a notification, whatever the number of channels.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Bodies beyond this are remembered by hash and size only. Apple refuses a file over 128 KiB.
    package static let maximumBodyBytes = 256 * 1024

    /// The one transaction of a check: what it saw, state and incidents, all or nothing.
    /// `observation`: nil where the state changes without a probe, as when a domain was removed from the configuration. `stored`: what
    /// the store holds already, where the caller knows that; it is the state before.
    /// Returns whether any incident got a change number, which wakes the channels' loops.
    @discardableResult
    package func commit(
        _ evaluation: Evaluation, of observation: Observation? = nil, after stored: DomainState? = nil
    ) async throws -> Bool {
        // What it takes to write is made before: there is one writer for all.
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

    /// The one transaction of a global evaluation. Returns what the other `commit` returns.
    @discardableResult
    package func commit(_ evaluation: GlobalEvaluation) async throws -> Bool {
        try await write { database in
            try Self.setMeta("global_format", String(DomainState.formatVersion), database)
            try Self.setMeta("global", try Stored.text(evaluation.state), database)
            return try IncidentRow.write(evaluation.changes, database)
        }
    }

    /// What the last global evaluation left; nil before the first one. Without a readable state it begins with
    /// what the store holds as confirmed and unresolved.
    package func globalState() async throws -> GlobalState? {
        let (state, fault) = try await read { database -> (GlobalState?, UnreadableState?) in
            var fault: UnreadableState?
            if let stored = try Self.meta("global", database) {
                try Self.checkFormat(
                    try Self.meta("global_format", database).flatMap(Int.init) ?? 0, of: "the global state")
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
                tracked.facts = try IncidentRow.facts(record.incident.id, database)
                state.open[cause] = tracked
            }
            return (state.open.isEmpty ? nil : state, fault)
        }
        if let fault { await report([fault]) }
        return state
    }
}
