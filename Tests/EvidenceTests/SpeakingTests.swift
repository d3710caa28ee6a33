// Which answers of the CDN count, which of several edges stands for all, and how long Apple keeps a failure.

import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("The CDN's word")
    struct SpeakingTests {
        static let good = Reply.file(SampleFile.version(1))
        static let other = Reply.file(SampleFile.version(2))

        private func cdn(_ reply: Reply) throws -> Retrieval {
            try #require(try Observation.of(origin: Self.good, cdn: reply).cdn.retrieval)
        }

        @Test("200, 404 and 410 speak of the file", arguments: [200, 404, 410])
        func speaks(_ status: Int) throws {
            #expect(try cdn(.status(status)).isAboutFile)
        }

        @Test(
            "no other status does, but any does that comes with Apple's reason",
            arguments: [201, 204, 206, 301, 304, 400, 401, 403, 405, 407, 408, 418, 421, 429, 451, 500, 502, 503, 504])
        func silent(_ status: Int) throws {
            #expect(try !cdn(.status(status)).isAboutFile)
            #expect(try !cdn(.status(status, ["Apple-Failure-Reason": " "])).isAboutFile)
            #expect(try cdn(.status(status, ["Apple-Failure-Reason": "SWCERR00301 Timeout"])).isAboutFile)
        }

        @Test("half a file, or none at all, says nothing")
        func half() throws {
            let cut = Answer.End.cutShort(Failure(kind: .connectionReset, phase: .receiving, detail: "reset"))
            #expect(try !cdn(Self.good.with { $0.end = cut }).isAboutFile)
            #expect(try !cdn(.failed(.timedOut)).isAboutFile)
        }

        @Test("of several edges the first that speaks of the file stands for the CDN")
        func primary() throws {
            let scene = Scene.calm(Self.good).edges([.failed(.timedOut), .status(502), Self.other, Self.good])
            let readings = Readings(try Observation.of(origin: Self.good, cdn: nil, scene: scene))
            #expect(readings.cdn?.connection?.address == "198.51.100.3")
            #expect(readings.cdnFile?.meaning == ContentReading(Self.other.body).meaning)
            let mute = Scene.calm(Self.good).edges([.status(502), .status(503)])
            let none = Readings(try Observation.of(origin: Self.good, cdn: nil, scene: mute))
            #expect(none.cdn?.connection?.address == "198.51.100.1")
            #expect(none.cdnFile == nil)
        }

        /// An edge with a reason of Apple's, kept for so many seconds of which some have passed.
        private static func failing(_ maxAge: Int, age: Int = 0) -> Reply {
            Reply.crawler("SWCERR00301 Timeout", maxAge: maxAge).with { $0.headers["Age"] = "\(age)" }
        }

        private static let aged = good.with { $0.headers["Cache-Control"] = "max-age=21600" }

        @Test(
            "the wait is that of the last edge to ask again, never a copy's, and a day at most",
            arguments: [
                ([aged, failing(1800)], .asksAgain(.testing + 1800)),
                ([failing(1800, age: 600), aged], .asksAgain(.testing + 1200)),
                ([aged, failing(1800), failing(3600)], .asksAgain(.testing + 3600)),
                ([aged, failing(9_999_999)], .asksAgain(.testing + 86_400)),
                ([aged, failing(1800, age: 9999)], .asksAgain(.testing + 60)),
                ([aged, .status(404, ["Cache-Control": "max-age=1200"])], .asksAgain(.testing + 1200)),
                ([aged, .status(404)], .withinDay),
                ([failing(1800), failing(2400)], .asksAgain(.testing + 2400)),
            ] as [([Reply], Outlook)])
        func lifetime(_ edges: [Reply], _ outlook: Outlook) throws {
            let verdict = try verdict(origin: Self.good, cdn: nil, scene: Scene.calm(Self.good).edges(edges))
            #expect(verdict.diagnosis.outlook == outlook)
        }

        @Test("edges are counted in one way: against all that were asked")
        func counts() throws {
            let scene = Scene.calm(Self.good).edges([
                Self.good, .failed(.timedOut), Self.failing(3600), .status(503), Self.good,
            ])
            let verdict = try verdict(origin: Self.good, cdn: nil, scene: scene)
            let messages = verdict.findings.filter { $0.rule.rawValue.hasPrefix("cdn.") }.map(\.message)
            #expect(messages.count == 4)
            for message in messages + [verdict.text.oneLine] {
                #expect(message.contains(" 5 "), "\(message)")
            }
        }

        @Test(
            "trouble of the CDN's own has a next step and a time to wait",
            arguments: [
                (Reply.status(503), "an outage (status 503)", "check again in 5 min"),
                (.status(500, ["Retry-After": "120"]), "status 500", "check again in 2 min"),
                (.status(502, ["Retry-After": "99999999"]), "status 502", "check again in 24 h"),
                (
                    .status(503, ["Retry-After": "Sat, 21 Nov 2026 09:00:00 GMT"]), "status 503",
                    "check again in 2 h"
                ),
                (
                    .status(429, ["Retry-After": "Sat, 21 Nov 2026 07:10:00 GMT"]), "status 429",
                    "check again in 10 min"
                ),
                (
                    .status(503, ["Retry-After": "Sat, 21 Nov 2026 06:00:00 GMT"]), "status 503",
                    "check again in 60 s"
                ),
                (.status(503, ["Retry-After": "soon"]), "status 503", "check again in 5 min"),
                (.status(429), "too many requests from this machine", "check again in 60 min"),
                (.status(429, ["Retry-After": "60"]), "status 429", "check less often"),
                (.status(403), "another server answers in its place (status 403)", "check from another one"),
                (.status(302), "another server answers in its place (status 302)", "log in to this network"),
                (.failed(.timedOut), "does not accept the connection in time", "over HTTPS"),
                (.failed(.nameNotFound, .resolving), "its name does not resolve", "this machine's DNS"),
                (.certificate(.untrustedRoot), "certificate is refused here", "--cacert"),
                (.failed(.proxy), "the proxy of this machine could not be used", "check the proxy"),
            ])
        func trouble(_ reply: Reply, _ words: String, _ fix: String) throws {
            let verdict = try verdict(origin: Self.good, cdn: reply)
            #expect(verdict.told == ["cdn.unreachable warning"])
            let finding = try #require(verdict.findings.first)
            #expect(finding.message.lowercased().contains(words.lowercased()), "no '\(words)' in: \(finding.message)")
            #expect(finding.fix.lowercased().contains(fix.lowercased()), "\(finding.fix)")
            #expect(verdict.diagnosis.id == .cdnUnreachable && verdict.text.action != nil)
        }

        @Test("details that cannot be read as an object are kept as they came, bounded and cleaned")
        func details() throws {
            func details(_ text: String) throws -> [String: String]? {
                try cdn(.crawler("x", details: text)).answer.flatMap(CrawlerFailure.init)?.details
            }
            #expect(try details("not json") == ["raw": "not json"])
            #expect(try details(#"{"cause":"broken"#) == ["raw": #"{"cause":"broken"#])
            #expect(try details("[1]") == ["raw": "[1]"])
            #expect(try details(" ") == [:])
            #expect(try details("\u{1B}[2J") == ["raw": "\u{FFFD}[2J"])
            #expect(try details(String(repeating: "x", count: 9999))?["raw"]?.count == 500)
            #expect(try details(#"{"a":true,"b":[1]}"#) == ["a": "true"])
        }
    }
}
