import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    /// What the store and the log keep of a message, for people.
    @Suite("The log of messages")
    struct SentLogTests {
        @Test("each attempt is stored with its time and response, along with the message's text")
        func attempts() async throws {
            let world = try World(script: ["hook": [.status(500, "busy"), .fault(.network)]])
            try await world.commit(.firing)
            try await world.pass(60)
            let message = try await world.store.message(named: "1")
            #expect(message.attempts.map(\.outcome) == ["transient", "transient", "delivered"])
            #expect(message.attempts.map(\.status) == [500, nil, 200])
            #expect(message.attempts.map { Int($0.at.timeIntervalSince(noon).rounded()) } == world.offsets())
            #expect(message.attempts.first?.error == "busy" && message.attempts.last?.error == nil)
            #expect(message.incidents.map(\.domain?.name) == ["example.com"])
            let text = try #require(message.text)
            #expect(text.hasPrefix("example.com: "))
            #expect(text.hasSuffix("incident \(message.incidents[0].id) · monitor monitor-1"))
        }

        @Test("the log of a delivery names the domain, the incident and the channel")
        func delivered() async throws {
            let world = try World()
            try await world.commit(.firing)
            try await world.settle()
            let id = try #require(try await world.known()).incidentID
            let line = try #require(world.log.text.first { $0.hasPrefix("info delivered") })
            for part in [#""channel": hook"#, #""domain": example.com"#, #""incident": \#(id)"#, #""kind": cdn.stale"#]
            {
                #expect(line.contains(part), "\(line)")
            }
        }

        @Test("the log of a digest names the first domains and counts the rest")
        func digest() async throws {
            let domains = (0..<5).map { "d\($0).test" }
            let world = try World(World.routing([channel("hook")], domains: domains, groupWait: .seconds(10)))
            for domain in domains { try await world.commit(.firing, domain) }
            try await world.pass(20)
            let line = try #require(world.log.text.first { $0.hasPrefix("info delivered") })
            #expect(line.contains(" and 2 more") && line.matches(of: /d[0-4]\.test/).count == 3, "\(line)")
            let message = try await world.store.message(named: "1")
            #expect(message.incidents.count == 5 && message.deliveries.count == 5)
            #expect(domains.allSatisfy { message.text?.contains($0) == true })
        }

        @Test("a feed logs deliveries at transitions only, not every round")
        func feed() async throws {
            let world = try World(World.routing([channel("alerts", .alertmanager)]))
            try await world.commit(.firing)
            try await world.pass(200)
            try await world.commit(.resolved)
            try await world.pass(200)
            let lines = world.log.text.filter { $0.hasPrefix("info delivered") }
            #expect(lines.count == 2 && lines.allSatisfy { $0.contains(#""domain": example.com"#) }, "\(lines)")
            #expect(lines.first?.contains("firing") == true && lines.last?.contains("resolved") == true)
        }
    }
}
