import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Global messages")
    struct GlobalMessageTests {
        private func alert(
            _ kind: IncidentKind, _ reason: NotificationReason = .firing, domains count: Int = 12
        ) throws -> Alert {
            let domains = try (0..<count).map { try Domain("d\($0).example.com") }
            let isOver = reason.type == .resolved
            return try globalAlert(
                kind, reason, AffectedDomains(domains, of: 40),
                findings: isOver ? [] : [finding("f", fix: "look at the network")])
        }

        @Test(
            "every channel can send an alert without a domain", arguments: Service.allCases,
            [IncidentKind.cdnWide, .monitorDegraded])
        func everyChannel(_ service: Service, _ kind: IncidentKind) throws {
            for reason in NotificationReason.allCases {
                for plain in [false, true] {
                    let channel = try service.channel()
                    let body = try channel.format.body(try alert(kind, reason), plain: plain)
                    let text = String(decoding: body, as: UTF8.self)
                    #expect(!text.contains("Optional("), "\(text)")
                    #expect(!text.contains("example.com/.well-known"), "\(text)")
                    #expect(body.count > 10)
                }
            }
        }

        @Test("the text counts the domains and lists the first of them")
        func people() throws {
            let text = try RenderedAlert(alert(.cdnWide)).plainText
            #expect(text.hasPrefix("12 of 40 domains: ") && text.contains(", for 5 min · error · cdn.wide"))
            #expect(text.contains("d0.example.com") && text.contains("… and 2 more"))
            let own = try RenderedAlert(alert(.monitorDegraded)).plainText
            #expect(own.hasPrefix("aasa-monitor: ") && own.contains(", for 5 min · error · monitor.degraded"))
        }

        @Test("a webhook has `domains` instead of `domain`, and an empty list for the monitor itself")
        func webhook() throws {
            func data(_ kind: IncidentKind) throws -> [String: Any] {
                let body = try WebhookFormat().body(try alert(kind), plain: false)
                return try #require(try object(body)["data"] as? [String: Any])
            }
            let wide = try data(.cdnWide)
            #expect(wide["domain"] == nil && (wide["domains"] as? [String])?.count == 12)
            #expect(wide["domain_count"] as? Int == 12)
            let links = try #require(wide["links"] as? [String: Any])
            #expect(links["cdn"] is NSNull && links["origin"] is NSNull)
            #expect((try data(.monitorDegraded)["domains"] as? [String])?.isEmpty == true)
        }

        @Test("thousands of domain names do not exceed the size limit")
        func bounded() throws {
            let alert = try alert(.cdnWide, domains: 5000)
            #expect(alert.facts.affected?.count == 5000)
            #expect(try WebhookFormat().body(alert, plain: false).count < WebhookFormat.maximumBytes)
        }

        @Test("two incidents of the monitor are two alerts in Alertmanager, without empty labels")
        func alertmanager() throws {
            let incident = try alert(.monitorDegraded).incident
            let alert = AlertmanagerAlert(
                incident: incident, labels: [:], summary: "s", description: "d",
                links: .init(statusPage: nil), note: nil, instance: "monitor-1", endsAt: noon)
            #expect(
                alert.labels == [
                    "alertname": "aasa_monitor_incident", "kind": "monitor.degraded", "cause": "network",
                    "instance": "monitor-1",
                ])
            #expect(alert.annotations["cdn"] == nil)
        }
    }
}
