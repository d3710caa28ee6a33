// The state of a domain in two parts: the whole as it was some time ago, and the little that has changed in it since. At
// most checks nothing changes but instants, and then the kilobytes need not be written again.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// A larger difference is written as a whole: small rows are what makes many of them share a page.
    static let largestDelta = 1024

    static let stateOfDomain = """
        SELECT d.state, r.delta FROM domain d LEFT JOIN domain_recent r ON r.name = d.name WHERE d.name = ?
        """

    static let overview = """
        SELECT d.name, d.state, r.delta, o.first_at, o.last_at FROM domain d
        LEFT JOIN domain_recent r ON r.name = d.name
        LEFT JOIN observation o
        ON o.id = (SELECT id FROM observation WHERE domain = d.name ORDER BY first_at DESC, id DESC LIMIT 1)
        ORDER BY d.name
        """

    /// The state out of a row with `state` and `delta`.
    static func state(_ row: Row, of name: String) throws -> DomainState {
        let base: Data = row["state"]
        let what = "state of \(name)"
        guard let delta = row["delta"] as Data? else {
            return try Stored.decode(DomainState.self, from: base, what: what)
        }
        guard let whole = try Stored.decode(StateDelta.self, from: delta, what: what).applied(to: base) else {
            throw StoreError(code: .corrupt, message: "the stored \(what) does not fit together")
        }
        return try Stored.decode(DomainState.self, from: whole, what: what)
    }

    static func record(_ state: DomainState, _ database: Database) throws {
        let name = state.domain.name
        let whole = try Stored.encode(state)
        let base = try Data.fetchOne(database, cached: "SELECT state FROM domain WHERE name = ?", arguments: [name])
        if let base, let delta = StateDelta(from: base, to: whole, atMost: largestDelta) {
            try database.execute(
                cached: """
                    INSERT INTO domain_recent (name, delta, last_checked_at) VALUES (?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET delta = excluded.delta, last_checked_at = excluded.last_checked_at
                    """, arguments: [name, try Stored.encode(delta), state.lastCheckedAt?.milliseconds])
            return
        }
        try database.execute(
            cached: """
                INSERT INTO domain (name, state, last_checked_at) VALUES (?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET state = excluded.state, last_checked_at = excluded.last_checked_at
                """, arguments: [name, whole, state.lastCheckedAt?.milliseconds])
        try database.execute(cached: "DELETE FROM domain_recent WHERE name = ?", arguments: [name])
    }
}
