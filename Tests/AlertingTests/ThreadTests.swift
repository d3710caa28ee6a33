// How the delivery uses the references that services return: threads, and groups that moved.

import Evidence
import Facts
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Threads")
    struct ThreadTests {
        private func world(
            _ service: Service, _ script: [ScriptedTransport.Reply]
        ) throws -> World {
            let channel = try service.channel("ops", url: "https://ops.test/api/SECRETPATH")
            return try World(script: ["ops": script], World.routing([channel]))
        }

        @Test("Slack: the end goes into the first message's thread; an update is also shown in the channel")
        func slack() async throws {
            let world = try world(
                .slackBot, (1...3).map { .status(200, #"{"ok":true,"channel":"C9","ts":"17.\#($0)"}"#) })
            for transition in [IncidentChange.Transition.firing, .worse, .resolved] {
                try await world.commit(transition)
                try await world.pass(60)
            }
            let paths = world.transport.sent.map { URLComponents(string: $0.request.url)?.path }
            try #require(paths == Array(repeating: "/api/SECRETPATH/chat.postMessage", count: 3))
            let bodies = try world.transport.sent.map { try object($0.request.body) }
            #expect(bodies[0]["thread_ts"] == nil && bodies[0]["channel"] as? String == "C0123456789")
            #expect(bodies[1]["thread_ts"] as? String == "17.1" && bodies[1]["reply_broadcast"] as? Bool == true)
            #expect(bodies[2]["thread_ts"] as? String == "17.1" && bodies[2]["reply_broadcast"] as? Bool == false)
            #expect((bodies[2]["text"] as? String)?.contains("example.com, resolved: ") == true)
        }

        @Test("Telegram: a group that became a supergroup gets the message, without a failure")
        func migration() async throws {
            let moved =
                #"{"ok":false,"description":"Bad Request: upgraded","parameters":{"migrate_to_chat_id":-100777}}"#
            let sent = #"{"ok":true,"result":{"message_id":5}}"#
            let world = try world(
                .telegram, [.status(400, moved), .status(200, sent), .status(200, sent)])
            for transition in [IncidentChange.Transition.firing, .resolved] {
                try await world.commit(transition)
                try await world.pass(60)
            }
            let bodies = try world.transport.sent.map { try object($0.request.body) }
            try #require(bodies.map { $0["chat_id"] as? String } == ["-1001234567890", "-100777", "-100777"])
            #expect((bodies[2]["reply_parameters"] as? [String: Any])?["message_id"] as? Int == 5)
            #expect(world.log.text.filter { $0.contains("-100777") }.count == 1)
            #expect(world.delivery.counts().map(\.outcome) == ["delivered"])
            // The destination is the same, so nothing is sent again.
            try await world.restart()
            try await world.pass(60)
            #expect(world.transport.sent.count == 3)
        }

        @Test("a pager gets the worsening and the end under one key, and no reminder")
        func pager() async throws {
            let world = try world(.pagerduty, [])
            try await world.commit(.firing, severity: .warning)
            try await world.pass(100_000)
            try await world.commit(.worse, severity: .error)
            try await world.pass(60)
            try await world.commit(.resolved)
            try await world.pass(60)
            let sent = try world.transport.sent.map { try object($0.request.body) }
            try #require(sent.map { $0["event_action"] as? String } == ["trigger", "trigger", "resolve"])
            #expect(Set(sent.map { $0["dedup_key"] as? String }).count == 1)
            #expect(sent[0]["routing_key"] as? String == "SECRETSECRETSECRETSECRETSECRET00")
        }

        @Test("Opsgenie creates, acknowledges and closes one alert by its alias, under the path of the channel's URL")
        func opsgenie() throws {
            let channel = try Service.opsgenie.channel(url: "https://api.atlassian.com/jsm/ops/integration/")
            func request(_ reason: NotificationReason) throws -> (url: String, root: [String: Any]) {
                var alert = try AlertingTests.alert(reason)
                alert.acknowledgement = Acknowledgement(by: "eva", reason: "on it", at: noon)
                let request = try channel.format.request(
                    body: channel.format.body(alert, plain: false), messageKey: "k", timestamp: noon, userAgent: "u",
                    channel: channel)
                #expect(request.headers.contains(HeaderField(name: "authorization", value: "GenieKey tk_SECRET")))
                return (request.url, try object(request.body))
            }
            let home = "https://api.atlassian.com/jsm/ops/integration/v2/alerts"
            let (created, alert) = try request(.firing)
            let alias = try #require(alert["alias"] as? String)
            #expect(try created == home && alias == MessageIdentity.pagerKey(of: AlertingTests.alert().incident))
            #expect(try request(.worse).url == home && request(.worse).root["alias"] as? String == alias)
            let (acknowledged, note) = try request(.acknowledged)
            #expect(acknowledged == "\(home)/\(alias)/acknowledge?identifierType=alias")
            #expect(note["user"] as? String == "eva" && note["note"] as? String == "on it")
            let (closed, end) = try request(.resolved)
            #expect(closed == "\(home)/\(alias)/close?identifierType=alias")
            #expect(Set(end.keys) == ["source", "note"])
        }
    }
}
