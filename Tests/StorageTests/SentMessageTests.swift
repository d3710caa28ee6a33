import Evidence
import Foundation
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("A complete message")
    struct SentMessageTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private let key = String(repeating: "ab12", count: 16)

        @Test("a message is found by a delivery's number or by a key prefix")
        func found() async throws {
            let incidents = [try incident("a1", domain: "a.test"), try incident("b1", domain: "b.test")]
            for incident in incidents { try await store.commit(incident) }
            let attempts = [
                DeliveryAttempt(at: noon, outcome: "transient", status: 500, error: "busy"),
                DeliveryAttempt(at: noon + 5, outcome: "delivered", status: 200),
            ]
            let key = key
            try await store.ops { channel in
                try channel.keep(text: "FIRING", of: key, at: noon)
                for attempt in attempts { try channel.log(attempt, of: key) }
                for id in ["a1", "b1"] { try channel.log(delivery(key, incident: id)) }
                try channel.keep(text: "other", of: "ffff0000ffff0000", at: noon)
            }
            let message = try #require(try await store.sentMessage(named: "2"))
            #expect(message.key == key && message.channel == "ops" && message.text == "FIRING")
            #expect(message.incidents == incidents && message.attempts == attempts && message.retryAt == nil)
            #expect(message.deliveries.map(\.incidentID) == ["a1", "b1"])
            #expect(try await store.sentMessage(named: "AB12ab12") == message)
            for name in ["9", "ab12", "12345678", "%%%%%%%%"] {
                #expect(try await store.sentMessage(named: name) == nil)
            }
        }

        @Test("digits are a delivery's number if it exists, otherwise a key prefix")
        func digits() async throws {
            let key = key
            try await store.ops { channel in
                try channel.keep(text: "digits", of: "12345678" + key, at: noon)
                try channel.keep(text: "one", of: key, at: noon)
                try channel.log(delivery(key, incident: "a1"))
            }
            #expect(try await store.sentMessage(named: "12345678")?.text == "digits")
            #expect(try await store.sentMessage(named: "1")?.text == "one")
        }

        @Test("a message under way is shown with its incidents and its next attempt")
        func underWay() async throws {
            try await store.commit(try incident("a1", domain: "a.test"))
            let key = key
            try await store.ops { channel in
                _ = try channel.insert(message(key, of: ["a1"], retryAt: noon + 30))
                try channel.keep(text: "FIRING", of: key, at: noon)
            }
            let sent = try #require(try await store.sentMessage(named: key))
            #expect(sent.retryAt == noon + 30 && sent.deliveries.isEmpty)
            #expect(sent.incidents.map(\.id) == ["a1"])
        }

        @Test("of many attempts, the first ones and the latest are kept")
        func bounded() async throws {
            let key = key
            try await store.ops { channel in
                for index in 0..<130 {
                    try channel.log(
                        DeliveryAttempt(
                            at: noon + Double(index), outcome: "transient", error: String(repeating: "x", count: 900)),
                        of: key)
                }
                try channel.keep(text: "FIRING", of: key, at: noon)
            }
            let attempts = try #require(try await store.sentMessage(named: key)).attempts
            #expect(attempts.map { Int($0.at.timeIntervalSince(noon)) } == [0] + Array(80..<130))
            #expect(attempts.allSatisfy { $0.error?.count == 500 })
        }
    }
}
