import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    /// Statements that run at each check, in each turn of a channel's loop, or over all rows that there are.
    @Suite("Query plans")
    struct PlanTests {
        struct Statement: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let sql: String
            /// Indexes that the plan must use.
            let indexes: [String]
            /// Tables that it may read as a whole, since the question is about all of their rows.
            var scanned: [String] = []

            init(_ name: String, _ sql: String, _ indexes: [String], scanned: [String] = []) {
                (testDescription, self.sql, self.indexes, self.scanned) = (name, sql, indexes, scanned)
            }
        }

        private static let domainKeys = ["sqlite_autoindex_domain_1"]

        static let loop = [
            Statement("an incident", IncidentRow.byID, ["sqlite_autoindex_incident_1"] + domainKeys),
            Statement("changed incidents", ChannelTransaction.changed, ["incident_by_change"] + domainKeys),
            Statement("walk over unresolved incidents", ChannelTransaction.unresolved, ["incident_unresolved"]),
            Statement("global incidents", ChannelTransaction.unresolvedOfGlobal, ["incident_unresolved_of_kind"]),
            Statement("last end of a cause", ChannelTransaction.lastEnd, ["incident_of_cause"]),
            Statement("a kind's incidents", ChannelTransaction.anyUnresolved, ["incident_unresolved_of_kind"]),
            Statement(
                "some notifications", ChannelTransaction.listed, ["PRIMARY KEY (channel=? AND incident_id=?)"],
                scanned: ["json_each"]),
            Statement("due notifications", ChannelTransaction.dueBy, ["notification_due (channel=? AND due_at<?)"]),
            Statement("the next due", ChannelTransaction.earliestDue, ["notification_due"]),
            Statement(
                "walk over open notifications", ChannelTransaction.open,
                ["notification_open (channel=? AND incident_id>?)"]),
            Statement(
                "pending groups", ChannelTransaction.groups,
                ["COVERING INDEX notification_pending", "SEARCH g USING PRIMARY KEY"]),
            Statement(
                "members of a group", ChannelTransaction.members,
                ["notification_pending (channel=? AND kind=? AND reason=?)"]),
            Statement("messages", ChannelTransaction.ofChannel, ["message_of_channel"]),
        ]

        static let others = [
            Statement("a state", Store.stateOfDomain, domainKeys),
            Statement("all states", Store.statesByName, domainKeys, scanned: ["domain"]),
            Statement("a domain's unresolved incidents", Store.unresolvedOfDomain, ["incident_"]),
            Statement("a domain's incidents", Store.incidentsOfDomain, ["incident_of_domain"]),
            Statement("the newest incidents", Store.newestIncidents, ["incident_by_age"], scanned: ["i"]),
            Statement(
                "a page of incidents", Store.incidentPage(IncidentQuery(limit: 1)), ["incident_by_age"], scanned: ["i"]),
            Statement(
                "a page of a kind", Store.incidentPage(IncidentQuery(kind: .cdnStale, limit: 1)), ["incident_of_kind"]),
            Statement(
                "a page of open incidents", Store.incidentPage(IncidentQuery(state: .open, limit: 1)),
                ["incident_unresolved"], scanned: ["i USING INDEX incident_unresolved"]),
            Statement(
                "a page of firing incidents of a kind",
                Store.incidentPage(IncidentQuery(kind: .cdnStale, state: .firing, limit: 1)), ["incident_unresolved"],
                scanned: ["i USING INDEX incident_unresolved"]),
            Statement("acknowledged incidents", Store.acknowledged, ["incident_acknowledged"]),
            Statement("incidents by prefix", Store.byPrefix, ["sqlite_autoindex_incident_1 (id>? AND id<?)"]),
            Statement("deliveries", Store.deliveriesOfAll, ["delivery_by_age"], scanned: ["delivery"]),
            Statement("a channel's deliveries", Store.deliveriesOfChannel, ["delivery_of_channel"]),
            Statement("an incident's deliveries", Store.deliveriesOfIncident, ["delivery_of_incident"]),
            Statement(
                "a domain's deliveries", Store.deliveriesOfDomain,
                ["delivery_of_incident", "incident_of_domain"]),
            Statement("the key of a delivery", Store.keyOfDelivery, ["INTEGER PRIMARY KEY (rowid=?)"]),
            Statement("keys by prefix", Store.keysByPrefix, ["PRIMARY KEY (key>? AND key<?)"]),
            Statement("a message's deliveries", Store.deliveriesOfKey, ["delivery_of_key"]),
            Statement("what a message says, and its attempts", Store.logOfKey, ["PRIMARY KEY (key=?)"]),
            Statement("a message by its key", Store.messageOfKey, [], scanned: ["message"]),
            Statement("aged messages", Store.agedMessages, ["message_log_by_age"]),
            Statement("counts of statuses", DomainRow.countsOfRanks, ["COVERING INDEX domain_by_"]),
            Statement("highest change", Store.highestChange, ["COVERING INDEX incident_by_change"]),
            Statement("last delivery", Store.lastSettled, ["COVERING INDEX delivery_of_channel"]),
            Statement("messages under way", Store.messagesUnderWay, ["message_of_channel"]),
            Statement(
                "pending counts", Store.pendingCounts, ["COVERING INDEX notification_pending"],
                scanned: ["notification", "message"]),
            Statement("aged deliveries", Store.agedDeliveries, ["delivery_by_age"]),
            Statement("ended incidents", Store.endedIncidents, ["incident_ended", "notification_of_incident"]),
            Statement("aged bodies", Store.agedBodies, ["COVERING INDEX body_of_domain"], scanned: ["body"]),
            Statement("surplus bodies", Store.surplusBodies, ["COVERING INDEX body_of_domain"], scanned: ["body"]),
        ]

        @Test("a statement uses its indexes and reads no other table as a whole", arguments: loop + others)
        func plan(_ statement: Statement) async throws {
            let folder = try ScratchFolder()
            let store = try Store(path: folder.store)
            let plan = try await store.read { database in
                try Row.fetchAll(
                    database, sql: "EXPLAIN QUERY PLAN " + statement.sql.replacing(/:[a-z]+|\?/, with: "'[]'")
                ).map { $0["detail"] as String }
            }
            for index in statement.indexes { #expect(plan.contains { $0.contains(index) }, "\(index): \(plan)") }
            let scans = plan.filter { $0.hasPrefix("SCAN") && !$0.contains("CONSTANT") && !$0.contains("(subquery") }
            #expect(scans.allSatisfy { scan in statement.scanned.contains { scan.hasPrefix("SCAN \($0)") } }, "\(plan)")
            #expect(!plan.contains { $0.contains("AUTOMATIC") }, "\(plan)")
        }

        @Test(
            "an unresolved walk and an open walk need no sorting",
            arguments: [
                ChannelTransaction.unresolved, ChannelTransaction.open, ChannelTransaction.changed,
                ChannelTransaction.dueBy, ChannelTransaction.members,
            ])
        func sorting(sql: String) async throws {
            let folder = try ScratchFolder()
            let store = try Store(path: folder.store)
            let plan = try await store.read { database in
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql.replacing("?", with: "'x'"))
                    .map { $0["detail"] as String }
            }
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }
}
