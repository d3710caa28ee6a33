// Which domains and incidents a line of the log is about.

import Logging
import Monitoring

/// The first few of a message's incidents, and how many there are.
struct LoggedSubjects: Equatable, Sendable {
    /// So many are named.
    static let shown = 3

    private let domains: [String]
    private let ids: [String]

    /// `incidents`: the first ones; `shown` are enough. `count`: how many there are.
    init(_ incidents: [Incident], of count: Int) {
        func listed(_ names: [String]) -> [String] {
            var seen: Set<String> = []
            let first = names.filter { seen.insert($0).inserted }.prefix(Self.shown)
            return first + (count > Self.shown ? ["and \(count - Self.shown) more"] : [])
        }
        domains = incidents.allSatisfy { $0.domain == nil } ? [] : listed(incidents.map(\.subjectName))
        ids = listed(incidents.map(\.id))
    }

    var metadata: Logger.Metadata {
        let pairs = [("domain", domains), ("incident", ids)].filter { !$1.isEmpty }
        return Logger.Metadata(uniqueKeysWithValues: pairs.map { ($0, "\($1.joined(separator: ", "))") })
    }
}
