import Evidence
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Incidents")
    struct IncidentTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func records() async throws -> [IncidentRecord] {
            try await store.ops { try $0.incidents(changedAfter: 0, limit: 99) }
        }

        /// One sample with every field set, and one with as few as possible.
        private static func samples() throws -> [Incident] {
            let full = Incident(
                id: "full", subject: .domain(try Domain("example.com")), kind: .certificateExpiring, severity: .warning,
                state: .resolved, since: noon, openedAt: noon + 1, firedAt: noon + 2, resolvedAt: noon + 3,
                reason: .originReverted, version: 7, worse: .init(version: 2, at: noon + 4),
                again: .init(version: 5, at: noon + 5), flapping: .init(version: 6, at: noon + 6), isFlapping: true)
            let causes: [GlobalCause] = [.network, .cdn, .schedule, .configuration, .store, .channel("a/b c")]
            return [full, try incident("least", version: 1)] + causes.map { globalIncident($0) }
        }

        @Test("an incident is read back unchanged, also in another process")
        func roundTrip() async throws {
            let samples = try Self.samples()
            try await store.commit(
                GlobalEvaluation(state: GlobalState(), changes: samples.map { IncidentChange($0, facts: $0.id) }))
            try store.close()
            let again = try Store(path: folder.store)
            for sample in samples {
                #expect(try await again.incident(named: sample.id).incident == sample)
                #expect(
                    try await again.ops { try $0.account(sample.id) }?.facts
                        == IncidentFacts(diagnosis: .saying(sample.id)))
            }
            #expect(try await again.ops { try $0.incident("full") }?.acknowledgement == nil)
            #expect(try await again.ops { try $0.incident("none") } == nil)
        }

        @Test("a change without facts keeps the old ones")
        func facts() async throws {
            try await store.commit(try incident(), facts: "first")
            try await store.commit(try incident(version: 2))
            #expect(try await store.ops { try $0.account("a1") }?.facts.diagnosis == .saying("first"))
            try await store.commit(try incident(version: 3), facts: "third")
            #expect(try await store.ops { try $0.account("a1") }?.facts.diagnosis == .saying("third"))
            #expect(try await store.ops { try $0.account("none") } == nil)
        }

        @Test("an end is stored next to the incident's facts, until the incident comes back")
        func ending() async throws {
            try await store.commit(try incident(), facts: "firewall")
            try await store.commit(try incident(version: 2, state: .resolved), facts: "links work")
            var account = try await store.ops { try $0.account("a1") }
            #expect(account?.facts.diagnosis == .saying("firewall"))
            #expect(account?.ending?.diagnosis == .saying("links work"))
            try await store.commit(try incident(version: 3), facts: "firewall again")
            account = try await store.ops { try $0.account("a1") }
            #expect(account?.facts.diagnosis == .saying("firewall again") && account?.ending == nil)
        }

        @Test("each change of a confirmed incident gets the next number, and pending ones get none")
        func counter() async throws {
            #expect(try await store.latestChange() == 0)
            #expect(try await store.commit(try incident("p", version: 0)) == false)
            #expect(try await store.commit(try incident("a"), try incident("p2", version: 0)))
            #expect(
                try await store.commit(
                    GlobalEvaluation(state: GlobalState(), changes: [IncidentChange(globalIncident())]))
            )
            #expect(try await store.commit(try incident("p", version: 1)))
            #expect(try await store.commit(try incident("a", state: .recovering)))
            #expect(try await !store.commit(Evaluation(state: state())))
            #expect(try await store.latestChange() == 4)
            let records = try await records()
            #expect(records.map(\.change) == [2, 3, 4])
            #expect(records.map(\.incident.id) == [globalIncident().id, "p", "a"])
            #expect(try await store.ops { try $0.incidents(changedAfter: 2, limit: 1) }.map(\.change) == [3])
            #expect(try await store.ops { try $0.latestChange() } == 4)
        }

        @Test("a commit of incidents does not touch notifications")
        func noNotification() async throws {
            try await store.commit(try incident())
            let row = pending()
            try await store.ops { try $0.save(row, of: try incident()) }
            try await store.commit(try incident(version: 2, state: .resolved))
            #expect(try await store.ops { try $0.notification("a1") } == row)
            #expect(try await store.rows("message") == 0)
        }

        @Test("a failed commit, or a process killed before it, uses no number and leaves no incident")
        func atomic() async throws {
            struct Killed: Error {}
            let isBlocked = Mutex(false)
            try store.close()
            let store = try Store(
                path: folder.store, access: .monitor,
                obstacle: { _ in if isBlocked.withLock(\.self) { throw Killed() } })
            try await store.commit(try incident("a"))
            isBlocked.withLock { $0 = true }
            await #expect(throws: StoreError.self) { try await store.commit(try incident("b")) }
            isBlocked.withLock { $0 = false }
            // The second of two changes is refused after the first one has taken its number.
            try await store.write { database in
                try database.execute(
                    sql: """
                        CREATE TRIGGER refuse BEFORE INSERT ON incident WHEN NEW.id = 'd'
                        BEGIN SELECT RAISE(ABORT, 'refused'); END
                        """)
            }
            await #expect(throws: StoreError.self) { try await store.commit(try incident("c"), try incident("d")) }
            #expect(try await store.latestChange() == 1)
            try await store.commit(try incident("e"))
            #expect(try await store.ops { try $0.incidents(changedAfter: 0, limit: 9) }.map(\.change) == [1, 2])
        }

        @Test("an incident is updated in place, and a dropped one leaves no row")
        func lists() async throws {
            let first = try incident(version: 0)
            let other = try incident("b2", domain: "b.example.com", version: 0, at: noon + 60)
            try await store.commit(first, other, globalIncident(at: noon + 90))
            let ended = try incident(state: .resolved).with { $0.reason = .cdnCaughtUp }
            try await store.commit(ended)
            #expect(try await store.listed(limit: 2) == [globalIncident(at: noon + 90), other])
            #expect(try await store.listed(ended.domain) == [ended])
            try await store.commit(
                Evaluation(state: try state(), changes: [IncidentChange(incident: other, transition: .dropped)]))
            #expect(try await store.ops { try $0.incident("b2") } == nil)
        }

        @Test("unresolved confirmed incidents are read in pages")
        func walk() async throws {
            for index in 0..<5 { try await store.commit(try incident("i\(index)")) }
            try await store.commit(try incident("i2", state: .resolved), try incident("i9", version: 0))
            try await store.commit(try incident("i3", state: .recovering))
            func page(_ id: String) async throws -> [String] {
                try await store.ops { try $0.unresolvedIncidents(after: id, limit: 2) }.map(\.incident.id)
            }
            #expect(try await page("") == ["i0", "i1"])
            #expect(try await page("i1") == ["i3", "i4"])
            #expect(try await page("i4") == [])
            #expect(try await store.ops { try $0.hasUnresolved(.cdnStale) })
            #expect(try await !store.ops { try $0.hasUnresolved(.cdnMissing) })
        }

        @Test("open incidents are counted by kind and severity, with zero counts")
        func openCounts() async throws {
            try await store.commit(
                try incident("i1"), try incident("i2", state: .recovering), try incident("i3", state: .resolved),
                try incident("i4", version: 0), try incident("i5", severity: .warning))
            let counts = try await store.openIncidentCounts()
            #expect(counts.count == 2 * IncidentKind.allCases.count)
            let stale = counts.filter { $0.kind == .cdnStale }.map { "\($0.severity.rawValue) \($0.count)" }
            #expect(stale == ["error 2", "warning 1"])
            #expect(counts.filter { $0.kind != .cdnStale }.allSatisfy { $0.count == 0 })
        }

        @Test("an incident comes with its domain's last check, including unchanged checks")
        func checkedAt() async throws {
            let known = try incident()
            for minute in 0..<3 {
                try await store.commit(
                    Evaluation(
                        state: try state(at: noon + Double(minute) * 60),
                        changes: minute == 0 ? [IncidentChange(known)] : []))
            }
            try await store.commit(GlobalEvaluation(state: GlobalState(), changes: [IncidentChange(globalIncident())]))
            #expect(try await records().map(\.checkedAt) == [noon + 120, nil])
        }

        @Test("global incidents: the unresolved ones, and the last end of a cause")
        func global() async throws {
            let facts = IncidentFacts(diagnosis: .saying("d"), subject: "6 of 7 domains")
            let incidents = [
                globalIncident(.cdn, at: noon + 5), globalIncident(.channel("ops"), state: .recovering, at: noon),
                globalIncident(.network, state: .resolved, at: noon + 10),
                globalIncident(.network, state: .resolved, at: noon + 20),
                // Ended before anybody could be notified.
                globalIncident(.schedule, version: 0, state: .resolved, at: noon + 30),
                globalIncident(.schedule, version: 0, state: .pending, at: noon + 40),
            ]
            try await store.commit(
                GlobalEvaluation(
                    state: GlobalState(),
                    changes: incidents.map { IncidentChange(incident: $0, facts: facts, transition: .firing) }))
            let open = try await store.incidents(.openGlobal).map(\.incident)
            #expect(open == [incidents[0], incidents[1]])
            #expect(try await store.incidentAccounts(open.map(\.id)).values.map(\.facts) == [facts, facts])
            try await store.ops { channel throws in
                #expect(try channel.globalIncidents().map(\.incident) == [incidents[1], incidents[0]])
                #expect(try channel.lastEnd(of: .network) == noon + 20)
                #expect(try channel.lastEnd(of: .schedule) == nil)
                #expect(try channel.hasUnresolved(.monitorDegraded))
            }
        }

        @Test("the global state is read back unchanged, and a failed commit keeps the previous one")
        func globalState() async throws {
            #expect(try await store.globalState() == nil)
            var state = GlobalState()
            state.open[.channel("ops")] = TrackedIncident(incident: globalIncident(.channel("ops")))
            try await store.commit(GlobalEvaluation(state: state))
            try await store.write { database in
                try database.execute(
                    sql: "CREATE TRIGGER refuse BEFORE INSERT ON incident BEGIN SELECT RAISE(ABORT, 'refused'); END")
            }
            await #expect(throws: StoreError.self) {
                try await store.commit(
                    GlobalEvaluation(state: GlobalState(), changes: [IncidentChange(globalIncident())]))
            }
            #expect(try await store.globalState() == state)
        }
    }

    @Suite("Acknowledgements")
    struct AcknowledgementTests {
        let folder: ScratchFolder
        let store: Store
        let eva = Acknowledgement(by: "eva", reason: "on it", at: noon + 5)

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func acknowledgement(_ id: String = "abcd1111") async throws -> Acknowledgement? {
            try await store.ops { try $0.incident(id) }?.acknowledgement
        }

        @Test("a firing incident is acknowledged by its ID or an ID prefix")
        func prefixes() async throws {
            let incidents = [
                try incident("abcd1111"), try incident("abcd2222", at: noon - 1), try incident("ef001111", version: 0),
                try incident("99991111", state: .resolved), try incident("abcd3333", state: .resolved),
            ]
            for incident in incidents { try await store.commit(incident) }
            #expect(try await store.acknowledge(named: "abcd1", eva) == .done(incidents[0]))
            #expect(try await store.acknowledge(named: "ABCD1111", eva) == .done(incidents[0]))
            let several = await #expect(throws: UnknownName.self) { try await store.acknowledge(named: "abcd", eva) }
            let references = incidents[0...1].map(\.reference).joined(separator: "; ")
            #expect(several?.description == "several incidents have an id that begins with 'abcd': \(references)")
            #expect(try await store.acknowledge(named: "abcd3", eva) == .notFiring(incidents[4]))
            #expect(try await store.acknowledge(named: "ef00", eva) == .notFiring(incidents[2]))
            #expect(try await store.acknowledge(named: "9999", eva) == .notFiring(incidents[3]))
            for prefix in ["", "abc", "0000", "%%%%", "____", "ab' ", "abcd1112", "zzzz"] {
                await #expect(throws: UnknownName.self) { try await store.acknowledge(named: prefix, eva) }
                await #expect(throws: UnknownName.self) { try await store.unacknowledge(named: prefix) }
            }
            #expect(try await store.acknowledgements().keys.sorted() == ["abcd1111"])
        }

        @Test("an acknowledgement and its end are changes; a second acknowledgement keeps the instant")
        func changes() async throws {
            let known = try incident("abcd1111", version: 3)
            try await store.commit(known)
            #expect(try await store.unacknowledge(named: "abcd") == .notAcknowledged(known))
            #expect(try await store.latestChange() == 1)
            _ = try await store.acknowledge(named: "abcd", eva)
            #expect(try await store.latestChange() == 2)
            var expected = eva
            expected.version = 3
            #expect(try await acknowledgement() == expected)
            _ = try await store.acknowledge(named: "abcd", Acknowledgement(by: "bob", reason: "", at: noon + 99))
            #expect(
                try await acknowledgement() == Acknowledgement(by: "bob", reason: "", at: noon + 5, version: 3))
            #expect(try await store.unacknowledge(named: "abcd") == .done(known))
            #expect(try await acknowledgement() == nil)
            #expect(try await store.ops { try $0.incident("abcd1111") }?.change == 4)
            #expect(try await store.acknowledgements().isEmpty)
        }

        @Test(
            "an acknowledgement survives checks, and ends when the incident becomes worse or comes back",
            arguments: [("changed", true), ("flapping", true), ("worse", false), ("again", false)])
        func lapses(what: String, holds: Bool) async throws {
            let known = try incident("abcd1111")
            try await store.commit(known)
            _ = try await store.acknowledge(named: "abcd", eva)
            let mark = Incident.Mark(version: 2, at: noon + 9)
            try await store.commit(
                known.with {
                    $0.version = 2
                    switch what {
                    case "worse": $0.worse = mark
                    case "again": $0.again = mark
                    case "flapping": $0.flapping = mark
                    default: break
                    }
                })
            #expect(try await (acknowledgement() != nil) == holds)
            #expect(try await store.acknowledgements().isEmpty == !holds)
            _ = try await store.acknowledge(named: "abcd", Acknowledgement(by: "bob", reason: "", at: noon + 20))
            #expect(try await acknowledgement()?.version == 2)
            #expect(try await acknowledgement()?.at == (holds ? noon + 5 : noon + 20))
            try await store.commit(known.with { $0.state = .resolved })
            #expect(try await store.acknowledgements().isEmpty)
        }

        @Test("a command acknowledges while the monitor runs, and the monitor notices the write")
        func beside() async throws {
            try await store.commit(try incident("abcd1111"))
            let before = try await store.outsideWrites()
            let command = try Store(path: folder.store, access: .beside)
            _ = try await command.acknowledge(named: "abcd", eva)
            try command.close()
            #expect(try await acknowledgement()?.by == "eva")
            #expect(try await store.outsideWrites() != before)
        }
    }
}
