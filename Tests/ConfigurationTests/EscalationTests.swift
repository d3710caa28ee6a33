import MonitorConfiguration
import Monitoring
import Testing

extension ConfigurationSuite {
    @Suite struct EscalationTests {
        private static let head = "version: 1\ndomains: [example.com]\nalerts:\n"
        private static let channels = """
              channels:
                - {name: ops, type: slack, url: "https://hooks.example.net/a"}
                - {name: boss, type: slack, url: "https://hooks.example.net/b"}

            """

        @Test(
            "steps are read in order, and are optional",
            arguments: [
                ("", []), ("  escalation:\n", []), ("  escalation: []\n", []),
                (
                    "  escalation:\n    - {after: 1h, channels: [ops]}\n    - {after: 1d, channels: [boss]}\n",
                    [
                        Escalation.Step(after: .seconds(3600), channels: ["ops"]),
                        Escalation.Step(after: .seconds(86_400), channels: ["boss"]),
                    ]
                ),
            ])
        func read(_ lines: String, _ expected: [Escalation.Step]) throws {
            let (file, warnings) = try Fixture.parse(Self.head + lines + Self.channels)
            #expect(file.alerts.escalation.steps == expected)
            #expect(warnings.isEmpty)
        }
    }
}
