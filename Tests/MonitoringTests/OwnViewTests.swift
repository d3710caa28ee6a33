import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Problems that only this machine sees")
    struct OwnViewTests {
        static let refused = Reply.status(403)

        static func file(_ version: Int = 1, age: Double = 300) -> Reply {
            Reply.file(SampleFile.version(version)).with { $0.headers["Age"] = "\(Int(age))" }
        }

        @Test("a refusal does not count next to a fresh copy, until it has lasted one day longer than the copy's Age")
        func lasting() throws {
            var course = try Course()
            try course.probed(at: 0, Self.file(), Self.file())
            for hour in 1...24 {
                try course.probed(at: Double(hour), Self.refused, Self.file())
                #expect(
                    course.state.verdict?.level == .warning && course.state.verdict?.diagnosis.id == .turnedAwayHere)
            }
            #expect(course.told.isEmpty && course.state.open.isEmpty)
            try course.probed(at: 25, Self.refused, Self.file())
            #expect(
                course.state.verdict?.diagnosis.cause
                    == .access(
                        .turnedAwayForLong(
                            .status(403), since: .testing,
                            copy: CopyWitness(fetchedAt: .testing + 25 * 3600 - 300))))
            try course.probed(at: 26, Self.refused, Self.file())
            #expect(course.told == ["26 origin.broken firing"])
            #expect(course.events.last?.facts?.diagnosis.id == .turnedAwayForLong)
            try course.probed(at: 27, Self.file(), Self.file())
            #expect(course.told.last == "27 origin.broken resolved (recovered)")
        }

        @Test("the same holds if we never saw a file, with light checks and a different wall clock")
        func neverSeen() throws {
            var course = try Course()
            course.wallAhead = -7200
            for hour in 0...25 { try course.probed(at: Double(hour), Self.refused, Self.file(), full: nil) }
            #expect(course.told.isEmpty)
            try course.probed(at: 26, Self.refused, Self.file(), full: nil)
            #expect(course.told == ["26 origin.broken firing"])
        }

        @Test("a copy that nobody fetched for a day proves nothing")
        func oldCopy() throws {
            var course = try Course()
            try course.probed(at: 0, Self.file(), Self.file())
            for hour in 1...23 {
                try course.probed(at: Double(hour), Self.refused, Self.file(age: Double(hour) * 3600))
            }
            #expect(course.told.isEmpty)
            for hour in 24...25 {
                try course.probed(at: Double(hour), Self.refused, Self.file(age: Double(hour) * 3600))
            }
            #expect(course.told == ["25 origin.broken firing"])
        }

        static let speakingAgainst: [(String, Reply)] = [
            ("a copy of what the origin served before", file(1)), ("no copy", .status(404)),
            ("Apple's word that it is refused", .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden")),
            ("its word beside a copy", file(2).with { $0.headers["Apple-Failure-Reason"] = "SWCERR00301 Timeout" }),
            ("no answer", .failed(.timedOut)), ("a page", .file("<html>")),
        ]

        @Test("a refusal fires immediately unless Apple has a copy of the last file", arguments: 0..<6)
        func contradicted(_ index: Int) throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            try course.probed(at: 1, origin: 2, cdn: 1)
            for hour in 2...3 { try course.probed(at: Double(hour), Self.refused, Self.speakingAgainst[index].1) }
            let told = course.events.filter { $0.incident.inhibitedBy == nil }.map(\.incident.kind)
            #expect(told == [.originBroken], "\(Self.speakingAgainst[index].0)")
        }

        @Test("a refusal to this machine does not prove that the file was gone", arguments: [403, 429])
        func refusedBetween(_ status: Int) throws {
            let absent = Reply.crawler("SWCERR00101 Bad HTTP Response: 404 Not Found").with {
                $0.headers["Age"] = "3600"
            }
            var course = try Course()
            for hour in 0...3 { try course.probed(at: Double(hour), Self.file(), absent) }
            #expect(course.state.verdict?.diagnosis.id == .crawlerStillAbsent)
            try course.probed(at: 4, .status(status), absent)
            try course.probed(at: 5, Self.file(), absent)
            #expect(course.state.verdict?.diagnosis.id == .crawlerStillAbsent)
        }

        @Test("problems of a server that only our resolver returns open nothing if Apple has a copy")
        func internalServer() throws {
            var course = try Course()
            for hour in 0...3 {
                for reply in [Reply.status(500), .failed(.timedOut)] {
                    var seen = try Observation.of(
                        at: .testing + Double(hour) * 3600, origin: reply, cdn: Self.file())
                    seen.origin.ownScope = .private
                    try course.probed(at: Double(hour), seen)
                }
            }
            #expect(course.told.isEmpty && course.state.open.isEmpty)
            #expect(course.state.verdict?.level == .warning)
        }

        @Test("Apple's failure counts as remembered only if it predates our first sight of the file")
        func absence() throws {
            func absent(askedHoursAgo hours: Double) -> Reply {
                Reply.crawler("SWCERR00101 Bad HTTP Response: 404 Not Found").with {
                    $0.headers["Age"] = "\(Int(hours * 3600))"
                }
            }
            var course = try Course()
            try course.probed(at: 0, .status(404), absent(askedHoursAgo: 1))
            for hour in 1...3 { try course.probed(at: Double(hour), Self.file(), absent(askedHoursAgo: 4)) }
            #expect(course.state.verdict?.diagnosis.id == .crawlerRemembersAbsence)
            try course.probed(at: 4, Self.file(), absent(askedHoursAgo: 1))
            #expect(course.state.verdict?.diagnosis.id == .crawlerStillAbsent)
            // Removed and deployed again: Apple's failure is from the time in between.
            try course.probed(at: 5, .status(404), absent(askedHoursAgo: 0))
            try course.probed(at: 6, Self.file(), absent(askedHoursAgo: 1))
            #expect(course.state.verdict?.diagnosis.id == .crawlerRemembersAbsence)
        }

        @Test("TLS inspection in our own network neither opens nor ends an incident of the site")
        func intercepted() throws {
            let inspected = Reply.certificate(.untrustedRoot)
            var course = try Course()
            for hour in 0...1 { try course.probed(at: Double(hour), .status(500), Self.file()) }
            for hour in 2...5 { try course.probed(at: Double(hour), inspected, inspected) }
            #expect(course.state.verdict?.diagnosis.id == .tlsIntercepted)
            #expect(course.told == ["1 origin.broken firing"])
            #expect(Set(course.state.open.keys) == [.originBroken])
        }
    }
}
