import Foundation
import Lab
import LabFaults
import TestTraits
import Testing

extension LabTests {
    @Suite struct Origins {
        @Test("an origin answers 404 until it has a document, then serves it at the one path")
        func serves() async throws {
            try await withLab { lab in
                let origin = lab.origin("site.test")
                let status = ["-w", "%{http_code} %{content_type}", "-o", "/dev/null"]
                #expect(try await Tool.curl(lab, status + [wellKnown("site.test")]).output.hasPrefix("404"))
                origin.serve(body, contentType: "application/octet-stream", headers: [("ETag", "\"1\"")])
                let served = try await Tool.curl(lab, ["-i", wellKnown("site.test") + "?x=1"])
                #expect(
                    served.output.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nETag: \"1\""))
                #expect(served.output.hasSuffix("\r\n\r\n" + body))
                #expect(try await Tool.curl(lab, status + ["https://site.test/other"]).output.hasPrefix("404"))
            }
        }

        @Test("the last of serve and behaviour applies, and rules take precedence over both")
        func precedence() async throws {
            try await withLab { lab in
                let origin = lab.origin("site.test")
                func expect(_ status: String, as agent: String = "curl", at line: SourceLocation = #_sourceLocation)
                    async throws
                {
                    let curl = try await Tool.curl(
                        lab, ["-w", "%{http_code}", "-o", "/dev/null", "-A", agent, wellKnown("site.test")])
                    #expect(curl.output == status, sourceLocation: line)
                }
                origin.serve(body)
                origin.behaviour = .reply(.status(503))
                try await expect("503")
                origin.serve(body)
                try await expect("200")
                origin.on(path: LabOrigin.wellKnownPath, .redirect(status: 301, location: "/elsewhere"))
                try await expect("301")
                origin.on(userAgentContaining: "AASA-Bot", .reply(.status(403)))
                try await expect("301")
                try await expect("403", as: "aasa-bot/1.0.0")
                origin.on(path: LabOrigin.wellKnownPath, nil)
                try await expect("200")
                #expect(origin.requests.map(\.userAgent).contains("aasa-bot/1.0.0"))
            }
        }

        @Test("a connection is kept for further requests, and closed if requested")
        func keepAlive() async throws {
            try await withLab { lab in
                lab.origin("site.test").serve(body)
                let url = wellKnown("site.test")
                let curl = try await Tool.curl(
                    lab, ["-w", "%{num_connects} ", "-o", "/dev/null", url, "-o", "/dev/null", url])
                #expect(curl.output == "1 0 ")
                #expect(lab.connectionsAccepted == 1)
                let closed = try await Tool.curl(
                    lab,
                    [
                        "-H", "Connection: close", "-w", "%{num_connects} ", "-o", "/dev/null", url, "-o", "/dev/null",
                        url,
                    ])
                #expect(closed.output == "1 1 ")
            }
        }

        @Test("a gzip answer is valid gzip", arguments: [0, 5, 65_535, 65_536, 200_000])
        func gzip(size: Int) async throws {
            try await withLab { lab in
                let text = String(repeating: "a", count: size)
                lab.origin("site.test").behaviour = .gzip(.json(text))
                let curl = try await Tool.curl(lab, ["--compressed", wellKnown("site.test")])
                #expect(curl.exitCode == 0, "\(curl.errors)")
                #expect(curl.output == text)
            }
        }

        @Test("a delayed answer comes after its delay")
        func delay() async throws {
            try await withLab { lab in
                lab.origin("site.test").behaviour = .after(.milliseconds(300), .reply(.json(body)))
                let curl = try await Tool.curl(
                    lab, ["-w", "%{time_starttransfer}", "-o", "/dev/null", wellKnown("site.test")])
                #expect(try #require(Double(curl.output)) >= 0.3)
            }
        }

        @Test("each address of a host can have its own answer")
        func addresses() async throws {
            try await withLab(addresses: ["127.0.0.1", "127.0.0.2"]) { lab in
                let origin = lab.origin("site.test")
                origin.serve(body)
                origin.on(address: "127.0.0.2", .reply(.status(503)))
                for (address, status) in [("127.0.0.1", "200"), ("127.0.0.2", "503")] {
                    let direct = try await Tool.run(
                        "curl",
                        [
                            "-q", "-sS", "--cacert", lab.caFile, "--connect-to", "::\(address):\(lab.port)", "-w",
                            "%{http_code}", "-o", "/dev/null", wellKnown("site.test"),
                        ])
                    #expect(direct.output == status)
                }
            }
        }

        @Test("shutdown removes the root certificate's file, and may be called twice")
        func shutdown() async throws {
            let lab = try await Lab.start()
            #expect(FileManager.default.fileExists(atPath: lab.caFile))
            await lab.shutdown()
            await lab.shutdown()
            #expect(!FileManager.default.fileExists(atPath: lab.caFile))
        }
    }
}
