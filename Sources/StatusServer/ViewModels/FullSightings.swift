import Evidence
import Foundation

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
