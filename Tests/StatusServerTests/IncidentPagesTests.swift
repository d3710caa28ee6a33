import Evidence
import Foundation
import StatusServer
import TestSupport
import Testing

@testable import Monitoring
@testable import Storage

extension StatusServerSuite {
    @Suite("Pages of incidents")
    struct IncidentPagesTests {
        private let scratch: ScratchStore
        private static let firing = 230
        private static let ended = 130

        init() throws { scratch = try ScratchStore() }

        private func add(_ incidents: [Incident]) async throws {
            try await scratch.store.commit(
                Evaluation(
                    state: DomainState(domain: try Domain("a.test")),
                    changes: incidents.map {
                        IncidentChange(incident: $0, facts: nil, transition: $0.state == .pending ? .opened : .firing)
                    }))
        }

        /// More than one page of each. The incidents that a filter looks for are the oldest, far after the first page.
        private func fill() async throws -> [WatchedDomain] {
            var all: [Incident] = []
            for index in 0..<Self.firing {
                let isLast = index == Self.firing - 1
                var one = try incident(
                    "open-\(index)", isLast ? "links.rare.test" : "d\(index).test", isLast ? .originBroken : .cdnStale,
                    .firing)
                one.since = noon - 100 - Double(index)
                all.append(one)
            }
            for index in 0..<Self.ended {
                let isRare = index >= Self.ended - 60
                var one = try incident(
                    "ended-\(index)", isRare ? "links.rare.test" : "e\(index).test",
                    isRare ? .originUnreachable : .cdnStale, .resolved)
                one.resolvedAt = noon - 60 * Double(index)
                all.append(one)
            }
            // Of a domain that is no longer watched.
            var gone = try incident("gone", "old.gone.test", .cdnMissing, .resolved)
            gone.resolvedAt = noon - 86400
            all.append(gone)
            all.append(try incident("pending", "links.rare.test", .certificateExpiring, .pending))
            try await add(all)
            return try Set(all.compactMap(\.domain)).filter { $0.name != "old.gone.test" }.map { try info($0.name) }
        }

        @Test("an international name is shown in its own script")
        func international() async throws {
            let kept = "xn--bcher-kva.example"
            let one = try await scratch.fire("0123456789abcdef", kept)
            try await scratch.serving(watched: [try info(kept)]) { port in
                for path in ["/incidents", "/incidents/\(one.id)"] {
                    let page = try await ask(port, path).body
                    #expect(page.contains(#"<bdi title="\#(kept)">bücher.example</bdi>"#), "\(path)")
                    #expect(!page.contains(">\(kept)<"), "\(path)")
                }
            }
        }

        @Test("open incidents are sorted by what phones do, not by age; global ones come first")
        func urgency() async throws {
            func broken(_ name: String, _ effect: Verdict.Level, _ kind: IncidentKind, age: Double) async throws {
                var one = try incident("of-\(name)", name, kind, .firing)
                one.since = noon - age
                try await scratch.store.commit(
                    Evaluation(
                        state: try state(name, effect),
                        changes: [IncidentChange(incident: one, facts: nil, transition: .firing)]))
            }
            try await broken("old.test", .failing, .cdnMissing, age: 9000)
            try await broken("fine.test", .ok, .originBroken, age: 100)
            let store = scratch.store
            try await store.watch([try info("old.test"), try info("fine.test")])
            let ids = try await store.incidents(IncidentQuery(state: .open, order: .attention, limit: 9))
                .map(\.incident.id)
            #expect(ids == ["of-old.test", "of-fine.test"])
        }

        static let lists: [(query: String, sections: [String], rows: Int, isOlder: Bool)] = [
            ("", ["Open 230", "Pending 1", "Resolved 131"], 50 + 1 + 50, true),
            ("page=2", ["Resolved 131"], 50, true), ("page=3", ["Resolved 131"], 31, false),
            ("q=rare", ["Open 1", "Pending 1", "Resolved 60"], 1 + 1 + 50, true),
            ("q=rare&page=2", ["Resolved 60"], 10, false),
            ("q=LINKS.RARE.", ["Open 1", "Pending 1", "Resolved 60"], 52, true),
            ("kind=origin.broken", ["Open 1"], 1, false), ("kind=origin.unreachable", ["Resolved 60"], 50, true),
            ("kind=origin.unreachable&page=2&q=rare", ["Resolved 60"], 10, false),
            ("kind=cdn.stale&q=rare", [], 0, false), ("q=d229", [], 0, false), ("q=d228", ["Open 1"], 1, false),
            ("q=old.g", ["Resolved 1"], 1, false), ("q=are", [], 0, false), ("q==", [], 0, false),
            ("q=%25", [], 0, false),
        ]

