// Clients that send and read as slowly as they can.

import Foundation
import MonitorMetrics
import StatusServer
import TestSupport
import TestTraits
import Testing

extension StatusServerSuite {
    @Suite("Slow clients", .inTurn(.large))
    struct SlowClientTests {
        /// What a client sends before it stops.
        enum Slowness: String, CaseIterable, Sendable {
            case silent = ""
            case head = "GET / HTTP/1.1\r\nHost: localhost\r\nX: "
            case body = "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
            case refusedBody = "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
            case afterAnAnswer = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            case closing = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            case answer = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        }

        /// More than the buffers of a connection hold.
        private static let large = String(decoding: [UInt8](repeating: 0x78, count: 1 << 20), as: UTF8.self)

        private static let metrics: @Sendable () async throws -> Exposition = {
            var exposition = Exposition()
            exposition.family("x", .gauge, large, [])
            return exposition
        }

        /// On a separate thread: connecting blocks until the server has accepted the earlier clients, and the server
        /// needs Swift's threads for that.
        private static func clients(_ count: Int, _ port: Int, sending text: String) async throws -> [RawClient] {
            try await withCheckedThrowingContinuation { continuation in
                Thread {
                    continuation.resume(
                        with: Result {
                            try (0..<count).map { _ in
                                let client = try RawClient(port: port)
                                // A closed connection takes nothing more.
                                try? client.send(text)
                                return client
                            }
                        })
                }.start()
            }
        }

        @Test(
            "health is answered while more slow clients than the limit are connected", .serialized,
            arguments: Slowness.allCases)
        func health(_ slowness: Slowness) async throws {
            let scratch = try ScratchStore()
            // No client that takes a place loses it to its own deadline before this test ends.
            let limits = ConnectionLimits(head: .seconds(7200), body: .seconds(7200), answer: .seconds(7200))
            try await scratch.serving(watched: [try info("a.test")], limits: limits, metrics: Self.metrics) { port in
                let clients = try await Self.clients(300, port, sending: slowness.rawValue)
                for _ in 0..<3 { #expect(try await ask(port, "/healthz").status == 200) }
                withExtendedLifetime(clients) {}
            }
        }

        @Test(
            "sending a byte now and then does not extend a deadline",
            arguments: Slowness.allCases.filter { $0 != .silent })
        func deadline(_ slowness: Slowness) async throws {
            let scratch = try ScratchStore()
            let limits = ConnectionLimits(
                head: .milliseconds(300), body: .milliseconds(300), answer: .milliseconds(300))
            try await scratch.serving(watched: [try info("a.test")], limits: limits, metrics: Self.metrics) { port in
                let client = try RawClient(port: port)
                try client.send(slowness.rawValue)
                // Ends when the server has closed.
                await #expect(throws: RawClient.Failure.self) {
                    while true {
                        try client.send("a")
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
            }
        }

        @Test("a client that sends and reads in time keeps its connection")
        func kept() async throws {
            let scratch = try ScratchStore()
            let limits = ConnectionLimits(connections: 4)
            try await scratch.serving(watched: [try info("a.test")], limits: limits) { port in
                let client = try RawClient(port: port)
                for count in 1...20 {
                    try client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try await client.receive(until: "ok\n").hasPrefix("HTTP/1.1 200"), "request \(count)")
                    // Each of these connects and ends; the older ones wait longer.
                    _ = try await ask(port, "/healthz")
                }
                try client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(try await client.receive().hasSuffix("ok\n"))
            }
        }
    }
}
