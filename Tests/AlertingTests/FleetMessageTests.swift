import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Messages about the fleet")
    struct FleetMessageTests {
        private func facts(
            _ kind: IncidentKind, _ type: EventType = .firing, domains count: Int = 12
        ) throws -> AlertFacts {
            let domains = try (0..<count).map { try Domain("d\($0).example.com") }
            let isOver = type == .resolved
            let incident = Incident(
                id: "f1f1f1f1f1f1", domain: nil, kind: kind, severity: .error, state: isOver ? .resolved : .firing,
                since: noon - 300, openedAt: noon - 300, firedAt: noon, resolvedAt: isOver ? noon : nil,
                reason: isOver ? .recovered : nil, sequence: 1)
            let event = Event(
                type: type, at: noon, incident: incident, summary: "many: trouble", diagnosis: "what is the matter",
                comparison: Comparison(state: .notCompared),
                findings: isOver ? [] : [finding("f", fix: "look at the network")],
                affected: AffectedDomains(domains, of: 40))
            return AlertFacts(
                event: event, labels: [:], links: .init(statusPage: "http://127.0.0.1:9630/", cdn: nil, origin: nil))
        }

        @Test(
            "every channel says it without a domain", arguments: Service.allCases,
            [IncidentKind.cdnWide, .monitorDegraded])
        func everyChannel(_ service: Service, _ kind: IncidentKind) throws {
            for type in [EventType.firing, .reminder, .update, .resolved] {
                for minimal in [false, true] {
                    let channel = try service.channel()
                    let body = try channel.format.body(try facts(kind, type), minimal: minimal)
                    let text = String(decoding: body, as: UTF8.self)
                    #expect(!text.contains("Optional("), "\(text)")
                    #expect(!text.contains("example.com/.well-known"), "\(text)")
                    #expect(body.count > 10)
                }
            }
        }

        @Test("people read how many domains it is about, and the first of them")
        func people() throws {
            let text = TextLayout(form: PlainMarkup(unit: .utf16), limit: 4000).text(Story(try facts(.cdnWide)))
            #expect(text.hasPrefix("FIRING · error · 12 of 40 domains · cdn.wide · for 5 min"))
            #expect(text.contains("d0.example.com") && text.contains("… and 2 more"))
            let own = TextLayout(form: PlainMarkup(unit: .utf16), limit: 4000).text(
                Story(try facts(.monitorDegraded)))
            #expect(own.hasPrefix("FIRING · error · aasa-monitor · monitor.degraded · for 5 min"))
        }

        @Test("a webhook has domains in place of a domain, none where the monitor itself is meant")
        func webhook() throws {
            func data(_ kind: IncidentKind) throws -> [String: Any] {
                let body = try WebhookFormat().body(try facts(kind), minimal: false)
                return try #require(try object(body)["data"] as? [String: Any])
            }
            let wide = try data(.cdnWide)
            #expect(wide["domain"] == nil && (wide["domains"] as? [String])?.count == 12)
            #expect(wide["domain_count"] as? Int == 12)
            let links = try #require(wide["links"] as? [String: Any])
            #expect(links["cdn"] is NSNull && links["origin"] is NSNull)
            #expect((try data(.monitorDegraded)["domains"] as? [String])?.isEmpty == true)
        }

        @Test("names of thousands of domains do not swell a message")
        func bounded() throws {
            let facts = try facts(.cdnWide, domains: 5000)
            #expect(facts.event.affected?.count == 5000)
            #expect(try WebhookFormat().body(facts, minimal: false).count < WebhookFormat.maximumBytes)
        }

        @Test("Alertmanager tells two incidents of the monitor apart, without an empty label")
        func alertmanager() throws {
            let incident = try facts(.monitorDegraded).incident
            let alert = AlertmanagerAlert(
                incident, labels: [:], summary: "s", description: "d",
                links: .init(statusPage: nil, cdn: nil, origin: nil), endsAt: noon)
            #expect(
                alert.labels == [
                    "alertname": "aasa_monitor_incident", "kind": "monitor.degraded", "incident": incident.id,
                ])
            #expect(alert.annotations["cdn"] == nil)
        }

        @Test("trouble of a channel is told by the others, or by the fallback")
        func routing() throws {
            let three = try ["a", "b", "c"].map { try channel($0) }
            func names(_ cause: FleetCause, _ fleet: Routes.FleetRouting = .init()) throws -> [String] {
                let routes = Routes(channels: three, cdnBaseURL: "https://cdn.test", fleet: fleet)
                return try routes.fleetDrafts(for: try facts(.monitorDegraded).event, of: cause).map(\.channel)
            }
            #expect(try names(.channel("b")) == ["a", "c"])
            #expect(try names(.channel("b"), .init(fallback: "c")) == ["c"])
            #expect(try names(.channel("c"), .init(fallback: "c")) == ["a", "b"])
            #expect(try names(.store) == ["a", "b", "c"])
            #expect(try names(.store, .init(fallback: "c")) == ["c"])
            #expect(try names(.network, .init(watching: ["a"], fallback: "c")) == ["a"])
            #expect(try names(.cdn) == ["a", "b", "c"])
        }
    }
}
