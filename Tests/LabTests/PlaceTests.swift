import Foundation
import Lab
import LabFaults
import TestTraits
import Testing

extension LabTests {
    /// Several addresses, including holes, and access through a proxy.
    @Suite struct Places {
        private func curl(_ lab: Lab, at address: String, _ arguments: [String]) async throws -> ChildProcess {
            let target = address.contains(":") ? "[\(address)]" : address
            return try await Tool.run(
                "curl",
                [
                    "-q", "-sS", "--max-time", Tool.patience, "--cacert", lab.caFile, "--connect-to",
                    "::\(target):\(lab.port)",
                ] + arguments)
        }

        @Test("an address can have its own answer, certificate and handshake")
        func addresses() async throws {
            try await withLab(addresses: ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"]) { lab in
                let origin = lab.origin("site.test")
                origin.serve(body)
                origin.on(address: "127.0.0.2", .reply(.status(403)))
                origin.on(address: "127.0.0.3", certificate: .expired)
                origin.on(address: "127.0.0.4", handshake: .close)
                let url = wellKnown("site.test")
                let status = ["-o", "/dev/null", "-w", "%{http_code}", url]
                let plain = try await curl(lab, at: "127.0.0.1", status)
                let refused = try await curl(lab, at: "127.0.0.2", status)
                let expired = try await curl(lab, at: "127.0.0.3", status)
                let closed = try await curl(lab, at: "127.0.0.4", status)
                origin.on(address: "127.0.0.3", certificate: nil)
                let renewed = try await curl(lab, at: "127.0.0.3", status)
                #expect([plain, refused, expired, closed, renewed].map(\.exitCode) == [0, 0, 60, 35, 0])
                #expect([plain, refused, renewed].map(\.output) == ["200", "403", "200"])
            }
        }

        @Test("a hole gives no answer, each kind in its own way", arguments: LabHole.Kind.allCases)
        func holes(_ kind: LabHole.Kind) async throws {
            try await withLab { lab in
                let hole = try await LabHole.taking(kind, address: "127.0.0.5", port: lab.port)
                defer { hole.close() }
                let curl = try await curl(lab, at: "127.0.0.5", ["--max-time", "1", wellKnown("site.test")])
                #expect(curl.exitCode == 28)
                let limit = kind == .halfOpen ? Tool.patience : "1"
                let plain = try await Tool.run(
                    "timeout", ["-s", "KILL", limit, "bash", "-c", "exec 3<>/dev/tcp/127.0.0.5/\(lab.port)"])
                // Otherwise the time limit ended curl: TCP never connected.
                #expect((plain.exitCode == 0) == (kind == .halfOpen))
            }
        }

        @Test("a proxy leads to its own target, whatever was requested", arguments: ["http", "socks5h", "socks5"])
        func proxy(_ scheme: String) async throws {
            try await withLab(addresses: ["127.0.0.1", "127.0.0.6"]) { lab in
                let origin = lab.origin("site.test")
                origin.serve(body)
                origin.on(address: "127.0.0.6", .reply(.status(451)))
                let proxy = try await LabProxy.start(to: "127.0.0.6", port: lab.port)
                let status = ["-o", "/dev/null", "-w", "%{http_code}", wellKnown("site.test")]
                let direct = try await curl(lab, at: "127.0.0.1", status)
                let there = try await curl(
                    lab, at: "127.0.0.1", ["--proxy", "\(scheme)://127.0.0.1:\(proxy.port)"] + status)
                #expect(direct.output == "200")
                #expect(there.output == "451", "\(there.errors)")
                #expect(proxy.targets == ["127.0.0.1:\(lab.port)"])
                await proxy.shutdown()
            }
        }

        @Test("a maze of redirects uses each path once")
        func maze() async throws {
            try await withLab { lab in
                lab.origin("site.test").behaviour = .maze(status: 302)
                let curl = try await Tool.curl(lab, ["-L", "--max-redirs", "20", wellKnown("site.test")])
                #expect(curl.exitCode == 47)
                let paths = lab.origin("site.test").requests.map(\.path)
                #expect(paths.count == 21)
                #expect(Set(paths).count == 21)
            }
        }

        @Test("a delay applies to every answer, including faults")
        func delay() async throws {
            try await withLab { lab in
                let origin = lab.origin("site.test")
                for behaviour in [
                    LabBehaviour.reply(.status(200)), .redirect(status: 301, location: "/"), .fault(.close),
                ] {
                    origin.behaviour = .after(.seconds(60), behaviour)
                    let curl = try await Tool.curl(lab, ["--max-time", "1", wellKnown("site.test")])
                    #expect(curl.exitCode == 28)
                }
                origin.behaviour = .fault(.close)
                let closed = try await Tool.curl(lab, [wellKnown("site.test")])
                #expect(closed.exitCode == 52)
            }
        }

        @Test("an edge's headers show its owner and how long it keeps its copy")
        func edgeHeaders() async throws {
            try await withLab(addresses: ["127.0.0.1", "127.0.0.2"]) { lab in
                lab.cdn.belongs(edge: "127.0.0.2", to: .lumen)
                lab.cdn.holds("site.test", body: body, age: .seconds(100), maxAge: .seconds(1800))
                lab.cdn.fails(
                    "none.test", reason: "SWCERR00301 Timeout", age: .seconds(200), maxAge: .seconds(900),
                    edge: "127.0.0.2")
                let own = try await curl(lab, at: "127.0.0.1", ["-i", "\(lab.cdnBaseURL)/site.test"]).output
                #expect(own.contains("\r\nCache-Control: max-age=1800,public\r\n"))
                #expect(try age(own) >= 100)
                #expect(own.contains("\r\nVia: ") && !own.contains("\r\nCDN-Server: "))
                let hired = try await curl(lab, at: "127.0.0.2", ["-i", "\(lab.cdnBaseURL)/none.test"]).output
                #expect(hired.contains("\r\nCache-Control: max-age=900,public\r\n"))
                #expect(try age(hired) >= 200)
                #expect(!hired.contains("\r\nVia: ") && hired.contains("\r\nCDN-Server: lumn\r\n"))
            }
        }
    }
}
