import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import StatusServer

extension StatusServerSuite {
    @Suite("Propagation picture")
    struct PropagationPictureTests {
        @Test("while the domain was not watched, nothing is drawn, and what came back was not deployed then")
        func notWatched() throws {
            let day = 86400.0
            let content = ContentHash(of: "v1".utf8)
            let stretches = [
                PropagationRecord.Stretch(at: noon - 10 * day, .version(1)),
                PropagationRecord.Stretch(at: noon - 8 * day, .notWatched),
                PropagationRecord.Stretch(at: noon - 2 * day, .version(1)),
            ]
            let scope = PictureScope(
                record: PropagationRecord(
                    versions: [1: PropagationRecord.Version(number: 1, content: content, meaning: content)],
                    places: [.origin: stretches, .edge("198.51.100.1"): stretches]),
                edges: [("198.51.100.1", "e1")], changedAt: nil, usual: nil, staleAfter: day, window: 10 * day,
                time: PageTime(now: noon))
            let lanes = LaneBuilder(scope).lanes.map(\.lane)
            #expect(lanes.map(\.status) == ["v1 for 48 h", "v1"])
            for lane in lanes {
                #expect(lane.segments.map(\.x) == ["0%", "80%"])
                #expect(lane.segments.map(\.width) == ["20%", "20%"])
                #expect(lane.mutes.isEmpty && lane.debts.isEmpty)
            }
            #expect(scope.changeMarks.isEmpty)
            #expect(LaneBuilder(scope).rows.map(\.serves) == ["v1", "not watched", "v1", "v1", "not watched", "v1"])
        }
    }
}
