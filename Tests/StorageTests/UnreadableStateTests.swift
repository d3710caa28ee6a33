import Evidence
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Unreadable states")
    struct UnreadableStateTests {
        let folder: ScratchFolder
        let store: Store
        let reported = Reports()

        final class Reports: Sendable {
            let names = Mutex<[String]>([])
        }

        init() async throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
            store.onUnreadableState { [reported] state in reported.names.withLock { $0.append(state.name) } }
            for name in ["a.test", "b.test", "c.test"] {
                // Twice, so that there is also an instant next to the state.
                let first = try state(name, at: noon)
                try await store.commit(Evaluation(state: first))
                try await store.commit(Evaluation(state: state(name, at: noon + 1)), after: first)
            }
        }

        private func damage(_ sql: String) async throws {
            try await store.write { try $0.execute(sql: sql) }
        }

        private var names: [String] { reported.names.withLock(\.self) }

        @Test(
            "an unreadable state is reported once and started again, without stopping the others",
            arguments: [("{}", true), ("{\"domain\":", false)])
        func beginsAnew(state text: String, isReadByItself: Bool) async throws {
            try await store.commit(
                Evaluation(
                    state: state("b.test", at: noon + 1),
                    changes: [
                        IncidentChange(try incident("fired", domain: "b.test")),
                        IncidentChange(try incident("over", domain: "b.test", state: .resolved)),
                        IncidentChange(try incident("seen", domain: "b.test", kind: .cdnMissing, version: 0)),
                        IncidentChange(try incident("other", domain: "a.test", kind: .cdnMissing, version: 0)),
                    ]))
            try await damage("UPDATE domain SET state = CAST('\(text)' AS BLOB) WHERE name = 'b.test'")
            let reader = try Store(path: folder.store, access: .reader)
            #expect(try await reader.states().map(\.domain.name) == ["a.test", "c.test"])
            #expect(try await store.listed().count == 4, "a reader changes nothing")
            if isReadByItself {
                #expect(try await store.state(of: Domain("b.test")) == nil)
                #expect(names == ["b.test"])
            }
            #expect(try await store.states().map(\.domain.name) == ["a.test", "c.test"])
            #expect(try await store.state(of: Domain("b.test")) == nil)
            #expect(names == ["b.test"])
            #expect(
                try await store.domainNames().map(\.name).sorted() == ["a.test", "b.test", "c.test"],
                "removed-domain cleanup must find it")
            // Firing incidents continue; unconfirmed ones start again.
            let first = try await store.firstState(of: Domain("b.test"))
            #expect(first.open.values.map(\.incident.id) == ["fired"])
            #expect(try await store.listed().map(\.id).sorted() == ["fired", "other", "over"])
            try await store.commit(Evaluation(state: first))
            #expect(try await store.state(of: Domain("b.test")) == first)
        }

        @Test("a state of a newer version is refused by name and left unchanged")
        func newer() async throws {
            let format = DomainState.formatVersion + 1
            try await damage("UPDATE domain SET format = \(format) WHERE name = 'b.test'")
            for read in [
                { _ = try await store.states() }, { _ = try await store.state(of: Domain("b.test")) },
            ] as [() async throws -> Void] {
                let fault = await #expect(throws: StoreError.self) { try await read() }
                #expect(fault?.code == .newer)
                #expect(fault?.message.contains("state of b.test in format \(format)") == true)
            }
            #expect(try await store.state(of: Domain("a.test")) != nil)
            #expect(names == [])
            #expect(try await store.rows("domain") == 3)
        }

        @Test("an unreadable global state starts again with the confirmed unresolved incidents")
        func global() async throws {
            let facts = IncidentFacts(diagnosis: .saying("d"), trouble: "t")
            try await store.commit(
                GlobalEvaluation(
                    state: GlobalState(),
                    changes: [
                        IncidentChange(incident: globalIncident(.cdn), facts: facts, transition: .firing),
                        IncidentChange(globalIncident(.network, state: .resolved)),
                        IncidentChange(globalIncident(.schedule, version: 0, state: .pending)),
                    ]))
            try await damage("UPDATE meta SET value = '[]' WHERE name = 'global'")
            for _ in 0..<2 {
                let state = try #require(try await store.globalState())
                #expect(state.open.keys.map(\.rawValue) == ["cdn"])
                #expect(state.open[.cdn]?.incident == globalIncident(.cdn))
                #expect(state.open[.cdn]?.facts == facts)
            }
            #expect(names == [""])
            #expect(try await store.rows("incident") == 2)
            try await store.commit(GlobalEvaluation(state: GlobalState()))
            try await damage("UPDATE meta SET value = '99' WHERE name = 'global_format'")
            let fault = await #expect(throws: StoreError.self) { try await store.globalState() }
            #expect(fault?.code == .newer)
        }

        @Test("an unreadable incident row is skipped, without stopping the others")
        func incidents() async throws {
            for id in ["a", "b"] { try await store.commit(try incident(id)) }
            try await damage("UPDATE incident SET kind = 'no such kind', facts = CAST('[]' AS BLOB) WHERE id = 'a'")
            #expect(try await store.ops { try $0.incidents(changedAfter: 0, limit: 9) }.map(\.incident.id) == ["b"])
            #expect(try await store.ops { try $0.incident("a") } == nil)
            #expect(try await store.ops { try $0.account("a") } == nil)
        }
    }
}
