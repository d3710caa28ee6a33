import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Words of messages")
    struct WordsTests {
        @Test(
            "each reason has its headline and its summary",
            arguments: [
                (NotificationReason.firing, "FIRING · error", ""), (.escalated, "ESCALATED · error", ""),
                (.again, "FIRING AGAIN · error", "again: "), (.worse, "WORSE · error", "worse: "),
                (.changed, "CHANGED · error", "changed: "), (.reminder, "STILL FIRING · error", "still: "),
                (.flapping, "FLAPPING, NOTIFICATIONS PAUSED · error", "flapping, notifications paused: "),
                (.acknowledged, "ACKNOWLEDGED · error", "acknowledged: "),
            ])
        func going(reason: NotificationReason, state: String, prefix: String) throws {
            let alert = try alert(reason)
            #expect(RenderedAlert(alert).headline == "\(state) · example.com · cdn.stale · for 25 h")
            #expect(alert.summary == "example.com: \(prefix)Apple's CDN still serves the old file (for 25 h)")
        }

        @Test(
            "an end says how long it took, or from when to when",
            arguments: [
                (NotificationReason.resolved, "RESOLVED · example.com · cdn.stale · after 25 h"),
                (
                    .wasFiring,
                    "WAS FIRING · example.com · cdn.stale · from 2026-11-20 06:00 UTC to 2026-11-21 07:00 UTC"
                ),
            ])
        func over(reason: NotificationReason, headline: String) throws {
            var alert = try alert(reason, findings: [finding()])
            // Sent a day later.
            alert.at += 86_400
            let rendered = RenderedAlert(alert)
            #expect(rendered.headline == headline)
            #expect(rendered.summary == "Apple's CDN serves the origin's file now, after 25 h")
            #expect(alert.summary == "example.com: Apple's CDN serves the origin's file now (after 25 h)")
            #expect(rendered.notes.isEmpty)
        }

        @Test("every kind has words for its trouble and each of its ends", arguments: IncidentKind.allCases)
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
            "the end of an incident of the fleet counts no domains, and says what it leaves open",
            arguments: [true, false])
        func fleet(isOfCDN: Bool) throws {
            let kind: IncidentKind = isOfCDN ? .cdnWide : .monitorDegraded
            var alert = try fleetAlert(kind, .resolved, AffectedDomains([Domain("a.test")], of: 7))
            #expect(
                RenderedAlert(alert).summary
                    == "it works again, after 5 min. Any domain that still fails gets an alert of its own.")
            alert.incident.subject = .fleet(.schedule)
            #expect(RenderedAlert(alert).summary == "it works again, after 5 min")
        }

        @Test("an acknowledgement is shown with its reason")
        func acknowledgement() throws {
            var alert = try alert(.changed)
            alert.acknowledgement = Acknowledgement(by: "eva", reason: "called the hoster", at: noon)
            #expect(RenderedAlert(alert).notes.first?.text == "by eva, called the hoster")
            alert.acknowledgement = Acknowledgement(by: "eva", reason: "", at: noon)
            #expect(RenderedAlert(alert).notes.first?.text == "by eva")
            #expect(RenderedAlert(alert, isBrief: true).notes.isEmpty)
        }

        @Test(
            "a channel's filters decide by kind and severity",
            arguments: [
                ([], Severity.warning, true), ([], .note, false), (["cdn.*"], .error, true),
                (["cdn.stale"], .error, true), (["origin.*", "cdn.missing"], .error, false), (["*"], .warning, true),
            ] as [([String], Severity, Bool)])
        func filters(kinds: [String], severity: Severity, isAccepted: Bool) throws {
            let channel = try Channel(name: "hook", kind: .webhook, url: "https://hook.test/", kinds: kinds)
            #expect(channel.accepts(kind: .cdnStale, severity: severity) == isAccepted)
        }

        @Test("a lower or higher minimum severity is a channel's own, and a pattern that matches nothing is refused")
        func settings() throws {
            let low = try Channel(name: "a", kind: .webhook, url: "https://a.test/", minimumSeverity: .note)
            let high = try Channel(name: "b", kind: .webhook, url: "https://b.test/", minimumSeverity: .error)
            #expect(low.accepts(kind: .cdnStale, severity: .note))
            #expect(!high.accepts(kind: .cdnStale, severity: .warning))
            #expect(throws: ChannelFault.self) {
                try Channel(name: "c", kind: .webhook, url: "https://c.test/", kinds: ["cnd.*"])
            }
        }
    }
}
