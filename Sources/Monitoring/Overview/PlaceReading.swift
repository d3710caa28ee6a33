// Which version of the file a place served at one check: the origin, and each edge that was asked.

import Evidence
import Facts
import Foundation

package struct PlaceReading: Equatable, Sendable {
    package var place: Place
    package var served: Served

    package enum Place: Hashable, Sendable {
        case origin
        case edge(String)

        /// As stored: an edge by its address, the origin empty.
        package var name: String { if case .edge(let address) = self { address } else { "" } }

        package init(name: String) { self = name.isEmpty ? .origin : .edge(name) }
    }

    package enum Served: Hashable, Sendable {
        /// Equal meanings are one version. `content`: the hash of the bytes.
        case version(meaning: ContentHash, content: ContentHash)
        /// An answer without the file.
        case noFile
        case noAnswer
    }
}

extension PlaceReading {
    /// All places of an observation, the origin first. Without requests that failed because of this machine.
    package static func all(_ readings: Readings) -> [PlaceReading] {
        let observation = readings.observation
        var all: [PlaceReading] = []
        if let served = served(observation.origin, readings) {
            let isFile = readings.originFile?.namesService ?? true
            all.append(PlaceReading(place: .origin, served: isFile ? served : .noFile))
        }
        var results = (observation.full?.edges ?? []).map { ($0.address, $0.retrieval) }
        if results.isEmpty, let copy = observation.cdn.retrieval, copy.connection?.viaProxy != true,
            let address = copy.connection?.address
        {
            results = [(address, copy)]
        }
        for (address, retrieval) in results where !address.isEmpty {
            guard let served = served(retrieval, readings) else { continue }
            // An error of the edge itself says nothing about the file.
            all.append(PlaceReading(place: .edge(address), served: retrieval.isAboutFile ? served : .noAnswer))
        }
        return all
    }

    private static func served(_ retrieval: Retrieval, _ readings: Readings) -> Served? {
        if retrieval.ownFault != nil { return nil }
        guard retrieval.answer != nil else { return .noAnswer }
        guard let file = readings.file(of: retrieval), let meaning = file.meaning else { return .noFile }
        return .version(meaning: meaning, content: file.hash)
    }
}
