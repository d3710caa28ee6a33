import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Response times")
    struct ResponseTimesTests {
        private func times(_ seen: [(at: TimeInterval, origin: Double?, cdn: Double?)]) throws -> ResponseTimes {
            var times = ResponseTimes()
            for check in seen {
                func reply(_ milliseconds: Double?) -> Reply {
                    guard let milliseconds else { return .failed(.timedOut) }
                    return Reply.file("{}").with { $0.firstByte = milliseconds }
                }
                times.note(
                    try Observation.of(
                        "a.test", at: .testing + check.at, origin: reply(check.origin), cdn: reply(check.cdn)))
                // What is stored between two checks.
                times = try #require(ResponseTimes(bytes: times.bytes))
            }
            return times
        }

        private func near(_ value: Double?, _ expected: Double) -> Bool {
            value.map { abs($0 / expected - 1) < 0.026 } ?? false
        }

        @Test("each hour has its mean and its slowest answer, and what gave no answer does not count")
        func hours() throws {
            let times = try times([
                (0, 40, 10), (300, 60, nil), (600, nil, 30), (3600, 5000, nil), (7200 + 3599, 1, 250_000),
            ])
            let origin = times.lastDay(.origin, at: .testing + 3 * 3600 + 1)
            #expect(origin.count == 24)
            #expect(origin.indices.filter { origin[$0] != nil } == [20, 21, 22])
            #expect(near(origin[20]?.mean, 50) && near(origin[20]?.slowest, 60))
            #expect(near(origin[21]?.mean, 5000) && near(origin[21]?.slowest, 5000))
            #expect(origin[22]?.mean == 1 && origin[22]?.slowest == 1)
            let cdn = times.lastDay(.cdn, at: .testing + 3 * 3600 + 1)
            #expect(cdn.indices.filter { cdn[$0] != nil } == [20, 22])
            #expect(near(cdn[20]?.mean, 20) && near(cdn[20]?.slowest, 30) && near(cdn[22]?.slowest, 240_000))
        }

        @Test("an hour is there for a day, whether a check follows or not", arguments: [false, true])
        func end(isFollowed: Bool) throws {
            for hours in [1, 22, 23, 24, 25, 47, 500] {
                let later = Double(hours) * 3600
                let times = try times([(0, 40, 40)] + (isFollowed ? [(later, 80, nil)] : []))
                let seen = times.lastDay(.origin, at: .testing + later)
                let first = hours < 24 ? [23 - hours] : []
                #expect(seen.indices.filter { seen[$0] != nil } == first + (isFollowed ? [23] : []), "\(hours)")
            }
        }

        @Test("a clock that goes back spoils nothing")
        func back() throws {
            let times = try times([(7200, 40, 40), (0, 4000, 4000), (7201, 40, 40)])
            let seen = times.lastDay(.origin, at: .testing + 7200)
            #expect(seen.indices.filter { seen[$0] != nil } == [23] && near(seen[23]?.slowest, 40))
            #expect(times.lastDay(.origin, at: .distantPast).isEmpty)
        }

        @Test("it takes 112 bytes; others are no response times")
        func bytes() throws {
            let times = try times([(0, 40, 10), (3600, 60, 20)])
            #expect(times.bytes.count == 112 && ResponseTimes(bytes: times.bytes) == times)
            for bytes in [Data(), Data(count: 111), Data(count: 113)] { #expect(ResponseTimes(bytes: bytes) == nil) }
        }
    }
}
