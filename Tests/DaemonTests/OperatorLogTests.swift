import Evidence
import Foundation
import Monitoring
import Storage
import TestSupport
import Testing

@testable import Daemon

extension DaemonSuite {
    /// Another process writes to the store, as commands do; the daemon's log says who and why.
    @Suite struct OperatorLogTests {
        private let scratch: ScratchStore
        private let time = MovedTime()
        private let book = LogBook()
        private let log: OperatorLog

        init() throws {
            scratch = try ScratchStore()
            log = OperatorLog(store: scratch.store, time: time, logger: book.logger)
        }

        private func look() async throws -> [String] {
            let before = book.records.count
            log.note(try await scratch.store.silences(notOverAt: time.systemTime()))
            try await log.followAcknowledgements()
            return Array(book.records.dropFirst(before))
        }

        private func silence(_ name: String, for seconds: TimeInterval) async throws -> Silence {
            try await scratch.store.add(
                SilenceRequest(
                    scope: SilenceScope(domains: [try DomainPattern(name)]), startsAt: time.systemTime(),
                    endsAt: time.systemTime() + seconds, author: "eva@desk", reason: "moving servers"))
        }

        private func commit(_ change: (inout Incident) -> Void = { _ in }) async throws {
            let domain = try Domain("a.test")
            var incident = Incident(
                id: "0123456789abcdef", subject: .domain(domain), kind: .cdnStale, severity: .error, state: .firing,
                since: noon, openedAt: noon, firedAt: noon, version: 1)
            change(&incident)
            _ = try await scratch.store.commit(
                Evaluation(
                    state: DomainState(domain: domain),
                    changes: [
                        IncidentChange(
                            incident: incident, facts: IncidentFacts(diagnosis: .saying("stale")), transition: .firing)
                    ]))
        }

        private func acknowledge(_ reason: String) async throws {
            _ = try await scratch.store.acknowledge(
                prefix: "0123", Acknowledgement(by: "bob", reason: reason, at: noon + 5))
        }

        @Test("a silence is logged when it is added, ended and over, each once")
        func silences() async throws {
            let old = try await silence("old.test", for: 600)
            #expect(try await look().map { $0.prefix(while: { $0 != "[" }) } == ["info silence in force "])
            let added = try await silence("a.test", for: 7200)
            let line = try #require(try await look().first)
            for part in [
                "notice silence added", "by=eva@desk", "scope=a.test", "silence=\(added.id)", "why=moving servers",
            ] {
                #expect(line.contains(part), "\(line)")
            }
            #expect(try await look().isEmpty)
            _ = try await scratch.store.endSilence(id: added.id, now: time.systemTime())
            time.pass(1)
            #expect(
                try await look().map { $0.contains("notice silence ended early") && $0.contains("silence=\(added.id)") }
                    == [true])
            time.pass(600)
            #expect(
                try await look().map { $0.contains("notice silence over") && $0.contains("silence=\(old.id)") } == [
                    true
                ])
            #expect(try await look().isEmpty)
        }

        @Test("an acknowledgement is logged with who and why, its end once, and nothing of the end of an incident")
        func acknowledgements() async throws {
            try await commit()
            #expect(try await look().isEmpty)
            try await acknowledge("called the host")
            let line = try #require(try await look().first)
            for part in [
                "notice incident acknowledged", "by=bob", "domain=a.test", "incident=0123456789abcdef",
                "kind=cdn.stale", "why=called the host",
            ] {
                #expect(line.contains(part), "\(line)")
            }
            #expect(try await look().isEmpty)
            _ = try await scratch.store.unacknowledge(prefix: "0123")
            #expect(try await look().map { $0.contains("notice acknowledgement ended") } == [true])
            try await acknowledge("")
            #expect(try await look().map { $0.contains("incident acknowledged") && !$0.contains("why=") } == [true])
            try await commit { incident in
                incident.version = 2
                incident.worse = Incident.Mark(version: 2, at: noon + 9)
            }
            #expect(try await look().map { $0.contains("acknowledgement lapsed") } == [true])
            try await acknowledge("again")
            #expect(try await look().count == 1)
            try await commit { incident in
                incident.version = 2
                incident.state = .resolved
                incident.resolvedAt = noon + 20
            }
            #expect(try await look().isEmpty)
        }

        @Test("what was acknowledged before the start is no news")
        func start() async throws {
            try await commit()
            try await acknowledge("on it")
            #expect(try await look().isEmpty)
            _ = try await scratch.store.unacknowledge(prefix: "0123")
            #expect(try await look().count == 1)
        }
    }
}
