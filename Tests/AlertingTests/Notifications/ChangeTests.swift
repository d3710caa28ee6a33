import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    /// Changes go through the same decisions as incidents, but only to channels that ask for them.
    @Suite("Changes") struct ChangeTests {
        private func change(_ reason: Incident.Resolution? = nil) throws -> IncidentRecord {
            let incident = Incident(
                id: "c", subject: .domain(try Domain("a.test")), kind: .change, severity: .note,
                state: reason == nil ? .firing : .resolved, since: noon - 11_520, openedAt: noon - 11_520,
                firedAt: noon - 11_520, resolvedAt: reason == nil ? nil : noon, reason: reason, version: 1)
            return IncidentRecord(incident: incident, change: 1, checkedAt: noon)
        }

        private func known(_ state: NotificationRecord.State) -> NotificationRecord {
            var known = NotificationRecord(incidentID: "c")
            known.state = state
            known.version = 1
            return known
        }

        @Test(
            "an arrival is sent; a superseded version ends without a message",
            arguments: [
                (.cdnCaughtUp, .send(.resolved)), (.superseded, .nothing), (.removed, .nothing),
            ] as [(Incident.Resolution, Decision)]) func end(reason: Incident.Resolution, expected: Decision) throws
        { #expect(decide(try change(reason), known(.firing), Route(), nil, now: noon) == expected) }

        @Test("only channels that ask for changes get them, without reminders and escalation")
        func route() throws {
            func channel(_ notifies: Set<Notified>) throws -> Channel {
                Channel(
                    name: "hook", kind: .webhook, url: "https://hook.test", minimumSeverity: .error,
                    kinds: ["origin.*"], notifies: notifies)
            }
            func route(_ notifies: Set<Notified>, _ incident: Incident) throws -> Route {
                let channel = try channel(notifies)
                return Routing(
                    channels: [channel], domains: [WatchedDomain(domain: try Domain("a.test"))],
                    cdnBaseURL: "https://cdn.test", instance: "monitor-1"
                ).route(of: incident, to: channel)
            }
            let change = try change().incident
            #expect(try route([.incidents], change).timing == .none)
            let both = try route([.incidents, .changes], change)
            #expect(both.timing == .atOnce)
            #expect(both.reminders == ReminderSchedule(every: nil))
            var broken = change
            broken.kind = .originBroken
            broken.severity = .error
            #expect(try route([.incidents, .changes], broken).timing == .atOnce)
            #expect(try route([.changes], broken).timing == .none)
        }

        @Test("the text is about a version, not about a failure") func words() throws {
            func alert(_ reason: NotificationReason, _ record: IncidentRecord) -> Alert {
                Alert(
                    reason: reason, at: noon, incident: record.incident,
                    facts: IncidentFacts(
                        diagnosis: .remark(.testMessage), trouble: "version 0123abcd is live at the origin",
                        resolvedText: "every edge serves version 0123abcd"), labels: [:],
                    links: Alert.Links(statusPage: nil),
                    instance: "monitor-1")
            }
            let detected = alert(.firing, try change())
            #expect(detected.typeName == "change.detected")
            #expect(detected.summary == "a.test: version 0123abcd is live at the origin")
            #expect(
                RenderedAlert(detected).headline == "a.test: version 0123abcd is live at the origin")
            let arrived = alert(.resolved, try change(.cdnCaughtUp))
            #expect(arrived.typeName == "change.propagated")
            #expect(arrived.summary == "a.test: every edge serves version 0123abcd (after 3 h 12 min)")
            #expect(
                RenderedAlert(arrived).headline == "a.test: every edge serves version 0123abcd")
            #expect(RenderedAlert(arrived).summary == "Every edge serves version 0123abcd, after 3 h 12 min.")
        }
    }
}
