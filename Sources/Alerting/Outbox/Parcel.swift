// One message as it goes out: a row of the outbox, or the rows that share one message.

import Foundation
import Monitoring
import Storage

struct Parcel {
    /// Stands for all of them.
    let row: OutboxRow
    let facts: AlertFacts
    /// What the channel was told of the incident; of several incidents nothing.
    let told: Told
    /// What is to be brought up to date once this is delivered: an incident, and what the receiver calls its first message.
    let followed: [(facts: AlertFacts, reference: String?)]

    /// The first message of the story that this one goes on with.
    var reference: String? { told.reference }

    /// Of a digest only so many are looked up and brought up to date: each is a request.
    private static let followedMembers = Digest.shown

    /// nil where nothing of it can be read.
    init?(_ row: OutboxRow, store: Store) async throws {
        self.row = row
        guard row.digest != nil else {
            guard var facts = Self.facts(row) else { return nil }
            told = try await store.told(before: row)
            facts.isUnsaidEnd = told.isUnsaidEnd
            self.facts = facts
            followed = [(facts, told.reference)]
            return
        }
        let rows = try await store.members(of: row)
        var members = rows.compactMap { row in
            Self.facts(row).map { (row: row, facts: $0, reference: String?.none) }
        }
        let looked = members.prefix(Self.followedMembers).map(\.row)
        for (index, told) in try await store.told(beforeEach: looked).enumerated() {
            members[index].facts.isUnsaidEnd = told.isUnsaidEnd
            members[index].reference = told.reference
        }
        guard let facts = AlertFacts(members.map(\.facts), key: row.sendingKey) else { return nil }
        told = Told()
        self.facts = facts
        followed = members.filter { $0.reference != nil }.map { ($0.facts, $0.reference) }
    }

    private static func facts(_ row: OutboxRow) -> AlertFacts? {
        guard var facts = try? JSONDecoder().decode(AlertFacts.self, from: row.facts) else { return nil }
        // The store writes that row, and knows of facts no more than what was told before.
        if row.type == .acknowledged {
            facts.event.type = .acknowledged
            facts.event.at = row.createdAt
        }
        return facts
    }
}
