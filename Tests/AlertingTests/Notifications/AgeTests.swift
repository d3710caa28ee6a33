import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Ages in messages")
    struct AgeTests {
        /// The store keeps the facts of the moment when the incident fired, and does not update them.
        @Test("a message gives the age of the change when it is written, not when the incident fired")
        func reminder() async throws {
            let world = try World(World.routing([channel("hook")], remindEvery: .seconds(24 * 3600)))
            var incident = try incident("a1")
            incident.since = noon - 9
            incident.openedAt = noon - 9
            let cause = CDNProblem.stale(OriginChange(at: noon - 9))
            try await world.commit(
                incident, .firing, diagnosis: Diagnosis(effect: Effect(.work(seen: nil)), cause: Cause(.cdn(cause))),
                findings: [Finding(.cdn(cause))])
            try await world.pass(25 * 3600)
            let bodies = try world.transport.sent.map { try object($0.request.body)["data"] as? [String: Any] }
            try #require(bodies.count == 2)
            for (body, (age, lag)) in zip(bodies, [("9 s", 9), ("24 h", 86_409)]) {
                #expect((body?["cause"] as? String)?.contains(", \(age) after the change") == true, "\(body ?? [:])")
                let findings = body?["findings"] as? [[String: Any]]
                #expect((findings?.first?["message"] as? String)?.contains(", \(age) after") == true)
                #expect((body?["comparison"] as? [String: Any])?["lag_seconds"] as? Int == lag)
            }
        }
    }
}