        @Test("pages, lists and the API still show what an incident was, and what ended it, after its end")
        func past() async throws {
            var one = try incident("0123456789abcdef", "a.test", .originBroken, .firing)
            one.resolvedAt = noon - 60
            for (stage, words) in [(Incident.State.firing, "a firewall refuses it"), (.resolved, "all is well")] {
                one.state = stage
                let facts = IncidentFacts(diagnosis: .saying(words))
                try await scratch.store.commit(
                    Evaluation(
                        state: try state("a.test", .ok),
                        changes: [IncidentChange(incident: one, facts: facts, transition: .resolved)]))
            }
            let id = one.id
            let watched = [try info("a.test")]
            try await scratch.store.watch(watched)
            try await scratch.serving(watched: watched) { port in
                for path in ["/incidents", "/incidents/\(id)", "/domains/a.test/history"] {
                    let page = try await ask(port, path).body
                    #expect(page.contains("a firewall refuses it"), "\(path)")
                }
                let page = try await ask(port, "/incidents/\(id)").body
                #expect(page.contains("At that time") && page.contains("What phones do now"))
                for path in ["incidents", "incidents/\(id)", "domains/a.test/history"] {
                    let answer = try await ask(port, "/api/v1/\(path)").body
                    #expect(answer.contains("a firewall refuses it") && !answer.contains(#""ended":null"#), "\(path)")
                }
            }
        }

        @Test("search and kind filter all incidents, not only those of a page", arguments: lists)
        func list(query: String, sections: [String], rows: Int, isOlder: Bool) async throws {
            try await scratch.serving(watched: try await fill()) { port in
                let page = try await ask(port, "/incidents?\(query)").body
                let titles = page.matches(of: /<h2 class="group">(\w+) <span class="soft">(\d+)/).map {
                    "\($0.1) \($0.2)"
                }
                #expect(titles == sections)
                #expect(page.matches(of: /<tr role="row" id="i-/).count == rows)
                #expect(page.contains("rel=\"next\"") == isOlder)
                // The headline counts all incidents.
                #expect(page.contains("<h1>230 incidents are open, 230 not acknowledged</h1>"))
                #expect(page.contains("the first 50 are shown") == query.isEmpty)
            }
        }

        @Test("a message's link opens in every state of its incident, and for a change")
        func linked() async throws {
            let states: [Incident.State] = [.pending, .firing, .recovering, .resolved]
            var all: [Incident] = []
            for state in states {
                var one = try incident("0\(state.rawValue)", "a.test", .cdnStale, state)
                if state == .resolved { one.resolvedAt = noon }
                all.append(one)
            }
            all.append(try incident("0change", "a.test", .change, .firing))
            try await add(all)
            try await scratch.serving(watched: [info("a.test")]) { [ids = all.map(\.id)] port in
                for id in ids {
                    let page = try await ask(port, "/incidents/\(id)")
                    #expect(page.status == 200 && page.body.contains(id), "\(id)")
                }
            }
        }

        @Test("an acknowledgement that has lapsed does not count")
        func acknowledged() async throws {
            var worse = try incident("worse", "a.test", .cdnStale, .firing)
            try await add([worse, try incident("held", "b.test", .cdnStale, .firing)])
            for id in ["worse", "held"] {
                _ = try await scratch.store.acknowledge(
                    named: id, try Acknowledgement(asked: "eva", reason: "", at: noon))
            }
            #expect(try await scratch.store.incidentCounts(since: noon) == IncidentCounts(open: 2))
            worse.version = 2
            worse.worse = Incident.Mark(version: 2, at: noon)
            try await add([worse])
            #expect(try await scratch.store.incidentCounts(since: noon) == IncidentCounts(open: 2, unacknowledged: 1))
            let open = IncidentQuery(state: .open, order: .attention, limit: 9)
            #expect(try await scratch.store.incidents(open).map(\.incident.id) == ["worse", "held"])
            // A warning that began later is less urgent than an error.
            var warning = try incident("warning", "c.test", .certificateExpiring, .firing)
            warning.severity = .warning
            warning.since = noon + 60
            try await add([warning])
            #expect(try await scratch.store.incidents(open).map(\.incident.id) == ["worse", "warning", "held"])
        }
    }
}
