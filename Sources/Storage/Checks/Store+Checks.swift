// What checks and fleet evaluations commit. Neither touches a notification, whatever the number of channels.

import Evidence
import Foundation
import GRDB
import Monitoring

/// All that one check leaves behind; it is committed as a whole or not at all.
package struct CheckRecord: Sendable {
    /// nil where the state changes without a probe, as when a domain was removed from the configuration.
    package var observation: Observation?
    package var state: DomainState
    /// What the store holds already, where the caller knows that; it is the state before.
    package var stored: DomainState?
    /// What the origin and each edge served.
    package var places: [PlaceReading]
    package var changes: [IncidentChange]

    package init(
        observation: Observation?, state: DomainState, stored: DomainState? = nil, places: [PlaceReading] = [],
        changes: [IncidentChange] = []
    ) {
        self.places = places
        self.observation = observation
        self.state = state
        self.stored = stored
        self.changes = changes
    }

    package init(_ observation: Observation?, _ evaluation: Evaluation, stored: DomainState? = nil) {
        self.init(
            observation: observation, state: evaluation.state, stored: stored, places: evaluation.places,
            changes: evaluation.changes)
    }
}

extension Store {
    /// Bodies beyond this are remembered by hash and size only. Apple refuses a file over 128 KiB.
    package static let maximumBodyBytes = 256 * 1024

    /// The one transaction of a check: observation, state and incidents, all or nothing.
    /// Returns whether any incident got a change number, which wakes the channels' loops.
    @discardableResult
    package func commit(_ check: CheckRecord) async throws -> Bool {
        // What it takes to write is made before: there is one writer for all.
        let facts = check.observation.map(StoredFacts.init)
        let isUnchanged = check.state.lastCheckedAt.flatMap { check.stored?.unchanged(at: $0) } == check.state
        let brief = isUnchanged ? nil : try BriefRow.Content(check.state)
        let isNews = try await write { database in
            if let facts { try Self.record(facts, database) }
            try Self.record(check.state, isUnchanged: isUnchanged, database)
            if let brief {
                let now = check.state.lastCheckedAt ?? self.now()
                let origin = try StretchRow.record(
                    check.places, of: check.state.domain, at: now,
                    before: (check.stored?.lastCheckedAt, check.stored?.lastFullAt), database)
                try BriefRow.record(brief, origin: origin, at: now, database)
            }
            return try IncidentRow.write(check.changes, database)
        }
        dropFormer()
        return isNews
    }

    /// The one transaction of a fleet evaluation. Returns what the other `commit` returns.
    @discardableResult
    package func commit(_ evaluation: FleetEvaluation) async throws -> Bool {
        try await write { database in
            try Self.setMeta("fleet_format", String(DomainState.formatVersion), database)
            try Self.setMeta("fleet", try Stored.text(evaluation.state), database)
            return try IncidentRow.write(evaluation.changes, database)
        }
    }

    /// What the last evaluation of the fleet left; nil before the first one. Without a readable state it begins with
    /// what the store holds as confirmed and unresolved.
    package func fleetState() async throws -> FleetState? {
        let (state, fault) = try await read { database -> (FleetState?, UnreadableState?) in
            var fault: UnreadableState?
            if let stored = try Self.meta("fleet", database) {
                try Self.checkFormat(try Self.meta("fleet_format", database).flatMap(Int.init) ?? 0, of: "the fleet")
                do {
                    let state = try Stored.decode(FleetState.self, text: stored, what: "state of the fleet")
                    return (state, nil)
                } catch let error as StoreError {
                    fault = UnreadableState(name: UnreadableState.fleet, error: error.message)
                }
            }
            var state = FleetState()
            for record in try IncidentRow.records(database, cached: ChannelTransaction.unresolvedOfFleet) {
                guard let cause = record.incident.cause else { continue }
                var tracked = TrackedIncident(incident: record.incident)
                tracked.facts = try IncidentRow.facts(record.incident.id, database)
                state.open[cause] = tracked
            }
            return (state.open.isEmpty ? nil : state, fault)
        }
        if let fault { await setAside([fault]) }
        return state
    }
}
