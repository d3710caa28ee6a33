import Evidence
import Facts
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Webhook")
    struct WebhookTests {
        @Test("the signature matches the example of Standard Webhooks and openssl's output")
        func signature() throws {
            let key = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
            let header = WebhookSignature.header(
                id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: Data(#"{"test": 2432232314}"#.utf8),
                keys: [key])
            #expect(header == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        }

        @Test("two keys give two signatures, in order")
        func rotation() {
            let keys = [Data("one".utf8), Data("two".utf8)]
            func header(_ keys: [Data]) -> String {
                WebhookSignature.header(id: "a", timestamp: 1, body: Data(), keys: keys)
            }
            #expect(header(keys) == keys.map { header([$0]) }.joined(separator: " "))
            #expect(header(keys).split(separator: " ").allSatisfy { $0.hasPrefix("v1,") })
        }

        @Test("every documented key is present, null if there is no value")
        func keys() throws {
            let change = AssociationChange(kind: .added, summary: "applinks: app added", pointer: "/applinks")
            let data = try WebhookFormat().body(
                alert(changes: [change], findings: [finding(evidence: ["age": "5"])]), plain: false)
            let root = try object(data)
            #expect(root["type"] as? String == "incident.firing")
            #expect(root["timestamp"] as? String == "2026-11-21T07:00:00Z")
            let body = try #require(root["data"] as? [String: Any])
            #expect(
                body.keys.sorted() == [
                    "action", "cause", "comparison", "diagnosis", "diagnosis_id", "domain", "effect", "findings",
                    "incident", "instance", "kind", "labels", "links", "note", "outlook", "schema", "severity",
                    "summary",
                ])
            #expect(body["schema"] as? String == "aasa-monitor/alert/v1")
            #expect(body["kind"] as? String == "cdn.stale")
            #expect(body["diagnosis_id"] as? String == "own-fault" && body["outlook"] is NSNull)
            let parts = ["effect", "cause", "action"].compactMap { body[$0] as? String }
            #expect(parts.count == 3 && body["diagnosis"] as? String == parts.joined(separator: " "))
            #expect(body["severity"] as? String == "error")
            #expect(body["labels"] as? [String: String] == ["team": "growth"])
            let incident = try #require(body["incident"] as? [String: Any])
            #expect(incident["state"] as? String == "firing")
            #expect(incident["opened_at"] as? String == "2026-11-20T07:00:00Z")
            #expect(incident["resolved_at"] is NSNull)
            #expect(incident["reason"] is NSNull)
            let comparison = try #require(body["comparison"] as? [String: Any])
            #expect(comparison["lag_seconds"] as? Int == 90_000)
            #expect((comparison["changes"] as? [[String: Any]])?.first?["summary"] as? String == "applinks: app added")
            let found = try #require((body["findings"] as? [[String: Any]])?.first)
            #expect(found.keys.sorted() == ["evidence", "fix", "message", "reference", "rule", "severity"])
            let links = try #require(body["links"] as? [String: Any])
            #expect(links["incident"] is NSNull && links["status_page"] is NSNull)
            #expect(links["cdn"] as? String == "https://cdn.test/a/v1/example.com")
        }

        @Test("a resolve has its reason and its end")
        func resolved() throws {
            let data = try WebhookFormat().body(alert(.resolved), plain: false)
            let root = try object(data)
            let incident = try #require((root["data"] as? [String: Any])?["incident"] as? [String: Any])
            #expect(root["type"] as? String == "incident.resolved")
            #expect(incident["state"] as? String == "resolved")
            #expect(incident["reason"] as? String == "cdn_caught_up")
            #expect(incident["resolved_at"] as? String == "2026-11-21T07:00:00Z")
        }

        @Test("the body stays under 20 kB: evidence is cut first, the summary never")
        func size() throws {
            let wide = String(repeating: "語", count: 3000)
            let evidence = try WebhookFormat().body(
                alert(findings: [finding("kept", evidence: ["a": wide, "b": wide, "c": wide, "d": wide])]), plain: false
            )
            #expect(evidence.count < WebhookFormat.maximumBytes)
            #expect(String(decoding: evidence, as: UTF8.self).contains("kept"))

            let change = AssociationChange(kind: .added, summary: wide, pointer: wide)
            let all = try WebhookFormat().body(
                alert(
                    changes: Array(repeating: change, count: 300),
                    findings: Array(repeating: finding(wide, evidence: ["a": wide], fix: wide), count: 300),
                    diagnosis: wide), plain: false)
            #expect(all.count < WebhookFormat.maximumBytes)
            let body = try #require(try object(all)["data"] as? [String: Any])
            #expect(body["summary"] as? String == "example.com: Apple's CDN still serves the old file (for 25 h)")
        }

        @Test("the headers name the message, the attempt and, if there is a key, the signature")
        func headers() throws {
            let signed = WebhookFormat().headers(
                messageKey: "k", timestamp: noon + 0.9, body: Data("{}".utf8),
                channel: try channel(keys: [Data("key".utf8)]))
            try #require(
                signed.map(\.name) == ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"])
            #expect(signed[2].value == "1795244400")
            let unsigned = WebhookFormat().headers(
                messageKey: "k", timestamp: noon, body: Data(), channel: try channel())
            #expect(unsigned.map(\.name) == ["content-type", "webhook-id", "webhook-timestamp"])
        }
    }
}
