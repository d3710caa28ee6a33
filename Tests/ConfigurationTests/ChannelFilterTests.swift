import Evidence
import MonitorConfiguration
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
            #expect(channel.severity == .warning)
            #expect(channel.kinds.isEmpty)
            #expect(file.alerts.groupInterval == .seconds(300))
            #expect(warnings.isEmpty)
        }

        @Test("severity and kinds are read, exact kinds and areas", arguments: Severity.allCases)
        func filters(severity: Severity) throws {
            let (file, warnings) = try Fixture.parse(
                Self.file(
                    "  group_interval: 0s", ", severity: \(severity.rawValue), kinds: [\"cdn.*\", origin.broken]"))
            let channel = try #require(file.alerts.channels.first)
            #expect(channel.severity == severity)
            #expect(channel.kinds == ["cdn.*", "origin.broken"])
            #expect(file.alerts.groupInterval == .zero)
            #expect(warnings.isEmpty)
        }

        @Test(
            "a fallback that leaves out the monitor's own trouble gets a warning",
            arguments: [("cdn.*", 1), ("monitor.*", 0), ("monitor.degraded", 0)])
        func fallback(kind: String, expected: Int) throws {
            let (_, warnings) = try Fixture.parse(Self.file("  fallback: ops", ", kinds: [\"\(kind)\"]"))
            #expect(warnings.count == expected)
        }
    }
}
