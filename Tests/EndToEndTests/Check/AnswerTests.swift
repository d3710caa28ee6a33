// Redirects, statuses, types and bodies of origins, and malicious text from them.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

private let wellKnown = LabOrigin.wellKnownPath

extension EndToEndTests {
    @Suite struct AnswerTests {
        @Test("each kind of redirect has its own rule and severity")
        func redirects() async throws {
            try await Stage.with { stage in
                let lab = stage.lab
                for host in ["www.site.test", "elsewhere.example"] { lab.origin(host).serve(file()) }
                func redirect(_ host: String, _ location: String, _ status: Int = 301) {
                    lab.origin(host).on(path: wellKnown, .redirect(status: status, location: location))
                }
                redirect("site.test", "https://www.site.test\(wellKnown)")
                redirect("away.test", "https://elsewhere.example\(wellKnown)", 302)
                redirect("plain.test", "http://plain.test\(wellKnown)", 307)
                redirect("circle.test", "/a", 308)
                lab.origin("circle.test").on(path: "/a", .redirect(status: 303, location: wellKnown))
                redirect("chain.test", "/0")
                for hop in 0..<20 {
                    lab.origin("chain.test").on(path: "/\(hop)", .redirect(status: 302, location: "/\(hop + 1)"))
                }
                redirect("nowhere.test", "")
                redirect("nonsense.test", "https://[::bad/")
                redirect("script.test", "javascript:alert(1)")
                redirect("local.test", "file:///etc/passwd")
                let expected: [(host: String, rule: String, isError: Bool)] = [
                    ("site.test", "origin.redirect", false), ("away.test", "origin.redirect", true),
                    ("plain.test", "origin.redirect-insecure", true), ("circle.test", "origin.redirect-loop", true),
                    ("chain.test", "origin.redirect-loop", true), ("nowhere.test", "", true),
                    ("nonsense.test", "origin.redirect", true), ("script.test", "", true), ("local.test", "", true),
                ]
                let reports = try await stage.reports(expected.map(\.host))
                for (host, rule, isError) in expected {
                    let report = reports[host] ?? .absent
                    #expect(rule.isEmpty || report.rules.contains(rule), "\(host): \(report)")
                    #expect((report["verdict"] == .string("failing")) == isError, "\(host): \(report)")
                    #expect(report["origin"]["redirects"].elements.isEmpty == false, "\(host)")
                }
                let hop = reports["site.test"]?["origin"]["redirects"][0] ?? .absent
                #expect(hop.keys == ["status", "location", "url", "target"])
                #expect(hop["url"] == .string("https://site.test\(wellKnown)"))
                #expect(hop["target"] == hop["location"])
                #expect(hop["location"] == .string("https://www.site.test\(wellKnown)"))
                // The target of the redirect is compared.
                #expect(reports["site.test"]?["origin"]["status"] == .number(200))
                // The chain is followed once. The requests to single addresses and with other user agents do not follow
                // it.
                #expect(lab.origin("chain.test").requests.count { $0.path.hasPrefix("/.well") == false } <= 12)
            }
        }

