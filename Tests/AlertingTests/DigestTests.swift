import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Digests")
    struct DigestTests {
        private func digest(
            _ reason: NotificationReason, _ domains: [String], diagnoses: [String] = ["the CDN lags"]
        ) throws -> Alert {
            let alerts = try domains.enumerated().map { index, domain in
                try alert(
                    reason, incident: "i\(index)", domain: domain, findings: [finding(fix: "purge it")],
                    diagnosis: diagnoses[index % diagnoses.count])
            }
            return try #require(Alert(digestOf: alerts, key: "k"))
        }

        private func digest(_ reason: NotificationReason, _ diagnoses: [Diagnosis]) throws -> Alert {
            let alerts = try diagnoses.enumerated().map { index, diagnosis in
                let one = try alert(reason, incident: "i\(index)", domain: "d\(index).example.com")
                return Alert(
                    reason: reason, at: one.at, incident: one.incident, facts: IncidentFacts(diagnosis: diagnosis),
                    labels: [:], links: one.links, instance: one.instance)
            }
            return try #require(Alert(digestOf: alerts, key: "k"))
        }

        private func names(_ count: Int) -> [String] { (0..<count).map { "d\($0).example.com" } }

        @Test(
            "the headline counts domains, and incidents if a domain has several",
            arguments: [
                (NotificationReason.firing, ["a.test", "b.test"], "2 domains: Apple's CDN still serves the old files"),
                (.escalated, ["a.test", "b.test"], "2 domains: Apple's CDN still serves the old files"),
                (.worse, ["a.test", "b.test"], "2 domains, worse: Apple's CDN still serves the old files"),
                (.reminder, ["a.test", "b.test"], "2 domains, still: Apple's CDN still serves the old files"),
                (.resolved, ["a.test", "b.test"], "2 domains, resolved: Apple's CDN serves the origin's file now"),
                (
                    .wasFiring, ["a.test", "a.test"],
                    "2 incidents of 1 domain, was firing, resolved: Apple's CDN serves the origin's file now"
                ),
                (
                    .wasFiring, ["a.test", "b.test", "a.test"],
                    "3 incidents of 2 domains, was firing, resolved: Apple's CDN serves the origin's file now"
                ),
            ] as [(NotificationReason, [String], String)])
        func headline(reason: NotificationReason, domains: [String], text: String) throws {
            #expect(RenderedAlert(try digest(reason, domains)).headline == text)
        }

        @Test("the first ten are listed, and the rest are counted")
        func list() throws {
            let ten = try #require(RenderedAlert(try digest(.firing, names(10))).lists.first)
            #expect(ten.lines.count == 10 && ten.lines[0] == "d0.example.com · error, for 25 h · i0")
            let many = try #require(RenderedAlert(try digest(.firing, names(500))).lists.first)
            #expect(many.lines.count == 11 && many.lines.last == "… and 490 more: see aasa-monitor status")
            var linked = try digest(.firing, names(11))
            linked.links.statusPage = "https://status.test/incidents"
            let last = RenderedAlert(linked).lists.first?.lines.last
            #expect(last == "… and 1 more: see the incidents page")
        }

        @Test("the digest shows a part of the diagnosis only if all its alerts share it")
        func diagnosis() throws {
            let one = RenderedAlert(try digest(.firing, names(3)))
            #expect(one.summary == "Phones are not affected.")
            #expect(one.notes.map(\.title) == ["Why:", "Do:", "Labels:", "To acknowledge:"])
            let mixed = RenderedAlert(try digest(.firing, names(3), diagnoses: ["the CDN lags", "it was purged"]))
            #expect(mixed.summary == one.summary)
            #expect(mixed.notes.map(\.title) == ["Do:", "Labels:", "To acknowledge:"])
            #expect(
                mixed.lists.first?.lines.prefix(2) == [
                    "d0.example.com · error, for 25 h · The request could not be made from here (the CDN lags). · i0",
                    "d1.example.com · error, for 25 h · The request could not be made from here (it was purged). · i1",
                ])
        }

        @Test("if the effects differ, each domain's line has its own")
        func effects() throws {
            let digest = try digest(
                .firing,
                [
                    Diagnosis(effect: Effect(.openWebsite(at: nil)), cause: .crawler(.refused(status: 403))),
                    Diagnosis(effect: Effect(.work(seen: nil)), cause: .crawler(.refused(status: 403))),
                ])
            let rendered = RenderedAlert(digest)
            #expect(rendered.summary.isEmpty)
            #expect(rendered.notes.map(\.title).prefix(2) == ["Why:", "Do:"])
            #expect(
                rendered.lists.first?.lines == [
                    "d0.example.com · error, for 25 h · Links open the website, not the app. · i0",
                    "d1.example.com · error, for 25 h · Links work. · i1",
                ])
        }

        @Test("a webhook's diagnosis is the common end, if there is one")
        func diagnosisOfEnds() throws {
            var alerts = try names(2).enumerated().map { try alert(.resolved, incident: "i\($0)", domain: $1) }
            func diagnosis() throws -> String? {
                let digest = try #require(Alert(digestOf: alerts, key: "k"))
                let data = try object(WebhookFormat().body(digest, plain: false))["data"] as? [String: Any]
                return data?["diagnosis"] as? String
            }
            #expect(try diagnosis() == "Apple's CDN serves the origin's file now.")
            alerts[1].incident.reason = .originReverted
            #expect(try diagnosis() == "All resolved.")
        }

        @Test("if the ends differ, each domain's line has its own")
        func ends() throws {
            var alerts = try names(2).enumerated().map { try alert(.resolved, incident: "i\($0)", domain: $1) }
            alerts[1].incident.reason = .originReverted
            let rendered = RenderedAlert(try #require(Alert(digestOf: alerts, key: "k")))
            #expect(rendered.headline == "2 domains, resolved: all of them" && rendered.summary.isEmpty)
            #expect(
                rendered.lists.first?.lines == [
                    "d0.example.com · resolved after 25 h · Apple's CDN serves the origin's file now · i0",
                    "d1.example.com · resolved after 25 h · the origin serves the same file as Apple's CDN again · i1",
                ])
        }

        @Test("a resolved domain that still fails says so in its line, and the message is not green")
        func stillFailing() throws {
            let alerts = try names(2).enumerated().map { index, domain in
                let one = try alert(.resolved, incident: "i\(index)", domain: domain)
                return Alert(
                    reason: .resolved, at: one.at, incident: one.incident,
                    facts: IncidentFacts(
                        diagnosis: Diagnosis(effect: Effect(.openWebsite(at: nil)), cause: .copy(.inSync)),
                        isStillFailing: index == 1 ? true : nil),
                    labels: [:], links: one.links, instance: "m")
            }
            let digest = try #require(Alert(digestOf: alerts, key: "k"))
            let lines = try #require(RenderedAlert(digest).lists.first?.lines)
            #expect(!lines[0].contains("still wrong"))
            #expect(lines[1].contains(" · still wrong: Links open the website, not the app. · i1"))
            #expect(digest.tone(over: 0, error: 1, warning: 2, note: 3) == 2)
        }

        @Test("incidents that fired and ended unsent show both times for each domain")
        func wasFiring() throws {
            let rendered = RenderedAlert(try digest(.wasFiring, names(2)))
            #expect(rendered.summary.isEmpty)
            #expect(
                rendered.lists.first?.lines.first
                    == "d0.example.com · was firing for 25 h, until 2026-11-21 07:00 UTC · i0")
            #expect(rendered.notes.isEmpty)
        }

        @Test("a digest has the most severe severity, the common labels and the incidents page")
        func common() throws {
            var first = try alert(incident: "a", domain: "a.test", severity: .error)
            var second = try alert(incident: "b", domain: "b.test", severity: .warning)
            first.labels = ["team": "growth", "tier": "1"]
            second.labels = ["team": "growth", "tier": "2"]
            first.links.statusPage = "https://status.test/incidents/a"
            first.links.incidents = "https://status.test/incidents"
            let digest = try #require(Alert(digestOf: [first, second], key: "k"))
            #expect(digest.labels == ["team": "growth"])
            #expect(digest.links == .init(statusPage: "https://status.test/incidents"))
            #expect(digest.threadID == "k")
            let data = try #require(
                try object(WebhookFormat().body(digest, plain: false))["data"] as? [String: Any])
            #expect(data["domains"] as? [String] == ["a.test", "b.test"] && data["domain"] == nil)
            #expect(data["count"] as? Int == 2 && data["kind"] as? String == "cdn.stale")
            #expect(data["severity"] as? String == "error")
            let incidents = try #require(data["incidents"] as? [[String: Any]])
            #expect(incidents.map { $0["id"] as? String } == ["a", "b"])
            #expect(incidents.allSatisfy { ($0["cause"] as? String)?.contains("the CDN lags") == true })
            #expect(incidents.allSatisfy { $0["effect"] is String && $0["action"] is String })
        }

        @Test("the most severe incidents come first, then by name, whatever their ids")
        func order() throws {
            let alerts = [
                try alert(incident: "1", domain: "z.test", severity: .warning),
                try alert(incident: "2", domain: "y.test", severity: .error),
                try alert(incident: "3", domain: "a.test", severity: .warning),
                try alert(incident: "4", domain: "b.test", severity: .error),
            ]
            let digest = try #require(Alert(digestOf: alerts, key: "k"))
            let lines = try #require(RenderedAlert(digest).lists.first?.lines)
            #expect(lines.map { String($0.prefix(6)) } == ["b.test", "y.test", "a.test", "z.test"])
        }

        @Test("a digest of one alert is that alert, and a digest of none is nil")
        func small() throws {
            let one = try alert()
            #expect(Alert(digestOf: [one], key: "k") == one)
            #expect(Alert(digestOf: [], key: "k") == nil)
        }

        @Test("a webhook lists the incidents that fit, and counts all")
        func webhook() throws {
            let body = try WebhookFormat().body(try digest(.firing, names(1000)), plain: false)
            #expect(body.count < WebhookFormat.maximumBytes)
            let data = try #require(try object(body)["data"] as? [String: Any])
            #expect(data["count"] as? Int == 1000)
            #expect((data["incidents"] as? [Any])?.isEmpty == false)
        }
    }
}
