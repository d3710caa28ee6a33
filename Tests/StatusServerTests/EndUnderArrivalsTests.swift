// The shutdown of the server while clients still connect.

import Foundation
import Logging
import Monitoring
import StatusServer
import TestSupport
import Testing

extension StatusServerSuite {
    @Suite("End under arrivals")
    struct EndUnderArrivalsTests {
        /// If a connection is dropped unserved, NIO crashes the process, and with it the whole test run.
        @Test("clients that are accepted and not yet served at the end are let go", arguments: 0..<10)
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
