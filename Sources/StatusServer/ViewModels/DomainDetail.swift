// One domain in words: its line of the overview, its findings, and what the last full look met where.

import Evidence
import Foundation
import Monitoring
import Storage

/// All that the page of one domain shows.
package struct DomainDetail: Sendable {
    let row: OverviewRow
    let findings: [FindingLine]
    /// When everything was last asked for; nil: never.
    let looked: Moment?
    let tables: [CopyTable]
    let version: String
    let rendered: Moment

    package struct FindingLine: Equatable, Sendable {
        let rule: String
        let severity: String
        let message: String
        let fix: String
    }

    package struct CopyTable: Equatable, Sendable {
        let title: String
        let placeTitle: String
        let rows: [CopyRow]
    }

    package struct CopyRow: Equatable, Sendable {
        let place: String
        let serves: String
        let details: String
        let level: String
    }

    /// `full`: the last full look, with its bodies as far as they are kept.
    package init(
        watched: WatchedDomainInfo, state: DomainState?, full: Observation?, surroundings: Overview.Surroundings,
        context: IncidentContext = IncidentContext(), time: PageTime
    ) {
        let summary = state.map {
            DomainSummary(domain: watched.domain, state: $0, unchangedSince: nil, lastObservedAt: nil)
        }
        row = OverviewRow(
            watched, summary: summary, cdnBaseURL: surroundings.cdnBaseURL, context: context, time: time)
        findings = (state?.verdict?.findings ?? []).map {
            FindingLine(
                rule: $0.rule.rawValue.onOneLine(upTo: 100), severity: $0.severity.rawValue,
                message: $0.message.onOneLine(upTo: 600), fix: $0.fix.onOneLine(upTo: 600))
        }
        looked = full.map { time.moment($0.checkedAt) }
        let sights = full.map(FullSightings.init)
        tables = [
            CopyTable("Apple's edges", "Edge", sights?.edges.map { ($0, "") } ?? []),
            CopyTable(
                "Addresses of the origin", "Address",
                sights?.addresses.map { ($0.sighting, $0.address.scope == .public ? "" : "not public") } ?? []),
            CopyTable("Vantages", "From", sights?.vantages.map { ($0, "") } ?? []),
        ].filter { !$0.rows.isEmpty }
        version = surroundings.version.displayable
        rendered = time.moment(time.now)
    }
}

extension DomainDetail.CopyTable {
    fileprivate init(_ title: String, _ placeTitle: String, _ sightings: [(CopySighting, note: String)]) {
        self.title = title
        self.placeTitle = placeTitle
        rows = sightings.map { sighting, note in
            DomainDetail.CopyRow(
                place: sighting.place, serves: sighting.words,
                details: [note, sighting.details].filter { !$0.isEmpty }.joined(separator: " · "),
                level: sighting.isGood && note.isEmpty ? "ok" : "warning")
        }
    }
}

/// The copies of one full look, by where they were met.
struct FullSightings: Sendable {
    let edges: [CopySighting]
    let addresses: [(address: ResolvedAddress, sighting: CopySighting)]
    let vantages: [CopySighting]

    init(_ observation: Observation) {
        let readings = Readings(observation)
        edges = (observation.full?.edges ?? []).map { CopySighting($0.address, $0.retrieval, in: readings) }
        addresses = (observation.full?.addresses ?? []).map {
            ($0.address, CopySighting($0.address.address, $0.retrieval, in: readings))
        }
        vantages = (observation.full?.vantages ?? []).map { CopySighting($0.name, $0.retrieval, in: readings) }
    }
}
