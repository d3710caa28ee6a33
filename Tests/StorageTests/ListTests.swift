import Evidence
import Facts
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Lists and propagation")
    struct ListTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private static func file(_ version: Int) -> Reply { .file(SampleFile.version(version)) }

        /// Checks as a daemon makes them: what the origin and the edges serve at each instant.
        @discardableResult
        private func play(
            _ name: String = "a.test", _ checks: [(at: TimeInterval, origin: Reply, edges: [Reply])],
            from first: DomainState? = nil
        ) async throws -> DomainState {
            var state = try first ?? DomainState(domain: Domain(name))
            for check in checks {
                let now = noon + check.at
                let seen = try Observation.of(
                    name, at: now, origin: check.origin, cdn: check.edges[0],
                    scene: Scene.calm(check.origin).edges(check.edges))
                let next = evaluate(state, seen, Policy(), now: now, wall: now)
                try await store.commit(next, of: seen, after: state)
                state = next.state
            }
            return state
        }

        private static func names(_ place: PlaceReading.Place, _ record: PropagationRecord) -> [String] {
            (record.places[place] ?? []).map { interval in
                switch interval.served {
                case .noFile: "404"
                case .noAnswer: "mute"
                case .notWatched: "off"
                case .version(let id): record.versions[id]?.number.map { "v\($0)" } ?? "x"
                }
            }
        }

        @Test(
            "the origin's versions are numbered by first sight, returning ones keep theirs; an edge's own versions have none"
        )
        func versions() async throws {
            let (a, b, stray) = (Self.file(1), Self.file(2), Self.file(9))
            try await play(
                "a.test",
                [
                    (0, a, [a, a]), (60, b, [a, a]), (120, b, [b, stray]), (180, a, [b, stray]),
                    (240, .status(404), [b, .failed(.timedOut)]),
                ])
            let record = try await store.propagation(of: Domain("a.test"), since: .distantPast)
            func names(_ place: PlaceReading.Place) -> [String] { Self.names(place, record) }
            #expect(names(.origin) == ["v1", "v2", "v1", "404"])
            #expect(names(.edge("198.51.100.1")) == ["v1", "v2"])
            #expect(names(.edge("198.51.100.2")) == ["v1", "x", "mute"])
            let change = try #require(record.places[.origin]?[1])
            #expect(change.at == noon + 60 && change.after == noon)
            #expect(record.changes == [noon, noon + 60, noon + 180])
        }

        @Test("a check with the same result adds no row")
        func unchanged() async throws {
            let a = Self.file(1)
            let state = try await play("a.test", [(0, a, [a, a]), (60, a, [a, a])])
            let before = try await [store.rows("version_interval"), store.rows("version")]
            var light = try Observation.of("a.test", at: noon + 120, origin: a, cdn: a)
            if case .asked(var copy) = light.cdn {
                copy.connection?.address = "198.51.100.1"
                light.cdn = .asked(copy)
            }
            let next = evaluate(state, light, Policy(), now: noon + 120, wall: noon + 120)
            try await store.commit(Evaluation(state: next.state, places: next.places), of: light, after: state)
            try await play("a.test", [(3600, a, [a, a])], from: next.state)
            #expect(try await [store.rows("version_interval"), store.rows("version")] == before)
        }

        @Test("counts follow each change of a status, of the watched domains, and of forgotten ones")
        func counts() async throws {
            let a = Self.file(1)
            let domains = try ["a.test", "b.test", "c.test"].map { try Domain($0) }
            try await store.watch(domains.map { WatchedDomain(domain: $0) })
            #expect(try await store.statusCounts() == [.waiting: 3])
            try await play("a.test", [(0, a, [a, a])])
            try await play("b.test", [(30, a, [a, a]), (90, Self.file(2), [a, a])])
            #expect(try await store.statusCounts() == [.waiting: 1, .inSync: 1, .propagating: 1])
            try await store.watch([WatchedDomain(domain: domains[1], labels: ["team": "x"])])
            #expect(try await store.statusCounts() == [.propagating: 1])
            try await store.forget(domains[1])
            #expect(try await store.statusCounts().isEmpty)
            // Its labels were deleted too.
            #expect(try await store.rows("domain_key") == 0)
        }

        static let filters: [(SummaryFilter, [String])] = [
            (SummaryFilter(), ["bank.test", "a.test", "links.a.test"]),
            (SummaryFilter(search: "a."), ["a.test", "links.a.test"]),
            (SummaryFilter(search: "A.T"), ["a.test", "links.a.test"]), (SummaryFilter(search: "test"), []),
            (SummaryFilter(search: "ban"), ["bank.test"]), (SummaryFilter(search: "=team"), []),
            (SummaryFilter(label: "team=x"), ["bank.test"]), (SummaryFilter(label: "team=x' OR '1'='1"), []),
            (SummaryFilter(statuses: [.inSync]), ["a.test", "links.a.test"]),
            (SummaryFilter(statuses: [.missing], search: "b", label: "team=x"), ["bank.test"]),
        ]

        @Test("a filter uses an index for each field", arguments: filters)
        func filter(filter: SummaryFilter, expected: [String]) async throws {
            let a = Self.file(1)
            let others = try ["a.test", "links.a.test"].map { WatchedDomain(domain: try Domain($0)) }
            let bank = WatchedDomain(domain: try Domain("bank.test"), labels: ["team": "x"])
            try await store.watch(others + [bank])
            try await play("a.test", [(0, a, [a, a])])
            try await play("links.a.test", [(0, a, [a, a])])
            let refusal = Reply.crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden")
            try await play("bank.test", [(0, a, [refusal, refusal])])
            try await play("unwatched.test", [(0, a, [a, a])])
            let (total, page) = try await store.summaries(filter, limit: 25)
            #expect(page.map(\.domain.name) == expected && total == expected.count)
        }

        @Test("the store records when no monitor ran, regardless of the last check")
        func pause() async throws {
            func pauses() async throws -> [ClosedRange<Date>] {
                try await store.propagation(of: Domain("a.test"), since: noon - 60).pauses
            }
            let a = Self.file(1)
            try await store.notePresence(at: noon, since: nil, shortest: 60)
            try await play("a.test", [(0, a, [a, a])])
            for beat in 1...4 {
                let at = noon + Double(beat) * 30
                try await store.notePresence(at: at, since: at - 30, shortest: 60)
            }
            // A restart that takes two seconds, hours after the last check.
            try await store.notePresence(at: noon + 122, since: nil, shortest: 60)
            #expect(try await pauses() == [])
            #expect(try await store.lastInstant() == noon + 122)
            // A night without a daemon, then a suspended machine, then a store that took no notes for a long time.
            try await store.notePresence(at: noon + 7200, since: nil, shortest: 60)
            try await store.notePresence(at: noon + 9000, since: noon + 7230, shortest: 60)
            try await store.notePresence(at: noon + 9900, since: noon + 9870, shortest: 60)
            #expect(try await pauses() == [noon + 122...noon + 7200, noon + 7230...noon + 9000])
        }

        @Test("no data of a domain spans the time when it was not configured")
        func cameBack() async throws {
            let domain = try Domain("a.test")
            let (a, b, year, start) = (Self.file(1), Self.file(2), 365 * 86400.0, noon.milliseconds)
            try await play("a.test", [(0, a, [a, b]), (60, a, [a, b])])
            try await store.forget(domain)
            try await store.forget(domain)
            try await store.watch([WatchedDomain(domain: domain)])
            try await play("a.test", [(year, a, [a, b]), (year + 60, a, [a, b])])
            let record = try await store.propagation(of: domain, since: .distantPast)
            for place in [PlaceReading.Place.origin, .edge("198.51.100.1")] {
                #expect(Self.names(place, record) == ["v1", "off", "v1"])
                #expect(
                    record.places[place]?.map(\.at.milliseconds) == [0, 60_001, 365 * 86_400_000].map { start + $0 })
            }
            #expect(Self.names(.edge("198.51.100.2"), record) == ["x", "off", "x"])
            let summary = try #require(try await store.summaries(["a.test"]).first)
            #expect(summary.version == 1 && summary.versionSince == noon + year)
        }

        @Test("data of a removed domain ages out completely; a watched domain keeps its latest")
        func removedAgesOut() async throws {
            let (a, b) = (Self.file(1), Self.file(2))
            for name in ["a.test", "b.test"] { try await play(name, [(0, a, [a, b]), (60, a, [a, b])]) }
            try await store.forget(try Domain("a.test"))
            func names(_ table: String) async throws -> Set<String> {
                try await store.read { try Set(String.fetchAll($0, sql: "SELECT domain FROM \(table)")) }
            }
            let tables = ["version_interval", "version", "last_full_check"]
            try await store.prune(
                now: noon + 30, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
            for table in tables.dropLast() { #expect(try await names(table) == ["a.test", "b.test"]) }
            try await store.prune(
                now: noon + Store.keepPropagation.inSeconds + 61, keepObservations: .seconds(86400),
                keepDeliveries: .seconds(30 * 86400))
            for table in tables { #expect(try await names(table) == ["b.test"], "\(table)") }
        }

        @Test("versions that only edges served are deleted once no place remembers them")
        func strays() async throws {
            let (a, stray) = (Self.file(1), Self.file(9))
            try await play("a.test", [(0, a, [a, stray]), (60, a, [a, a])])
            #expect(try await store.rows("version") == 2)
            try await store.prune(
                now: noon + 500 * 86400, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
            #expect(try await store.rows("version") == 1)
        }

        @Test("old intervals are deleted, except the latest of each place")
        func retention() async throws {
            let (a, b) = (Self.file(1), Self.file(2))
            try await play(
                "a.test",
                [
                    (0, a, [a, a]), (60, b, [a, a]), (120, a, [a, a]), (180, b, [b, a]),
                ])
            try await store.prune(
                now: noon + 500 * 86400, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
            let record = try await store.propagation(of: Domain("a.test"), since: .distantPast)
            #expect(record.places[.origin]?.map(\.at) == [noon + 180])
            #expect(record.places[.edge("198.51.100.2")]?.count == 1)
        }

        @Test("a place that changes all the time keeps its latest intervals, and other places keep theirs")
        func crowded() async throws {
            let a = Self.file(1)
            try await play("a.test", [(0, a, [a, a])])
            let more = Store.maximumVersionIntervals + 20
            let start = noon.milliseconds
            try await store.write { database in
                for index in 1...more {
                    try database.execute(
                        sql: "INSERT INTO version_interval (domain, place, at, version) VALUES ('a.test', '', ?, ?)",
                        arguments: [start + Int64(index), index % 2 - 1])
                }
            }
            try await store.prune(
                now: noon + 86400, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
            let record = try await store.propagation(of: Domain("a.test"), since: .distantPast)
            let kept = (more - Store.maximumVersionIntervals + 1...more).map { start + Int64($0) }
            #expect(record.places[.origin]?.map(\.at.milliseconds) == kept)
            #expect(record.places[.edge("198.51.100.2")]?.count == 1)
        }
    }
}
