import Evidence
import Foundation
import Logging
import Monitoring
import StatusServer
import Storage
import Synchronization
import TestSupport
import Testing

extension StatusServerSuite {
    @Suite("Acknowledgements over the API")
    struct AcknowledgeRouteTests {
        private let scratch: ScratchStore
        private static let path = "/api/v1/incidents/0123456789abcdef/ack"

        init() throws { scratch = try ScratchStore() }

        private func serving(
            onWrite: @escaping @Sendable () async -> Void = {}, _ body: @escaping @Sendable (Int) async throws -> Void
        ) async throws {
            let (ports, feed) = AsyncStream.makeStream(of: Int.self)
            let server = StatusSite(
                settings: StatusServerSettings(
                    port: 0, version: "1.2.3", watched: [try info("a.test")], cdnBaseURL: "https://cdn.test/a/v1"),
                store: scratch.store, timekeeper: FixedTime(),
                logger: Logger(label: "t", factory: { _ in SwiftLogNoOpLogHandler() }), onWrite: onWrite,
                onListening: { feed.yield($0) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask { for await port in ports { return try await body(port) } }
                try await group.next()
                group.cancelAll()
            }
        }

        private func acknowledge(_ port: Int, _ body: String, path: String = path) async throws -> RawAnswer {
            let client = try RawClient(port: port)
            let head = [
                "POST \(path) HTTP/1.1", "Host: localhost", "Connection: close", "Content-Type: application/json",
                "Content-Length: \(body.utf8.count)",
            ]
            try client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
            return RawAnswer(try await client.receive())
        }

        @Test("POST acknowledges an incident, DELETE ends the acknowledgement, and each change is reported")
        func life() async throws {
            try await scratch.fire()
            let writes = Mutex(0)
            try await serving(onWrite: { writes.withLock { $0 += 1 } }) { port in
                #expect(try await ask(port, Self.path, method: "DELETE").status == 409)
                let made = try await acknowledge(port, #"{"by": "eva", "reason": "on it"}"#)
                #expect(made.status == 200 && made.body.contains(#""by":"eva""#))
                #expect(try await scratch.store.acknowledgements().values.map(\.by) == ["eva"])
                let ended = try await ask(port, "/api/v1/incidents/01234567/ack", method: "DELETE")
                #expect(ended.status == 200 && ended.body.contains(#""id":"0123456789abcdef""#))
                #expect(try await scratch.store.acknowledgements().isEmpty)
                #expect(writes.withLock(\.self) == 2)
            }
        }

        @Test("an acknowledgement that is not possible is refused and changes nothing")
        func refused() async throws {
            try await scratch.fire()
            try await serving(onWrite: { Issue.record("a refused request must not report a change") }) { port in
                #expect(try await acknowledge(port, "{}").status == 400)
                #expect(try await acknowledge(port, #"{"by": " "}"#).status == 400)
                let unknown = "/api/v1/incidents/ffffffff/ack"
                #expect(try await acknowledge(port, #"{"by": "eva"}"#, path: unknown).status == 404)
                #expect(try await ask(port, unknown, method: "DELETE").status == 404)
                let foreign = try await ask(
                    port, Self.path, method: "DELETE", headers: ["Origin: https://evil.example"])
                #expect(foreign.status == 403)
                #expect(try await ask(port, Self.path, method: "PUT").status == 405)
            }
        }
    }
}
