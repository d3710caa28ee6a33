// What only a full check sees: problems at one of many addresses or edges, and their end.

import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Full probes")
    struct FullProbeTests {
        static let file = Reply.file(SampleFile.version(1))
        static let second = Reply.file(SampleFile.version(2))

        /// A check of an origin with these addresses and a CDN with these edges. The CDN's name answers as the first
        /// edge.
        private func observation(
            at hours: Double, _ origin: Reply, edges: [Reply] = [file], addresses: [Reply] = [], agents: [Reply] = [],
            pages: [Reply] = []
        ) throws -> Observation {
            let scene = Scene().addresses(addresses).edges(edges).with {
                $0.source = .system
                $0.agents = zip(AgentResult.Agent.allCases, agents).map { ($0, $1) }
                $0.pages = pages.map { ("https://example.com/help", $0, nil) }
            }
            return try .of(at: .testing + hours * 3600, origin: origin, cdn: edges.first, scene: scene)
        }

        static let onlyFull: [(kind: IncidentKind, addresses: [Reply], agents: [Reply], pages: [Reply])] = [
            (.originUnreachable, [file, .failed(.connectionRefused)], [], []),
            (.originInconsistent, [file, second], [], []),
            (.originBroken, [file, file], [.status(403), .status(403)], []),
            (.expectationFailed, [file, file], [], [.status(404)]),
        ]

        @Test(
            "what only a full check sees is opened and closed by full checks; a light one changes nothing",
            arguments: 0..<4)
        func onlyFull(_ index: Int) throws {
            let (kind, addresses, agents, pages) = Self.onlyFull[index]
            let expectations = Expectations(urls: [ExpectedURL(url: "/help", opens: .nothing, page: true)])
            var course = try Course(policy: Policy(expectations: expectations))
            for hour in 0...1 {
                try course.probed(
                    at: Double(hour),
                    try observation(at: Double(hour), Self.file, addresses: addresses, agents: agents, pages: pages))
            }
            #expect(course.told == ["1 \(kind.rawValue) firing"])
            for hour in 2...9 { try course.probed(at: Double(hour), Self.file, Self.file, full: nil) }
            #expect(course.told.count == 1)
            #expect(course.open(kind)?.unknownSince == .testing + 2 * 3600)
            try course.probed(at: 10, try observation(at: 10, Self.file, addresses: [Self.file, Self.file]))
            #expect(course.told.last == "10 \(kind.rawValue) resolved (recovered)")
        }

        @Test(
            "what only a full check sees is confirmed by one; the last full check's findings remain", arguments: 0..<4)
        func onlyFullConfirmed(_ index: Int) throws {
            let (kind, addresses, agents, pages) = Self.onlyFull[index]
            let expectations = Expectations(urls: [ExpectedURL(url: "/help", opens: .nothing, page: true)])
            var course = try Course(policy: Policy(expectations: expectations))
            let bad = { (hours: Double) in
                try observation(at: hours, Self.file, addresses: addresses, agents: agents, pages: pages)
            }
            try course.probed(at: 0, bad(0))
            let unconfirmed = try course.glance(Self.file, Self.file)
            #expect(!unconfirmed.isNews && course.state.wantsFullProbe(after: unconfirmed))
            try course.probed(at: 0.02, bad(0.02))
            #expect(course.open(kind)?.incident.state == .firing)
            let firing = try course.glance(Self.file, Self.file)
            #expect(!firing.isNews && !course.state.wantsFullProbe(after: firing))
            #expect(firing.verdict == course.state.verdict)
        }

        @Test("a file at the root only, for which only full checks ask Apple, is not a change for light checks")
        func rootOnly() throws {
            var course = try Course()
            let crawler = Reply.crawler("SWCERR00101 Bad HTTP Response: 404 Not Found")
            for hour in [0, 0.1] {
                var seen = try Observation.of(
                    at: .testing + hour * 3600, origin: .status(404), cdn: crawler,
                    scene: Scene().with { $0.rootCopy = Self.file })
                seen.full?.lightSkipsCDN = .originHasNoFile
                try course.probed(at: hour, seen)
            }
            #expect(course.state.verdict?.diagnosis.id == .rootOnly)
            let light = try course.glance(.status(404), nil)
            #expect(!light.isNews && light.verdict == course.state.verdict)
        }

        @Test("a light check sees an obvious problem as well as a full one, but cannot end it")
        func lightOpens() throws {
            var course = try Course()
            for hour in 0...1 { try course.probed(at: Double(hour), .status(500), Self.file, full: nil) }
            #expect(course.told == ["1 origin.broken firing"])
            try course.probed(at: 2, Self.file, Self.file, full: nil)
            #expect(course.told.count == 1)
            try course.probed(at: 3, Self.file, Self.file)
            #expect(course.told.last == "3 origin.broken resolved (recovered)")
        }

        @Test("one dead address of several hides neither that the file is broken nor that it is fixed")
        func deadAddress() throws {
            var course = try Course()
            let dead = Reply.failed(.timedOut)
            for hour in 0...1 {
                try course.probed(
                    at: Double(hour),
                    try observation(at: Double(hour), .status(500), addresses: [.status(500), dead]))
            }
            try course.probed(at: 2, try observation(at: 2, Self.file, addresses: [Self.file, dead]))
            #expect(
                Set(course.told) == [
                    "1 origin.broken firing", "1 origin.unreachable firing", "2 origin.broken resolved (recovered)",
                ])
        }

        @Test("an old copy at one edge is stale since the change, and ends when the last edge has the new one")
        func oldEdge() throws {
            var course = try Course()
            try course.probed(at: 0, try observation(at: 0, Self.file, edges: [Self.file, Self.file]))
            for hour in 1...30 {
                // The first edge is new after an hour, and the resolver's order varies.
                let edges = hour == 1 ? [Self.file, Self.file] : [Self.second, Self.file]
                try course.probed(
                    at: Double(hour),
                    try observation(at: Double(hour), Self.second, edges: hour % 3 == 1 ? edges.reversed() : edges))
            }
            #expect(course.state.verdict?.comparison.state == .mixed)
            #expect(course.told == ["25 cdn.stale firing"])
            #expect(course.open(.cdnStale)?.incident.since == .testing + 3600)
            try course.probed(at: 31, try observation(at: 31, Self.second, edges: [Self.second, Self.second]))
            #expect(course.told == ["25 cdn.stale firing", "31 cdn.stale resolved (cdn_caught_up)"])
            #expect(course.state.open.isEmpty)
        }

        @Test("a copy that some edges lack is missing after the grace; when none has it, by count")
        func missingEdge() throws {
            var course = try Course()
            for hour in 0...25 {
                try course.probed(
                    at: Double(hour), try observation(at: Double(hour), Self.file, edges: [Self.file, .status(404)]))
            }
            #expect(course.told == ["24 cdn.missing firing"])
            try course.probed(at: 26, try observation(at: 26, Self.file, edges: [Self.file, Self.file]))
            #expect(course.told.last == "26 cdn.missing resolved (recovered)")

            var worse = try Course()
            try worse.probed(at: 0, try observation(at: 0, Self.file, edges: [Self.file, .status(404)]))
            for hour in 1...3 {
                try worse.probed(
                    at: Double(hour), try observation(at: Double(hour), Self.file, edges: [.status(404), .status(404)]))
            }
            #expect(worse.told == ["1 cdn.missing firing"])
        }

        @Test("edges that disagree about files that the origin never served are divergent after the grace")
        func foreignEdge() throws {
            var course = try Course()
            for hour in 0...25 {
                try course.probed(
                    at: Double(hour), try observation(at: Double(hour), Self.file, edges: [Self.file, Self.second]))
            }
            #expect(course.told == ["24 cdn.divergent firing"])
        }

        /// `A` and `B` are the origin's files at each check.
        private func alternating(_ results: String, every hours: Double = 1, edges: [Reply] = [file]) throws -> Course {
            var course = try Course()
            for (index, probed) in results.enumerated() {
                let hour = Double(index) * hours
                try course.probed(
                    at: hour,
                    try observation(at: hour, probed == "A" ? Self.file : Self.second, edges: edges))
            }
            return course
        }

        @Test(
            "an origin that alternates is inconsistent until it has been stable for as long as it is remembered",
            arguments: [
                ("AAAABBBB", []), ("AAAABBBBAAAA", []), ("AAAAAAABAAAAAAABAAAAAAA", []), ("ABABB", ["4 firing"]),
                ("AABBABAAAAAAA", ["6 firing"]), ("ABABAAAAAAAAA", ["4 firing", "11 resolved"]),
            ] as [(String, [String])])
        func alternation(_ results: String, _ told: [String]) throws {
            let course = try alternating(results)
            #expect(
                course.told.map { $0.replacing(" origin.inconsistent", with: "").replacing(" (recovered)", with: "") }
                    == told)
        }

        @Test("what an alternating origin sometimes serves is not stale, at one edge or at many", arguments: 1...2)
        func notStale(_ count: Int) throws {
            let course = try alternating(
                "ABABBBBB", every: 6, edges: Array([Self.file, Self.second].prefix(count)))
            #expect(!course.told.contains { $0.contains("cdn.") })
        }

        @Test("a message about an alternating origin says so, although the last check saw a good file")
        func words() throws {
            let course = try alternating("ABABA")
            let event = try #require(course.events.first)
            #expect(event.facts?.diagnosis.id == .originAlternates)
            #expect(event.facts?.findings.map(\.rule.rawValue) == ["origin.address-differs"])
        }
    }
}
