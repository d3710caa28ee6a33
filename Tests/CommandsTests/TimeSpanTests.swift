// The times that options take: durations of the configuration, and curl's seconds.

import Testing

@testable import Commands

extension CommandsTests {
    @Suite struct TimeSpanTests {
        private static let read = TimeSpan.reading(.milliseconds(1)...(.seconds(7200)))

        @Test(
            "seconds and durations are both taken",
            arguments: [
                ("2", .seconds(2)), ("2.5", .milliseconds(2500)), (".5", .milliseconds(500)),
                ("0.001", .milliseconds(1)),
                ("7200", .seconds(7200)), ("30s", .seconds(30)), ("5m", .seconds(300)), ("1h30m", .seconds(5400)),
                ("500ms", .milliseconds(500)), ("2h", .seconds(7200)),
            ] as [(String, Duration)])
        func taken(_ text: String, _ duration: Duration) throws {
            #expect(try Self.read(text).duration == duration)
        }

        @Test(
            "anything else is refused, with what to write",
            arguments: [
                ("", "it is empty"), ("soon", "not a whole number with a unit"), ("1e3", "the units are"),
                ("inf", "not a whole number with a unit"), ("nan", "not a whole number with a unit"),
                ("0x10", "the units are"), ("1h2", "its unit is missing"),
                ("30m1h", "from the largest to the smallest"),
                ("1.2.3", "not a whole number with a unit"), (".", "not a whole number with a unit"),
                ("2 s", "not a whole number with a unit"), ("0", "it takes 1ms to 2h"), ("0s", "it takes 1ms to 2h"),
                ("7201", "it takes 1ms to 2h"), ("3h", "it takes 1ms to 2h"),
                ("99999999999999999999", "it takes 1ms to 2h"),
            ])
        func refused(_ text: String, _ words: String) {
            #expect {
                try Self.read(text)
            } throws: {
                "\($0)".contains(words)
            }
        }

        @Test("a default is shown as it is written")
        func shown() {
            #expect(TimeSpan(.seconds(30)).description == "30s")
            #expect(TimeSpan(.seconds(86_400)).description == "24h")
        }
    }
}
