// Edges and addresses that give no answer have not recovered.

import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Faulty edges and addresses")
    struct PlacesTests {
        static let old = Reply.file(SampleFile.version(1))
        static let new = Reply.file(SampleFile.version(2))
        static let gone = Reply.status(404)
        static let foreign = Reply.file(SampleFile.version(9))

        /// One check each hour of an origin with version 2 and of these edges: `n` serves version 2, `o` version 1, `f`
        /// a foreign file, `m` no file, `5` answers 503, `t` times out, `-` is missing from DNS. No edges: only the
        /// CDN's name was asked.
        private func probed(_ course: inout Course, at hour: Double, _ edges: String, origin: Reply = new) throws {
            let replies = edges.map { edge -> Reply? in
                switch edge {
                case "n": Self.new
                case "o": Self.old
                case "f": Self.foreign
                case "m": Self.gone
                case "5": .status(503)
                case "t": .failed(.timedOut)
                default: nil
                }
            }
            var scene = Scene()
            scene.edges = replies.enumerated().compactMap { index, reply in
                reply.map { ("198.51.100.\(index + 1)", $0) }
            }
            try course.probed(
                at: hour, .of(at: .testing + hour * 3600, origin: origin, cdn: Self.new, scene: scene))
        }

        /// The second edge is wrong for more than a day, followed by one check each hour.
        static let rows: [(wrong: String, then: [String], kind: IncidentKind, endsAfter: Int?)] = [
            // It is correct again.
            ("no", ["nn"], .cdnStale, 1), ("nm", ["nn"], .cdnMissing, 1), ("nf", ["nn"], .cdnDivergent, 1),
            // It gives no answer: ending takes three full checks, and two good answers are not enough.
            ("no", ["n5", "n5", "n5", "n5"], .cdnStale, 4), ("no", ["nt", "n-", "n5", "n5"], .cdnStale, 4),
            ("nm", ["n5", "nt", "n-", "n-"], .cdnMissing, 4), ("nf", ["n-", "n-", "n-", "n-"], .cdnDivergent, 4),
            // `edges: false` from here on.
            ("no", ["", "", "", "", ""], .cdnStale, 5),
            // Silent twice, then old again, then silent: the count starts again.
            ("no", ["n5", "n5", "no", "n5", "n5"], .cdnStale, nil), ("no", ["n5", "n5", "nn"], .cdnStale, 3),
            ("noo", ["n5n", "nn5", "nnn"], .cdnStale, 2), ("noo", ["nnt", "nnt", "nnt"], .cdnStale, 3),
            // No edge answered: that does not count as the absence of one edge.
            ("no", ["55", "55", "55", "55", "n5", "n5"], .cdnStale, nil),
        ]

        @Test(
            "an incident of edges ends when each wrong one was seen correct, or was absent three times",
            arguments: rows.indices)
        func edges(_ index: Int) throws {
            let row = Self.rows[index]
            var course = try Course()
            for hour in 0...30 {
                try probed(
                    &course, at: Double(hour), hour == 0 ? "nnn" : row.wrong, origin: hour == 0 ? Self.old : Self.new)
            }
            try #require(course.open(row.kind)?.incident.state == .firing, "\(course.told)")
            for (step, edges) in row.then.enumerated() {
                try probed(&course, at: 31 + Double(step), edges)
                let isOver = row.endsAfter.map { step + 1 >= $0 } ?? false
                #expect((course.open(row.kind) == nil) == isOver, "after \(edges), check \(step + 1)")
            }
        }

        @Test("an edge that is sometimes silent does not reset a pending incident's time")
        func pending() throws {
            var course = try Course()
            for hour in 0...26 { try probed(&course, at: Double(hour), hour % 2 == 0 ? "nm" : "n5") }
            #expect(course.told == ["24 cdn.missing firing"])
        }

        @Test("however the edges' addresses rotate, memory stays bounded and the incident ends")
        func rotation() throws {
            var course = try Course()
            for hour in 0...90 {
                let now = Date.testing + Double(hour) * 3600
                var scene = Scene()
                for edge in 0..<20 {
                    scene.edges.append(
                        ("2001:db8:\(hour)::\(edge)", hour > 0 && hour <= 60 && edge > 0 ? Self.old : Self.new))
                }
                try course.probed(
                    at: Double(hour), .of(at: now, origin: hour == 0 ? Self.old : Self.new, cdn: Self.new, scene: scene)
                )
                #expect(course.open(.cdnStale)?.places?.places.count ?? 0 <= 32)
            }
            #expect(course.told.last == "63 cdn.stale resolved (cdn_caught_up)")
        }

        // MARK: - Certificates

        /// Days until the certificates of two addresses expire; nil: the address times out.
        private func certificates(_ course: inout Course, at day: Double, _ left: [Double?], full: Bool = true) throws {
            let now = Date.testing + day * 86_400
            let replies = left.map {
                $0.map { Self.new.expiring(at: now + course.wallAhead + $0 * 86_400) } ?? .failed(.timedOut)
            }
            let scene = Scene().addresses(replies)
            let first = replies.indices.first { left[$0] != nil } ?? 0
            var observation = try Observation.of(at: now, origin: replies[first], cdn: Self.new, scene: scene)
            observation.origin.connection?.address = "192.0.2.\(first + 1)"
            if !full { observation.full = nil }
            try course.probed(at: day * 24, observation)
        }

        @Test("an expiring certificate at one address ends neither by the other's nor by silence")
        func oneAddress() throws {
            var course = try Course()
            try certificates(&course, at: 0, [90, 10])
            #expect(course.told == ["0 certificate.expiring firing"])
            // A light check sees the good one.
            for day in [0.1, 0.2] { try certificates(&course, at: day, [90, 10], full: false) }
            for day in [0.3, 0.4] { try certificates(&course, at: day, [90, nil]) }
            try certificates(&course, at: 0.5, [90, 9.5])
            for day in [0.6, 0.7] { try certificates(&course, at: day, [90, nil]) }
            #expect(course.open(.certificateExpiring)?.incident.state == .firing)
            try certificates(&course, at: 0.8, [90, nil])
            #expect(
                course.told.filter { $0.contains("certificate") }.last?.hasPrefix("19 certificate.expiring resolved")
                    == true)
        }

        @Test("a later expiry date at the same address ends the incident, at any depth", arguments: [true, false])
        func renewed(_ isFull: Bool) throws {
            var course = try Course()
            try certificates(&course, at: 0, [5], full: isFull)
            try certificates(&course, at: 1, [90], full: isFull)
            #expect(course.told == ["0 certificate.expiring firing", "24 certificate.expiring resolved (recovered)"])
        }

        @Test("a certificate becomes worse at three days and at one, once each, and an error at the first")
        func worse() throws {
            var course = try Course()
            for hour in 0...240 where hour != 100 {
                try certificates(&course, at: Double(hour) / 24, [10 - Double(hour) / 24])
            }
            let own = course.events.filter { $0.incident.kind == .certificateExpiring }
            #expect(own.map(\.transition) == [.firing, .worse, .worse])
            #expect(own.map(\.incident.severity) == [.warning, .error, .error])
            #expect(own.map(\.incident.version) == [1, 2, 3])
            #expect(own.map { $0.at.timeIntervalSince(.testing) / 86_400 } == [0, 7, 9])
            #expect(own.last?.incident.worse == Incident.Mark(version: 3, at: .testing + 9 * 86_400))
            #expect(!Acknowledgement(by: "eva", reason: "", at: .testing, version: 2).holds(for: own[2].incident))
        }

        @Test(
            "a certificate first seen in its last days is an error immediately",
            arguments: [(2.5, 1), (0.5, 2)] as [(Double, Int)])
        func late(_ left: Double, _ stage: Int) throws {
            var course = try Course()
            try certificates(&course, at: 0, [left])
            #expect(course.events.map(\.transition) == [.firing])
            #expect(course.events.first?.incident.severity == .error)
            #expect(course.open(.certificateExpiring)?.stage == stage)
        }

        @Test(
            "certificates use the wall clock; the age of a copy does not",
            arguments: [864_000.0, -2_592_000, 0.4])
        func wallClock(_ ahead: Double) throws {
            var course = try Course()
            course.wallAhead = ahead
            let end = Date.testing + 20 * 86_400
            try course.probed(at: 0, Self.old.expiring(at: end), Self.old)
            #expect(course.told.contains("0 certificate.expiring firing") == (ahead > 6 * 86_400))
            for hour in 1...30 { try course.probed(at: Double(hour), Self.new.expiring(at: end), Self.old) }
            #expect(course.told.filter { $0.contains("cdn") } == ["25 cdn.stale firing"])
            #expect(course.open(.cdnStale)?.incident.since == .testing + 3600)
            #expect(course.state.verdict?.comparison.changedAt == .testing + 3600)
            #expect(course.state.verdict?.comparison.lagSeconds == 29 * 3600)
        }
    }
}
