// The server ends while clients are still connecting.

import Foundation
import Logging
import Monitoring
import StatusServer
import TestSupport
import Testing

extension StatusServerSuite {
    @Suite("End under arrivals")
    struct EndUnderArrivalsTests {
        /// If one is dropped without being served, NIO ends the process and the whole test run.
        @Test("clients that are accepted but not yet served are closed at the end", arguments: 0..<10)
        func unserved(_ round: Int) async throws {
            let scratch = try ScratchStore()
            let (ports, feed) = AsyncStream.makeStream(of: Int.self)
            let server = StatusSite(
                settings: StatusServerSettings(
                    host: "127.0.0.1", port: 0, version: "1.2.3", watched: [], cdnBaseURL: "https://cdn.test/a/v1"),
                store: scratch.store, timekeeper: FixedTime(), logger: LineLog().logger,
                onListening: { feed.yield($0) })
            let running = Task { try await server.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            let clients = try (0..<40).map { _ in try RawClient(port: port) }
            running.cancel()
            try await running.value
            for client in clients { #expect(try await client.receive() == "") }
        }
    }
}
