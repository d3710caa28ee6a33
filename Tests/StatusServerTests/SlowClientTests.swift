// Clients that send and take as little as they can.

import Foundation
import StatusServer
import TestSupport
import TestTraits
import Testing

extension StatusServerSuite {
    @Suite("Slow clients", .inTurn(.large))
    struct SlowClientTests {
        /// What a client sends before it falls silent.
        enum Slowness: String, CaseIterable, Sendable {
            case silent = ""
            case head = "GET / HTTP/1.1\r\nHost: localhost\r\nX: "
            case body = "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
            case refusedBody = "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
            case afterAnAnswer = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            case closing = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            case answer

            var text: String {
                guard self == .answer else { return rawValue }
                // More than the buffers of a connection hold.
                return String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 200)
            }
        }

        @Test("health is answered while more clients than there are places dawdle", arguments: Slowness.allCases)
        func health(_ slowness: Slowness) async throws {
            let scratch = try ScratchStore()
            try await scratch.serving(watched: [try info("a.test")]) { port in
                var clients: [RawClient] = []
                for _ in 0..<300 {
                    let client = try RawClient(port: port)
                    // One that was let go already takes nothing more.
                    try? client.send(slowness.text)
                    clients.append(client)
                }
                for _ in 0..<3 {
                    let clock = ContinuousClock()
                    let start = clock.now
                    #expect(try await ask(port, "/healthz").status == 200)
                    // Any deadline of a client is longer.
                    #expect(start.duration(to: clock.now) < .seconds(5))
                }
                withExtendedLifetime(clients) {}
            }
        }

        @Test("a byte now and then extends no deadline", arguments: Slowness.allCases.filter { $0 != .silent })
        func deadline(_ slowness: Slowness) async throws {
            let scratch = try ScratchStore()
            let limits = ConnectionLimits(
                head: .milliseconds(300), body: .milliseconds(300), answer: .milliseconds(300))
            try await scratch.serving(watched: [try info("a.test")], limits: limits) { port in
                let client = try RawClient(port: port)
                try client.send(slowness.text)
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
                    // Each comes and goes; the older ones wait longer.
                    _ = try await ask(port, "/healthz")
                }
                try client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(try await client.receive().hasSuffix("ok\n"))
            }
        }
    }
}
