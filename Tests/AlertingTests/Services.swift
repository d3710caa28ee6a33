// One channel of each kind, with planted secrets, and its requests as the receiver gets them.

import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

enum Service: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case slack
    case slackBot = "slack-bot"
    case discord, teams
    case googleChat = "google-chat"
    case mattermost, telegram, line, chatwork, pagerduty, alertmanager, ntfy, gotify, pushover, matrix, opsgenie

    var testDescription: String { rawValue }

    /// `url`: replaces the service's own URL.
    func channel(_ name: String = "ops", url: String? = nil) throws -> Channel {
        let kind = try #require(ChannelKind(rawValue: self == .slackBot ? "slack" : rawValue))
        return Channel(
            name: name, kind: kind, url: url ?? self.url, token: token, destination: destination, thread: thread)
    }

    private var url: String? {
        switch self {
        case .slack: "https://hooks.slack.test/services/T0SECRET/B0SECRET"
        case .discord: "https://discord.test/api/webhooks/1234567/W0SECRET"
        case .teams: "https://env.test:443/workflows/F0SECRET/invoke/?api-version=1&sp=%2Ftriggers&sig=S0SECRET%2F_"
        case .googleChat: "https://chat.test/v1/spaces/AAAA/messages?key=K0SECRET&token=T0SECRET%3D"
        case .mattermost: "https://chat.test/hooks/H0SECRET"
        case .alertmanager: "https://alertmanager.test"
        case .gotify: "https://gotify.test/base"
        case .matrix: "https://matrix.test"
        default: nil
        }
    }

    private var token: String? {
        switch self {
        case .slackBot: "xoxb-SECRET"
        case .telegram: "123456:SECRETABCDEF"
        case .line, .chatwork, .ntfy, .alertmanager, .gotify, .matrix, .opsgenie: "tk_SECRET"
        case .pushover: "aSECRETSECRETSECRETSECRETSECRE"
        case .pagerduty: "SECRETSECRETSECRETSECRETSECRET00"
        default: nil
        }
    }

    private var destination: String? {
        switch self {
        case .slackBot: "C0123456789"
        case .telegram: "-1001234567890"
        case .line: "U00000000000000000000000000000000"
        case .chatwork: "424242"
        case .ntfy: "topic_SECRET"
        case .pushover: "uSECRETSECRETSECRETSECRETSECRE"
        case .matrix: "!room/1:example.org"
        default: nil
        }
    }

    private var thread: String? {
        switch self {
        case .discord, .telegram: "77"
        default: nil
        }
    }

    /// A successful response.
    var yes: (status: Int, body: String) {
        switch self {
        case .slack, .mattermost: (200, "ok")
        case .slackBot: (200, #"{"ok":true,"channel":"C1","ts":"1.2"}"#)
        case .discord: (200, #"{"id":"9001"}"#)
        case .teams: (202, "")
        case .googleChat: (200, #"{"name":"spaces/AAAA/messages/B"}"#)
        case .telegram: (200, #"{"ok":true,"result":{"message_id":9001}}"#)
        case .line: (200, #"{"sentMessages":[{"id":"9001"}]}"#)
        case .chatwork: (200, #"{"message_id":"9001"}"#)
        case .pagerduty: (202, #"{"status":"success","dedup_key":"k"}"#)
        case .alertmanager: (200, "")
        case .ntfy: (200, #"{"id":"9001"}"#)
        case .gotify: (200, #"{"id":9001,"appid":5}"#)
        case .pushover: (200, #"{"status":1,"request":"e7"}"#)
        case .matrix: (200, #"{"event_id":"$9001"}"#)
        case .opsgenie: (202, #"{"result":"Request will be processed","requestId":"r"}"#)
        }
    }

    /// The service's reference of the first message, if later messages can reply to it.
    var reference: String? {
        switch self {
        case .slackBot: "1700000000.000100"
        case .telegram: "9001"
        case .matrix: "$9001"
        default: nil
        }
    }

    /// The parts of the body that people read, before the service interprets its own markup.
    func texts(_ body: Data) throws -> [String] {
        if self == .chatwork {
            let form = String(decoding: body, as: UTF8.self).split(separator: "&").first ?? ""
            return [String(form.dropFirst("body=".count)).removingPercentEncoding ?? ""]
        }
        return Self.strings(try JSONSerialization.jsonObject(with: body))
    }

    private static func strings(_ value: Any) -> [String] {
        switch value {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(strings)
        case let object as [String: Any]: object.sorted { $0.key < $1.key }.flatMap { strings($0.value) }
        default: []
        }
    }
}

/// The messages in the snapshots.
enum Occasion: String, CaseIterable, Sendable {
    case firing, reminder, resolved, digest, test

    func alert() throws -> Alert {
        switch self {
        case .firing, .reminder: try one(self == .firing ? .firing : .reminder)
        case .resolved: try one(.resolved)
        case .digest:
            try #require(Alert(digestOf: ["example.com", "www.example.com"].map { try one(.firing, $0) }, key: "k"))
        case .test:
            Alert.test(domain: try Domain("example.com"), links: links("example.com"), instance: "monitor-1", now: noon)
        }
    }

    private func one(_ reason: NotificationReason, _ domain: String = "example.com") throws -> Alert {
        let change = AssociationChange(
            kind: .added, summary: "applinks: app ABCDE12345.com.example.app", pointer: "/applinks")
        let isOver = reason.type == .resolved
        var alert = try AlertingTests.alert(
            reason, domain: domain, changes: isOver ? [] : [change],
            findings: isOver ? [] : [finding(fix: "wait, or ask Apple")])
        alert.links = links(domain)
        if !isOver {
            alert.links.acknowledge = "https://status.test/incidents/a1?link=1795849200~slack~ops~00ff#acknowledge"
        }
        if reason == .firing { alert.note = "Runbook: https://wiki.test/cdn.stale?a=1&b=<2>" }
        return alert
    }

    private func links(_ domain: String) -> Alert.Links {
        Alert.Links(
            statusPage: "https://status.test/domains/\(domain)", incident: "https://status.test/incidents/a1",
            incidents: "https://status.test/incidents",
            cdn: "https://cdn.test/a/v1/\(domain)",
            origin: "https://\(domain)/.well-known/apple-app-site-association")
    }
}
