import Alerting
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct AlertRoutesTests {
        private func routes(_ domain: String, _ alerts: String, _ more: String = "") throws -> AlertRoutes? {
            let text = """
                version: 1
                domains:
                  - a.test
                  - {domain: own.test, channels: [mail]}
                  - {domain: nobody.test, channels: []}
                  - {domain: dev.test, mode: developer}
                alerts:
                  remind_every: 6h
                  group_wait: 10s
                  escalation: [{after: 1h, channels: [pager]}]
                  fallback: mail
                \(alerts)
                \(more)
                """
            let (file, _) = try ConfigurationLoader.parse(text, file: "monitor.yaml", environment: [:]) { _ in "" }
            return AlertRoutes(of: try Domain(domain), file)
        }

        private static let channels = """
              channels:
                - {name: ops, type: slack, url: "https://hooks.test/ops", notify: [incidents, changes]}
                - {name: mail, type: webhook, url: "https://hooks.test/mail", severity: error, kinds: ["cdn.*", "monitor.*"]}
                - {name: pager, type: pagerduty, routing_key: "\(String(repeating: "a", count: 32))"}
            """

        private func words(_ rules: [AlertRoutes.Rule]) -> [String] {
            rules.map { rule in
                let channels = rule.notifications.map {
                    "\($0.channel) \($0.after.notation)\($0.isEscalation ? " escalation" : "")"
                        + ($0.reminder.map { " reminder \($0.notation)" } ?? "")
                }
                return
                    "\(rule.subjects.joined(separator: " ")) \(rule.severities.map(\.rawValue).joined(separator: "|")): "
                    + channels.joined(separator: ", ")
            }
        }

        @Test("kinds with the same notifications form one rule, by severity and channel filter")
        func rules() throws {
            let routes = try #require(try routes("a.test", Self.channels))
            #expect(
                words(routes.incidents) == [
                    "origin.unreachable origin.broken origin.inconsistent file.broken certificate.expiring expectation.failed error: "
                        + "ops 10s reminder 6h, pager 1h escalation",
                    "origin.unreachable origin.broken origin.inconsistent file.broken cdn.missing cdn.stale cdn.divergent "
                        + "certificate.expiring expectation.failed warning: ops 10s reminder 6h",
                    "cdn.missing cdn.stale cdn.divergent error: ops 10s reminder 6h, mail 10s reminder 6h, "
                        + "pager 1h escalation",
                ])
            #expect(routes.changes.map(\.channel) == ["ops"] && routes.changes.first?.reminder == nil)
        }

        @Test("routes of a domain with its own channels, without channels, and without Apple's copy")
        func domains() throws {
            let own = try #require(try routes("own.test", Self.channels))
            #expect(own.incidents.contains { $0.notifications.map(\.channel) == ["mail", "pager"] })
            let nobody = try #require(try routes("nobody.test", Self.channels))
            #expect(nobody.incidents.flatMap(\.notifications).allSatisfy { $0.isEscalation })
            let dev = try #require(try routes("dev.test", Self.channels))
            #expect(!dev.incidents.flatMap(\.subjects).contains { $0.hasPrefix("cdn.") })
            #expect(try routes("unknown.test", Self.channels) == nil)
        }

        @Test("the monitor's own problems go to the fallback, and a fallback's problems to the other channels")
        func fallback() throws {
            let routes = try #require(try routes("a.test", Self.channels))
            func channels(_ words: String) -> Set<String> {
                Set(routes.monitor.filter { $0.subjects.contains(words) }.flatMap(\.notifications).map(\.channel))
            }
            #expect(channels("late checks") == ["mail", "pager"])
            #expect(channels("failures of the channel ops") == ["mail", "pager"])
            #expect(channels("failures of the channel mail") == ["ops", "pager"])
            #expect(
                routes.monitor.flatMap(\.notifications).filter { !$0.isEscalation }.allSatisfy { $0.after == .zero })
        }

        @Test("only the domain's own maintenance windows are shown")
        func windows() throws {
            let windows = """
                maintenance:
                  - {name: nights, domains: [a.test], days: [sun], start: "02:00", duration: 2h, zone: UTC, reason: backup}
                  - {name: others, domains: [own.test], days: [sun], start: "02:00", duration: 2h, zone: UTC, reason: backup}
                """
            #expect(try routes("a.test", Self.channels, windows)?.windows.map(\.name) == ["nights"])
        }
    }
}
