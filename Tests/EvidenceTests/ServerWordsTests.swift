// The server's own error message, at any status and for any cause; and how we recognise Apple's responses.

import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("The server's own message")
    struct ServerWordsTests {
        private static func said(_ status: Int, _ type: String, _ body: String) -> Reply {
            Reply.status(status, ["Content-Type": type]).with { $0.body = Data(body.utf8) }
        }

        static let iis = """
            <!DOCTYPE html><html><head><title>IIS 10.0 Detailed Error - 500.19 - Internal Server Error</title></head><body>
            <h3>HTTP Error 500.19 - Internal Server Error</h3>
            <p>Cannot add duplicate collection entry of type 'mimeMap'</p></body></html>
            """

        static let rows: [(Reply, String)] = [
            (said(404, "application/json", #"{"error":"Subdomain not found."}"#), "Subdomain not found."),
            (
                said(404, "application/json", #"{"statusCode":404,"error":"Not Found","message":"no tenant acme"}"#),
                "no tenant acme"
            ),
            (
                said(503, "application/problem+json", #"{"title":"Paused","detail":"The plan has ended"}"#),
                "Paused: The plan has ended"
            ),
            (
                said(500, "application/json", #"{"errors":[{"message":"relation \"sites\" does not exist"}]}"#),
                "relation"
            ),
            (said(500, "text/html", iis), "Cannot add duplicate collection entry"),
            (
                said(
                    404, "text/html",
                    "<title>Error</title><pre>Cannot GET /.well-known/apple-app-site-association</pre>"), "Cannot GET"
            ),
            (said(403, "text/plain", "blocked by policy 7\n"), "blocked by policy 7"),
            (said(502, "text/plain", "no healthy upstream"), "no healthy upstream"),
            (
                said(
                    403, "application/xml", "<Error><Code>Blocked</Code><Message>Country not served</Message></Error>"),
                "Blocked: Country not served"
            ),
            (said(200, "application/json", #"{"error":"Subdomain not found."}"#), "Subdomain not found."),
        ]

        @Test("the server's message is quoted at each status, with or without Apple's reason", arguments: rows.indices)
        func quoted(_ index: Int) throws {
            let (reply, words) = Self.rows[index]
            for cdn in [nil, Reply.crawler("SWCERR00101 Bad HTTP Response: \(reply.status) X"), Story.timeout] {
                let verdict = try verdict(origin: reply, cdn: cdn, unasked: .originHasNoFile)
                #expect(verdict.text.cause?.contains(words) == true, "\(verdict.text)")
                guard reply.status != 200 else { continue }
                let finding = try #require(verdict.findings.first { $0.rule.rawValue == "origin.status" })
                #expect(finding.text.evidence["says"]?.contains(words) == true)
            }
        }

        @Test(
            "a message that says no more than the status is not quoted",
            arguments: [
                said(404, "text/html", "<title>404 Not Found</title><h1>Not Found</h1>"),
                said(404, "text/html", "<title>Page not found | Acme Shop</title>"),
                said(404, "text/plain", "404 page not found"),
                said(404, "application/json", #"{"error":"Not Found","statusCode":404}"#),
                said(403, "text/plain", "Forbidden"),
                said(500, "text/html", "<title>500 Internal Server Error</title><hr><center>nginx/1.18.0</center>"),
                said(404, "application/json", "{}"), said(500, "text/plain", ""), Story.good,
            ])
        func silent(_ reply: Reply) throws {
            let verdict = try verdict(origin: reply, cdn: nil, unasked: .originHasNoFile)
            #expect(!verdict.text.oneLine.contains("Your server says"), "\(verdict.text)")
        }

        @Test("request numbers are removed, so the same failure has the same text")
        func steady() throws {
            func words(_ id: String) throws -> String? {
                let reply = Self.said(500, "application/json", #"{"message":"upstream gone, request \#(id)"}"#)
                return try verdict(origin: reply, cdn: nil, unasked: .originHasNoFile).diagnosis.said
            }
            let first = try words("8f14e45f-ceea-467f-a1e5-0123456789ab")
            #expect(try first == words("0b7c2a11-0000-4aaa-9bbb-fedcba987654") && first == "upstream gone, request …")
        }

        @Test(
            "assetlinks.json and a wrapped file are named first, whatever their Content-Type",
            arguments: ["text/html", "application/json"])
        func foreignFile(_ type: String) throws {
            let android = #"[{"relation":["delegate_permission/common.handle_all_urls"],}]"#
            let wrapped = "<pre>\(SampleFile.version(1))</pre>"
            for (body, words) in [(android, "this is assetlinks.json"), (wrapped, "the file is wrapped in")] {
                for cdn in [nil, Reply.crawler("SWCERR00401 Bad JSON content")] {
                    let reply = Self.said(200, type, body)
                    let verdict = try verdict(origin: reply, cdn: cdn, unasked: .originHasNoFile)
                    #expect(verdict.text.cause?.contains(words) == true, "\(verdict.text)")
                }
            }
        }

        @Test(
            "a refusal of files without an extension is recognised by IIS's page or name",
            arguments: [
                Reply.status(404, ["Server": "Microsoft-IIS/10.0"]),
                said(404, "text/html", "<h3>HTTP Error 404.3 - Not Found</h3>"),
            ])
        func extensionRefused(_ reply: Reply) throws {
            let verdict = try verdict(origin: reply, cdn: nil, unasked: .originHasNoFile)
            #expect(verdict.diagnosis.id == .extensionRefused && verdict.text.action?.contains("mimeMap") == true)
        }

        @Test("404.0 of IIS means that there is no file; a file that was encoded twice is not a message")
        func noWords() throws {
            let absent = Self.said(404, "text/html", "<h2>HTTP Error 404.0 - Not Found</h2>")
            let missing = try verdict(origin: absent, cdn: nil, unasked: .originHasNoFile)
            #expect(missing.diagnosis.id == .notDeployed, "\(missing.text)")
            let twice = Self.said(200, "application/json", #""{\"applinks\":{\"details\":[]}}""#)
            let encoded = try verdict(origin: twice, cdn: Reply.crawler("SWCERR00401 Bad JSON content"))
            #expect(!encoded.text.oneLine.contains("Your server says"), "\(encoded.text)")
        }

        @Test(
            "a domain of the platform itself gets no advice to change DNS records",
            arguments: [
                ("acme.github.io", "the repository acme.github.io"), ("www.example.org", "point its DNS records"),
            ])
        func ownName(_ domain: String, _ words: String) throws {
            let reply = Reply.status(404, ["Server": "GitHub.com", "Content-Type": "text/html"]).with {
                $0.body = Data("There isn't a GitHub Pages site here".utf8)
            }
            let verdict = try verdict(domain, origin: reply, cdn: nil, scene: .calm(reply))
            #expect(verdict.text.action?.contains(words) == true, "\(verdict.text)")
        }

        @Test("Apple's own headers identify Apple at each status", arguments: [400, 403, 405, 410, 421])
        func apple(_ status: Int) throws {
            for headers in [
                ["Via": "https/1.1 usqas4-vp-vfe-001.ts.apple.com (acdn/270)"], ["CDNUUID": "ab"], ["Apple-From": "x"],
            ] {
                let verdict = try verdict(origin: Story.good, cdn: .status(status, headers))
                #expect(!verdict.text.oneLine.contains("network"), "\(verdict.text)")
            }
            let gate = try verdict(origin: Story.good, cdn: .status(status, ["Via": "1.1 proxy.acme.example"]))
            #expect(status == 410 || gate.text.oneLine.contains("network"), "\(gate.text)")
        }
    }
}
