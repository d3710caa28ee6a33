// What only a full check sees: every address and edge, other user agents, the root copy, pages.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct FullCheckTests {
        @Test("a light check makes one request to each side; a full check asks everything")
        func depth() async throws {
            try await Stage.with { stage in
                let origin = stage.lab.origin("site.test")
                origin.serve(file())
                let light = try await stage.report("site.test", ["--depth", "light"])
                #expect(light["depth"] == .string("light"))
                #expect(origin.requests.count == 1)
                #expect(stage.lab.cdn.requests(for: "site.test").count == 1)
                #expect(light["origin"]["agents"].elements.isEmpty)
                #expect(light["origin"]["root_copy"] == .null)
                #expect(light["origin"]["resolution"] == .null)
                #expect(light["origin"]["addresses"][0]["address"] == .string("127.0.0.1"))
                #expect(light["origin"]["addresses"][0]["scope"] == .null)
                #expect(light["cdn"]["edges"].elements.count == 1)
                let full = try await stage.report("site.test")
                #expect(full["depth"] == .string("full"))
                #expect(full["origin"]["addresses"][0]["scope"] == .string("loopback"))
                #expect(full["origin"]["addresses"][0]["reachable"] == .bool(true))
                #expect(full["origin"]["agents"].elements.map { $0["agent"].string } == ["crawler", "device"])
                #expect(full["origin"]["root_copy"]["status"] == .number(404))
                #expect(full["origin"]["resolution"]["source"] == .string("rules"))
                #expect(full["verdict"] == light["verdict"])
            }
        }

        @Test("every certificate of the chain is listed, and an unverified chain is marked")
        func chain() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                stage.lab.origin("bad.test").serve(file())
                stage.lab.origin("bad.test").certificate = .wrongName
                let reports = try await stage.reports(["site.test", "bad.test"])
                for (host, isVerified) in [("site.test", true), ("bad.test", false)] {
                    let tls = reports[host]?["origin"]["tls"] ?? .absent
                    #expect(tls["verified"] == .bool(isVerified), "\(host)")
                    #expect(tls["chain"].elements.count >= 2, "\(host): \(tls)")
                    let leaf = tls["chain"][0]
                    #expect(leaf["subject"] == tls["subject"])
                    #expect(leaf["issuer"] == tls["chain"][1]["subject"])
                    #expect(leaf["not_after"].string?.hasSuffix("Z") == true)
                    #expect(!leaf["names"].elements.isEmpty)
                }
                #expect(reports["bad.test"]?["origin"]["addresses"][0]["tls_error"].string != nil)
                let text = try await stage.check(["-v", "site.test"]).output
                #expect(text.contains("chain: "), "\(text)")
            }
        }

        @Test("edges that agree are one line; edges that differ are a table")
        func edges() async throws {
            let addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
            try await Stage.with(addresses: addresses) { stage in
                let cdn = stage.lab.cdn
                stage.lab.origin("same.test").serve(file())
                stage.lab.origin("mixed.test").serve(file("v2"))
                cdn.holds("mixed.test", body: file("v2"), edge: addresses[0])
                cdn.holds("mixed.test", body: file("v1"), age: .seconds(120), edge: addresses[1])
                cdn.fails("mixed.test", reason: "SWCERR00101 Bad HTTP Response: 403 Forbidden", edge: addresses[2])
                let command = ["check", "--max-time", Stage.patience] + stage.edges(addresses)
                let text = try await stage.runNotSlow(command + ["-v", "same.test", "mixed.test"]).output
                #expect(text.contains("3 edges, all serve the same"), "\(text)")
                #expect(text.contains("3 edges, not all alike:"), "\(text)")
                for words in ["the origin's file", "another file, ", "status 404, Apple says: SWCERR00101"] {
                    #expect(text.contains(words), "\(words): \(text)")
                }
                let report = try await stage.runNotSlow(command + ["--format", "json", "mixed.test"]).json()
                #expect(report["comparison"]["state"] == .string("mixed"))
                #expect(report["comparison"]["edges"]["asked"].int == 3)
                #expect(report["comparison"]["edges"]["in_sync"].int == 1)
                #expect(report["comparison"]["edges"]["missing"].int == 1)
                let edges = report["cdn"]["edges"].elements
                #expect(edges.map { $0["address"].string } == addresses)
                #expect(edges.map { $0["status"].int } == [200, 200, 404])
                #expect(edges[0]["meaning"] == report["origin"]["meaning"])
                #expect(edges[1]["meaning"] != report["origin"]["meaning"])
                #expect((120...3600).contains(edges[1]["age_seconds"].int ?? 0))
                #expect(edges[1]["failure"] == .null)
                #expect(edges[2]["failure"]["code"] == .string("SWCERR00101"))
                #expect(edges.allSatisfy { $0["via"].string != nil || $0["cdn_server"].string != nil })
                #expect(report["cdn"]["from"].string?.contains("mixed.test") == true)
            }
        }

        @Test("a page that is expected at a link is fetched")
        func pages() async throws {
            try await Stage.with { stage in
                let origin = stage.lab.origin("site.test")
                origin.serve(file())
                origin.on(path: "/help", .reply(.html("<h1>Help</h1>")))
                try stage.write(
                    "monitor.yaml",
                    """
                    version: 1
                    domains:
                      - domain: site.test
                        expect: {urls: [{url: /help, opens: nothing, page: true}, {url: /gone, page: true}]}
                    """)
                let report = try await stage.report("site.test", ["--config", "monitor.yaml"])
                let pages = report["pages"].elements
                #expect(pages.map { $0["url"].string } == ["https://site.test/help", "https://site.test/gone"])
                #expect(pages.map { $0["status"].int } == [200, 404])
                let light = try await stage.report("site.test", ["--config", "monitor.yaml", "--depth", "light"])
                #expect(light["pages"].elements.isEmpty)
            }
        }
    }
}
