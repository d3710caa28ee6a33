import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Routes")
    struct RoutesTests {
        private func routes() throws -> Routes {
            Routes(
                channels: [try channel("ops", .slack), try channel("hook")], cdnBaseURL: "https://cdn.test/a/v1",
                statusPageURL: "https://status.test/")
        }

        @Test("each event goes to each routed channel, and to no other")
        func routing() throws {
            let domain = try Domain("example.com")
            let all = try routes().drafts(for: [event(), event(.resolved, sequence: 2)], domain: domain)
            #expect(all.map(\.channel) == ["ops", "hook", "ops", "hook"])
            #expect(all.map(\.sequence) == [1, 1, 2, 2])
            let some = try routes().drafts(for: [event()], domain: domain, channels: ["hook", "unknown"])
            #expect(some.map(\.channel) == ["hook"])
            #expect(try routes().drafts(for: [event()], domain: domain, channels: []).isEmpty)
        }

        @Test("a key is stable, dotless, 64 characters, and differs by each of its parts")
        func keys() throws {
            let key = Routes.messageKey(for: try event(), channel: "ops")
            #expect(key == Routes.messageKey(for: try event(at: noon + 5, diagnosis: "other"), channel: "ops"))
            #expect(key.count == 64 && key.allSatisfy { $0.isHexDigit })
            let others = [
                Routes.messageKey(for: try event(), channel: "hook"),
                Routes.messageKey(for: try event(incident: "a2"), channel: "ops"),
                Routes.messageKey(for: try event(.resolved), channel: "ops"),
                Routes.messageKey(for: try event(sequence: 2), channel: "ops"),
            ]
            #expect(Set(others + [key]).count == 5)
        }

        @Test("what is stored says all, with links, and no secret")
        func contents() throws {
            let draft = try #require(
                try routes().drafts(for: [event()], domain: Domain("example.com"), labels: ["team": "x"]).first)
            let facts = try JSONDecoder().decode(AlertFacts.self, from: draft.facts)
            #expect(facts.event == (try event()))
            #expect(facts.links.statusPage == "https://status.test/#example.com")
            #expect(facts.links.cdn == "https://cdn.test/a/v1/example.com")
            #expect(!String(decoding: draft.facts, as: UTF8.self).contains("SECRET"))
            #expect(draft.expiresAt == noon + 86_400)
            let resolve = try #require(
                try routes().drafts(for: [event(.resolved)], domain: Domain("example.com")).first)
            #expect(resolve.expiresAt == noon + 72 * 3600)
            #expect(resolve.supersedes == [.reminder, .acknowledged])
        }

        @Test("a channel shows its host and a hash, whichever way it is printed")
        func description() throws {
            let channel = try channel("ops", .slack, keys: [Data("KEYSECRET".utf8)])
            var dumped = ""
            dump(channel, to: &dumped)
            for text in [
                "\(channel)", String(reflecting: channel), dumped, "\([channel])", "\(Optional(channel) as Any)",
            ] {
                #expect(!text.contains("SECRET"))
            }
            #expect("\(channel)".hasPrefix("ops (slack, ops.test, #"))
        }

        @Test("secrets of the URL are taken out of what others say")
        func redaction() throws {
            let channel = try Channel(
                name: "c", kind: .webhook, url: "https://h.test/hooks/AAAASECRET?token=BBBBSECRET")
            for text in [
                "no route to https://h.test/hooks/AAAASECRET?token=BBBBSECRET", "/hooks/AAAASECRET not found",
                "bad token BBBBSECRET", "token=BBBBSECRET",
            ] {
                #expect(!channel.redacted(text).contains("SECRET"), "\(text)")
            }
        }

        @Test(
            "a url must be https, or http on this machine",
            arguments: [
                ("https://h.test/x", true), ("http://127.0.0.1:9/x", true), ("http://localhost/x", true),
                ("http://[::1]:80/", true), ("http://h.test/x", false), ("http://127.evil.test/", false),
                ("ftp://h.test/", false), ("h.test/x", false), ("", false), ("https://", false),
                ("https://u:p@h.test/", false),
            ])
        func urls(url: String, accepted: Bool) {
            let channel = try? Channel(name: "c", kind: .webhook, url: url)
            #expect((channel != nil) == accepted)
        }
    }
}
