import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Message texts")
    struct WordsTests {
        @Test(
            "each reason has its own headline and summary",
            arguments: [
                (NotificationReason.firing, "", ""), (.escalated, "", ""), (.again, ", again", "again: "),
                (.worse, ", worse", "worse: "), (.changed, ", changed", "changed: "), (.reminder, ", still", "still: "),
                (.flapping, ", flapping, notifications paused", "flapping, notifications paused: "),
                (.acknowledged, ", acknowledged", "acknowledged: "),
            ])
        func going(reason: NotificationReason, turn: String, prefix: String) throws {
            let alert = try alert(reason)
            let rendered = RenderedAlert(alert)
            #expect(rendered.headline == "example.com\(turn): Apple's CDN still serves the old file")
            #expect(rendered.since == "since 2026-11-20 06:00 UTC, for 25 h · error · cdn.stale")
            #expect(alert.summary == "example.com: \(prefix)Apple's CDN still serves the old file (for 25 h)")
        }

        @Test(
            "an end says how long the incident took, and when it ended if nobody was notified before",
            arguments: [
                (
                    NotificationReason.resolved, "example.com, resolved: ",
                    "Apple's CDN serves the origin's file now, after 25 h."
                ),
                (
                    .wasFiring, "example.com, was firing, resolved: ",
                    "For 25 h, until 2026-11-21 07:00 UTC. Apple's CDN serves the origin's file now."
                ),
            ])
        func over(reason: NotificationReason, head: String, summary: String) throws {
            var alert = try alert(reason, findings: [finding()])
            // Sent a day later.
            alert.at += 86_400
            let rendered = RenderedAlert(alert)
            #expect(rendered.headline == head + "Apple's CDN serves the origin's file now")
            #expect(rendered.summary == summary)
            #expect(alert.summary == "example.com: Apple's CDN serves the origin's file now (after 25 h)")
            #expect(rendered.notes.isEmpty)
        }

        @Test(
            "an incident of less than a minute has a duration, not a period"
        )
        func short() throws {
            var alert = try alert(.wasFiring)
            alert.incident.since = noon - 40
            #expect(RenderedAlert(alert).summary.hasPrefix("For 40 s, until 2026-11-21 07:00 UTC. "))
            alert.incident.since = noon
            alert.incident.resolvedAt = noon + 40
            #expect(RenderedAlert(alert).since == "at 2026-11-21 07:00 UTC, for 40 s · cdn.stale")
            alert.incident.resolvedAt = noon + 90
            #expect(RenderedAlert(alert).since == "since 2026-11-21 07:00 UTC, until 2026-11-21 07:01 UTC · cdn.stale")
            var new = try AlertingTests.alert()
            new.incident.since = new.at
            #expect(RenderedAlert(new).since.contains(" UTC, just now · ") && new.summary.hasSuffix(" (just now)"))
        }

        @Test("a certificate's message says when the certificate expires, not since when we know")
        func certificate() throws {
            var alert = try alert(
                findings: [Finding(.origin(.certificateExpiring(noon + 6 * 86_400 + 3600)))])
            alert.incident.kind = .certificateExpiring
            alert.incident.since = noon - 1
            #expect(
                RenderedAlert(alert).headline == "example.com: the certificate expires on 2026-11-27, in 6 d 1 h")
            #expect(alert.summary == "example.com: the certificate expires on 2026-11-27, in 6 d 1 h")
            alert.at += 7 * 86_400
            #expect(alert.summary == "example.com: the certificate expired on 2026-11-27")
            var other = alert
            other.incident.id = "a2"
            let digest = try #require(Alert(digestOf: [alert, other], key: "k"))
            #expect(RenderedAlert(digest).lists.first?.lines.first?.contains("error, expired on 2026-11-27 · ") == true)
        }

        @Test(
            "a firing alert shows the labels and how to acknowledge, if that makes sense",
            arguments: [
                (NotificationReason.firing, true), (.escalated, true), (.again, true), (.worse, true), (.changed, true),
                (.reminder, true), (.flapping, false), (.acknowledged, false),
            ])
        func help(reason: NotificationReason, canAcknowledge: Bool) throws {
            var alert = try alert(reason, incident: "0123456789abcdef")
            alert.labels = ["tier": "1", "team": "growth"]
            func notes(_ alert: Alert) -> [String: String] {
                Dictionary(RenderedAlert(alert).notes.map { ($0.title, $0.text) }) { first, _ in first }
            }
            #expect(notes(alert)["Labels:"] == "team=growth, tier=1")
            let command = "aasa-monitor ack 0123456789ab"
            #expect(notes(alert)["To acknowledge:"] == (canAcknowledge ? command : nil))
            alert.labels = [:]
            #expect(notes(alert)["Labels:"] == nil)
            alert.isStored = false
            #expect(notes(alert)["To acknowledge:"] == nil, "the store has no such incident")
        }

        @Test("ends, changes and tests show neither")
        func noHelp() throws {
            let test = Alert.test(domain: try Domain("a.test"), links: .init(statusPage: nil), instance: "m", now: noon)
            var change = try alert()
            change.incident.kind = .change
            for alert in [test, change, try alert(.resolved), try alert(.wasFiring)] {
                let titles = RenderedAlert(alert).notes.map(\.title)
                #expect(!titles.contains("Labels:") && !titles.contains("To acknowledge:"), "\(titles)")
            }
        }

        private static let long = "universal-links.loyalty.eu-central-1.production.contoso-hospitality-group.example"

        @Test(
            "80 characters of a notification have the domain and the effect",
            arguments: [
                (.openWebsite(at: nil), "example.com", "example.com: links open the website, not the app"),
                (
                    .openWebsite(at: nil), long,
                    "links open the website, not the app: \(long)"
                ),
                (
                    .followOtherFile(by: .changed, at: nil, website: ["/*_evil_*"], app: []),
                    "example.com", "example.com: phones use the old file"
                ),
                (
                    .followUnexpectedFile, "example.com",
                    "example.com: phones use this file, but it does not meet your expectations"
                ),
                // If links work, or the effect is unknown, the headline has the trouble.
                (.work(seen: nil), "example.com", "example.com: Apple's CDN still serves the old file"),
                (.unknown(.cdnNotReached), "example.com", "example.com: Apple's CDN still serves the old file"),
            ] as [(Effect.Links, String, String)])
        func preview(_ links: Effect.Links, _ domain: String, _ headline: String) throws {
            let one = try alert(domain: domain)
            let alert = Alert(
                reason: .firing, at: noon, incident: one.incident,
                facts: IncidentFacts(
                    diagnosis: Diagnosis(effect: Effect(links), cause: .crawler(.refused(status: 403)))),
                labels: [:], links: one.links, instance: "m")
            let rendered = RenderedAlert(alert)
            #expect(rendered.headline == headline)
            // The summary does not repeat the headline. Example paths go there, because there they are escaped.
            let isExample = if case .followOtherFile = links { true } else { false }
            #expect(rendered.summary.contains("evil") == isExample)
            #expect(!rendered.summary.lowercased().contains("not the app"))
        }

        @Test(
            "an end says what phones do now, and what the incident was",
            arguments: [
                (.work(seen: nil), false, "example.com, resolved: links work"),
                (.openWebsite(at: nil), true, "example.com, resolved: but links open the website, not the app"),
            ] as [(Effect.Links, Bool, String)])
        func past(_ links: Effect.Links, _ isStillFailing: Bool, _ headline: String) throws {
            let one = try alert(.resolved)
            let alert = Alert(
                reason: .resolved, at: noon, incident: one.incident,
                facts: IncidentFacts(
                    diagnosis: Diagnosis(effect: Effect(links), cause: .copy(.inSync)),
                    isStillFailing: isStillFailing ? true : nil),
                was: IncidentFacts(
                    diagnosis: Diagnosis(
                        effect: Effect(.openWebsite(at: nil)), cause: .crawler(.refused(status: 403)))),
                labels: [:], links: one.links, instance: "m")
            let rendered = RenderedAlert(alert)
            #expect(rendered.headline == headline)
            #expect(rendered.notes.map(\.title) == ["Was:"])
            #expect(rendered.notes[0].text.hasPrefix("Links open the website, not the app. "))
            let data = try #require(try object(WebhookFormat().body(alert, plain: false))["data"] as? [String: Any])
            #expect(data["effect"] as? String == alert.text.effect)
            let told = try #require(data["incident"] as? [String: Any])
            #expect(told["effect"] as? String == "Links open the website, not the app.")
        }

        @Test("a remaining fault is mentioned once, and the message is not green")
        func removed() throws {
            var one = try alert(.resolved)
            one.incident.reason = .removed
            let diagnosis = Diagnosis(effect: Effect(.openWebsite(at: nil)), cause: .crawler(.refused(status: 403)))
            let alert = Alert(
                reason: .resolved, at: noon, incident: one.incident,
                facts: IncidentFacts(diagnosis: diagnosis, isStillFailing: true),
                was: IncidentFacts(diagnosis: diagnosis), labels: [:], links: one.links, instance: "m")
            let rendered = RenderedAlert(alert)
            #expect(rendered.summary.contains("Still wrong: Links open the website, not the app."))
            #expect(rendered.notes.isEmpty)
            #expect(alert.tone(over: 0, error: 1, warning: 2, note: 3) == 2)
            #expect(one.tone(over: 0, error: 1, warning: 2, note: 3) == 0)
        }

        @Test("an ended incident does not repeat that links worked")
        func worked() throws {
            let one = try alert(.resolved)
            func was(_ links: Effect.Links) -> String? {
                Alert(
                    reason: .resolved, at: noon, incident: one.incident,
                    facts: IncidentFacts(diagnosis: Diagnosis(effect: Effect(.work(seen: nil)), cause: .copy(.inSync))),
                    was: IncidentFacts(
                        diagnosis: Diagnosis(effect: Effect(links), cause: .crawler(.refused(status: 403)))),
                    labels: [:], links: one.links, instance: "m"
                ).past
            }
            let cause = try #require(was(.work(seen: nil)))
            #expect(!cause.contains("Links work") && !cause.isEmpty)
            #expect(was(.openWebsite(at: nil)) == "Links open the website, not the app. \(cause)")
        }

        @Test("an unseen start is shown as a period, along with the time when it was first seen")
        func roughStart() throws {
            let one = try alert()
            let alert = Alert(
                reason: .firing, at: noon, incident: one.incident,
                facts: IncidentFacts(diagnosis: .saying("the CDN lags"), beganAfter: noon - 10 * 86_400),
                labels: [:], links: one.links, instance: "m")
            let since = RenderedAlert(alert).since
            #expect(since.hasPrefix("seen since 2026-11-20 06:00 UTC, began between "))
            #expect(since.hasSuffix(", while not monitored · error · cdn.stale"))
        }

        @Test("a note with a URL is a link; a long note is a paragraph that can be cut")
        func note() throws {
            var alert = try alert()
            alert.note = "Runbook: https://wiki.test/cdn"
            #expect(RenderedAlert(alert).links.map(\.title).contains("Runbook"))
            alert.note = "Runbook: https://wiki.test/" + String(repeating: "x", count: 300)
            #expect(!RenderedAlert(alert).links.map(\.title).contains("Runbook"))
            #expect(RenderedAlert(alert).notes.last?.title == "Note:")
        }

        @Test("every kind has texts for its trouble and for each of its ends", arguments: IncidentKind.allCases)
        func kinds(kind: IncidentKind) throws {
            var alert = try alert(findings: [finding()])
            alert.incident.kind = kind
            #expect(!alert.trouble.isEmpty)
            let reasons: [Incident.Resolution?] = [
                nil, .recovered, .cdnCaughtUp, .cdnRefreshed, .originReverted, .superseded, .removed,
            ]
            for reason in reasons {
                alert.incident.reason = reason
                #expect(!alert.end.isEmpty)
            }
        }

        @Test(
            "the end of a global incident counts no domains, and says that others may still fail",
            arguments: [true, false])
        func global(isOfCDN: Bool) throws {
            let kind: IncidentKind = isOfCDN ? .cdnWide : .monitorDegraded
            var alert = try globalAlert(kind, .resolved, AffectedDomains([Domain("a.test")], of: 7))
            #expect(
                RenderedAlert(alert).summary
                    == "It works again, after 5 min. Any domain that still fails gets its own alert.")
            alert.incident.subject = .global(.schedule)
            #expect(RenderedAlert(alert).summary == "It works again, after 5 min.")
        }

        @Test(
            "a duration is never negative and has at most two units",
            arguments: [
                (-5.0, "0 s"), (59, "59 s"), (60, "1 min"), (3660, "1 h 1 min"), (90_000, "25 h"), (273_600, "3 d 4 h"),
            ])
        func spans(seconds: Double, text: String) { #expect(Span.words(seconds) == text) }

        @Test("an acknowledgement is shown with its reason")
        func acknowledgement() throws {
            var alert = try alert(.changed)
            alert.acknowledgement = Acknowledgement(by: "eva", reason: "called the hoster", at: noon)
            #expect(RenderedAlert(alert).notes.first?.text == "by eva, called the hoster")
            alert.acknowledgement = Acknowledgement(by: "eva", reason: "", at: noon)
            #expect(RenderedAlert(alert).notes.first?.text == "by eva")
            #expect(!RenderedAlert(alert).notes.map(\.title).contains("To acknowledge:"))
            #expect(RenderedAlert(alert, isBrief: true).notes.isEmpty)
        }

        @Test(
            "a channel's filters decide by kind and severity",
            arguments: [
                ([], .warning, Severity.warning, true), ([], .warning, .note, false),
                (["cdn.*"], .warning, .error, true),
                (["cdn.stale"], .warning, .error, true), (["origin.*", "cdn.missing"], .warning, .error, false),
                (["*"], .warning, .warning, true), ([], .note, .note, true), ([], .error, .warning, false),
            ] as [([String], Severity, Severity, Bool)])
        func filters(kinds: [String], least: Severity, severity: Severity, isAccepted: Bool) {
            let channel = Channel(
                name: "hook", kind: .webhook, url: "https://hook.test/", minimumSeverity: least, kinds: kinds)
            #expect(channel.accepts(kind: .cdnStale, severity: severity) == isAccepted)
        }
    }
}
