import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct FallbackTests {
        private static let head = "version: 1\ndomains: [example.com]\nalerts:\n"
        private static let channels = "  channels: [{name: ops, type: slack, url: \"https://hooks.example.net/a\"}]\n"

        @Test(
            "the fallback names a channel, and is optional",
            arguments: [("  fallback: ops\n", "ops"), ("  fallback:\n", nil), ("", nil)])
        func read(_ line: String, _ expected: String?) throws {
            let (file, warnings) = try Fixture.parse(Self.head + line + Self.channels)
            #expect(file.alerts.fallback == expected)
            #expect(warnings.isEmpty)
        }
    }
}
