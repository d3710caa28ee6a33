import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Apple's copy")
    struct CopyTests {
        static let file = Reply.file(SampleFile.version(1))

        @Test("a difference at first sight has no known age: it fires after that much time")
        func firstResult() throws {
            var course = try Course()
            try course.probed(at: 0...40, origin: 1, cdn: 2)
            #expect(course.told == ["24 cdn.divergent firing"])
            #expect(course.open(.cdnDivergent)?.incident.since == .testing)
            try course.probed(at: 41, origin: 1, cdn: 1)
            #expect(course.told.last == "41 cdn.divergent resolved (cdn_caught_up)")
        }

        @Test("a copy that is newer than our own view is dropped silently")
        func ahead() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            try course.probed(at: 1, origin: 1, cdn: 2)
            try course.probed(at: 2, origin: 2, cdn: 2)
            #expect(course.told.isEmpty && course.state.open.isEmpty)
        }

        @Test("a copy that existed and vanished fires by count")
        func vanished() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            try course.probed(at: 1, Self.file, .status(404))
            #expect(course.told.isEmpty)
            try course.probed(at: 2, Self.file, .status(404))
            try course.probed(at: 3, Self.file, .status(404))
            #expect(course.told == ["2 cdn.missing firing"])
            try course.probed(at: 4, origin: 1, cdn: 1)
            #expect(course.told.last == "4 cdn.missing resolved (recovered)")
        }

        @Test(
            "a copy that never existed waits for two lifetimes of the failure, at most for the grace",
            arguments: [(3600, 2), (1800, 1), (21600, 12), (864_000, 24)])
        func neverThere(_ maxAge: Int, _ hour: Int) throws {
            var course = try Course()
            for hour in 0...30 {
                try course.probed(at: Double(hour), Self.file, .crawler("SWCERR00301 Timeout", maxAge: maxAge))
            }
            #expect(course.told == ["\(hour) cdn.missing firing"])
        }

        @Test("a copy that vanished while the origin was broken waits the same once the origin works")
        func wentWhileBroken() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            try course.probed(at: 1, .status(404), .status(404))
            try course.probed(at: 2, Self.file, .status(404))
            #expect(course.told.isEmpty)
            try course.probed(at: 3, Self.file, .status(404))
            #expect(course.told == ["3 cdn.missing firing"])
        }

        @Test("our own fault does not shorten that wait", arguments: [Failure.Kind.own, .proxy])
        func ownFaultBefore(_ kind: Failure.Kind) throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            try course.probed(at: 1, .failed(kind), .failed(kind))
            #expect(course.state.originValidSince == .testing)
            try course.probed(at: 2, Self.file, .status(404))
            try course.probed(at: 3, Self.file, .status(404))
            #expect(course.told == ["3 cdn.missing firing"])
        }

        @Test(
            "a CDN answer that says nothing about the file opens nothing and closes nothing",
            arguments: [Reply.failed(.timedOut), .failed(.own), .status(503), .status(429), .status(302), .status(407)])
        func unknown(_ reply: Reply) throws {
            var quiet = try Course()
            try quiet.probed(at: 0, origin: 1, cdn: 1)
            for hour in 1...60 { try quiet.probed(at: Double(hour), Self.file, reply) }
            #expect(quiet.told.isEmpty && quiet.state.open.isEmpty)

            var firing = try Course.lagging()
            for hour in 27...60 { try firing.probed(at: Double(hour), .file(SampleFile.version(2)), reply) }
            #expect(firing.told == ["25 cdn.stale firing"])
            #expect(firing.open(.cdnStale)?.incident.state == .firing)
            try firing.probed(at: 61, origin: 2, cdn: 1)
            #expect(firing.told.count == 1)
            #expect(firing.open(.cdnStale)?.unknownSince == nil)
        }

        @Test("a stale copy that vanishes is missing; the staleness stays until there is a copy again")
        func staleThenMissing() throws {
            var course = try Course.lagging()
            try course.probed(at: 27, .file(SampleFile.version(2)), .status(404))
            try course.probed(at: 28, .file(SampleFile.version(2)), .status(404))
            try course.probed(at: 29, origin: 2, cdn: 2)
            #expect(
                course.told == [
                    "25 cdn.stale firing", "28 cdn.missing firing", "29 cdn.missing resolved (recovered)",
                    "29 cdn.stale resolved (cdn_caught_up)",
                ])
        }

        @Test("a domain that devices read without Apple's copy has no incident about the copy")
        func otherMode() throws {
            var course = try Course.lagging()
            try course.probed(at: 27, .file(SampleFile.version(2)), nil, unasked: .mode)
            #expect(course.told == ["25 cdn.stale firing", "27 cdn.stale resolved (removed)"])
            #expect(course.state.open.isEmpty)
        }

        @Test("an origin that alternates at each check does not hide a copy that it never served")
        func foreignCopy() throws {
            var course = try Course()
            for hour in 0..<30 { try course.probed(at: Double(hour), origin: hour % 2, cdn: 9) }
            #expect(course.told == ["4 origin.inconsistent firing", "24 cdn.divergent firing"])
        }
    }
}