        @Test("each wrong body or content type has its own finding")
        func bodies() async throws {
            try await Stage.with { stage in
                let page = "<!DOCTYPE html><html><head><title>Welcome</title></head></html>"
                let broken = "{\n  \"applinks\": {\n    \"details\": [],\n  }\n}"
                let lab = stage.lab
                lab.origin("page.test").behaviour = .reply(.html(page))
                lab.origin("broken.test").serve(broken)
                lab.origin("typed-html.test").serve(file(), contentType: "text/html; charset=utf-8")
                lab.origin("octets.test").serve(file(), contentType: "application/octet-stream")
                lab.origin("list.test").serve("[]")
                lab.origin("empty.test").serve("")
                lab.origin("other.test").serve(#"{"name":"web app"}"#)
                lab.origin("mark.test").serve("\u{FEFF}" + file())
                lab.origin("large.test").serve(file() + String(repeating: " ", count: 140_000))
                lab.origin("gzip.test").behaviour = .gzip(.json(file()))
                let expected: [(host: String, errors: Set<String>)] = [
                    ("page.test", ["aasa.json-syntax", "origin.content-type"]), ("broken.test", ["aasa.json-syntax"]),
                    ("typed-html.test", ["origin.content-type"]), ("octets.test", []),
                    ("list.test", ["aasa.root-not-object"]), ("empty.test", ["aasa.json-syntax"]),
                    ("other.test", ["aasa.no-service"]), ("mark.test", []), ("large.test", ["origin.too-large"]),
                    ("gzip.test", []),
                ]
                let reports = try await stage.reports(expected.map(\.host))
                for (host, errors) in expected {
                    let own = (reports[host] ?? .absent).errorRules.filter { !$0.hasPrefix("cdn.") }
                    #expect(own == errors, "\(host): \(String(describing: reports[host]))")
                }
                #expect(reports["page.test"]?["diagnosis"].string?.contains("HTML page") == true)
                let syntax = reports["broken.test"]?.finding("aasa.json-syntax") ?? .absent
                #expect(syntax["message"].string?.contains("line 3, column 18") == true, "\(syntax)")
                #expect(reports["octets.test"]?.rules == ["origin.content-type"])
                #expect(reports["octets.test"]?["verdict"] == .string("ok"))
                #expect(reports["gzip.test"]?["origin"]["bytes"].int == file().utf8.count)
                #expect(reports["mark.test"]?.rules.contains("aasa.byte-order-mark") == true)
            }
        }

        @Test("every status of the origin other than 200 is reported")
        func statuses() async throws {
            try await Stage.with { stage in
                let statuses = [204, 304, 401, 403, 418, 429, 500, 503]
                for status in statuses { stage.lab.origin("status\(status).test").behaviour = .reply(.status(status)) }
                let reports = try await stage.reports(statuses.map { "status\($0).test" })
                for status in statuses {
                    let report = reports["status\(status).test"] ?? .absent
                    #expect(report["origin"]["status"] == .number(Double(status)))
                    #expect(report.errorRules.contains("origin.status"), "\(status)")
                }
            }
        }

        private static let hostile =
            "\u{1B}]0;owned\u{07}\u{1B}[31mred\u{9B}2J \u{202E}drow\u{2066}\u{200F}\u{2028} \u{07}\u{08}\r end"

        @Test("terminal escape codes never reach the terminal", arguments: ["text", "json", "jsonl"])
        func hostileText(_ format: String) async throws {
            try await Stage.with { stage in
                let lab = stage.lab
                // A header cannot contain the carriage return.
                let header = Self.hostile.replacing("\r", with: "")
                lab.origin("header.test").serve(
                    file(), contentType: "text/\(header)", headers: [("Last-Modified", header), ("ETag", header)])
                lab.origin("body.test").serve("{\"applinks\": \(Self.hostile)}")
                let key = #"{"applinks":{},"\#(Self.hostile.replacing("\r", with: ""))":1}"#
                lab.origin("key.test").serve(key)
                lab.origin("location.test").on(
                    path: wellKnown, .redirect(status: 302, location: "https://\(header).test/\(header)"))
                lab.origin("copy.test").serve(file("v2"))
                let escapes = #"\u001b[31m\u202e\u0007"#
                lab.cdn.holds("copy.test", body: file("v1\(escapes)"))
                lab.origin("reason.test").serve(file())
                lab.cdn.fails(
                    "reason.test", reason: "SWCERR00101 \(header)", details: "{\"\(escapes)\":\"\(escapes)\"}")
                lab.origin("certificate.test").serve(file())
                lab.origin("certificate.test").certificate = .wrongName
                let hosts = ["header", "body", "key", "location", "copy", "reason", "certificate"].map { "\($0).test" }
                let process = try await stage.check(["--format", format] + hosts)
                #expect(process.end == .exit(1))
                for host in hosts { #expect(process.output.contains(host)) }
                for text in [process.output, process.errors] {
                    let bad = text.unicodeScalars.filter { scalar in
                        switch scalar.properties.generalCategory {
                        case .control: scalar != "\n"
                        case .format, .lineSeparator, .paragraphSeparator: true
                        default: false
                        }
                    }
                    #expect(bad.isEmpty, "\(bad.map { String($0.value, radix: 16) })")
                }
            }
        }
    }
}
