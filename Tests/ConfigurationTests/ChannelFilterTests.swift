import Evidence
import MonitorConfiguration
import Monitoring
import Testing

extension ConfigurationSuite {
    @Suite struct ChannelFilterTests {
        private static func file(_ alerts: String, _ channel: String) -> String {
            """
            version: 1
            domains: [example.com]
            alerts:
              channels: [{name: ops, type: slack, url: "https://hooks.example.net/a"\(channel)}]
            \(alerts)
            """
        }

        @Test("without filters a channel is notified of every kind, from warnings up")
        func defaults() throws {
            let (file, warnings) = try Fixture.parse(Self.file("", ", kinds: null"))
            let channel = try #require(file.alerts.channels.first)
            #expect(channel.minimumSeverity == .warning)
            #expect(channel.kinds.isEmpty)
            #expect(file.alerts.groupInterval == .seconds(300))
            #expect(warnings.isEmpty)
        }

        @Test("severity and kinds are read, including wildcards such as cdn.*", arguments: Severity.allCases)
        func filters(severity: Severity) throws {
            let (file, warnings) = try Fixture.parse(
                Self.file(
                    "  group_interval: 0s", ", severity: \(severity.rawValue), kinds: [\"cdn.*\", origin.broken]"))
            let channel = try #require(file.alerts.channels.first)
            #expect(channel.minimumSeverity == severity)
            #expect(channel.kinds == ["cdn.*", "origin.broken"])
            #expect(file.alerts.groupInterval == .zero)
            #expect(warnings.isEmpty)
        }

        @Test(
            "a fallback whose filters exclude the monitor's own incidents gets a warning",
            arguments: [
                ("kinds: [\"cdn.*\"]", ["'kinds'"]), ("kinds: [\"monitor.*\"]", []), ("kinds: [monitor.degraded]", []),
                ("severity: error", ["'severity'"]), ("severity: warning", []),
                ("severity: error, kinds: [origin.broken]", ["'kinds'", "'severity'"]),
            ])
        func fallback(filters: String, expected: [String]) throws {
            let (_, warnings) = try Fixture.parse(Self.file("  fallback: ops", ", \(filters)"))
            #expect(warnings.map { String($0.message.prefix { $0 != " " }) } == expected)
            let (_, others) = try Fixture.parse(Self.file("", ", \(filters)"))
            #expect(others.isEmpty)
        }
    }
}
