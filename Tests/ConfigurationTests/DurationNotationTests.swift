import Evidence
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct DurationNotationTests {
        @Test(
            "a duration is read",
            arguments: [
                ("30s", Duration.seconds(30)), ("5m", .seconds(300)), ("24h", .seconds(86_400)),
                ("14d", .seconds(14 * 86_400)), ("0s", .zero), ("500ms", .milliseconds(500)), ("1h30m", .seconds(5400)),
                ("1d2h3m4s5ms", .milliseconds(93_784_005)), ("3650d", .seconds(3650 * 86_400)), ("007s", .seconds(7)),
            ])
        func valid(text: String, duration: Duration) throws {
            #expect(try parseDuration(text) == duration)
        }

        @Test(
            "an invalid duration is refused",
            arguments: [
                "", "5", "m", "5 m", " 5m", "5m ", "-5m", "+5m", "1.5h", "5M", "5min", "1m1h", "1m1m",
                "3651d", "3650d1ms", "9223372036854775807d", "99999999999999999999s", "٥m", "5m\n", "0x5s", "5µs",
            ])
        func invalid(text: String) {
            #expect(throws: DurationFault.self) { try parseDuration(text) }
        }

        @Test(
            "a duration is written in the notation that is read",
            arguments: ["30s", "5m", "24h", "14d", "500ms", "1h30m", "36h", "1s500ms", "3650d"])
        func notation(text: String) throws {
            #expect(try parseDuration(text).notation == text)
        }
    }
}
