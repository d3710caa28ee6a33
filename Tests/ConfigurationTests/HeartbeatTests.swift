import Facts
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct HeartbeatTests {
        private static let head = "version: 1\ndomains: [{domain: example.com, interval: 1m}]\n"

        @Test(
            "a heartbeat's URL comes from the configuration or from a secret's file",
            arguments: [
                (
                    "heartbeat: {url: \"https://hc.example.net/PLANTED\"}", "https://hc.example.net/PLANTED",
                    Duration.seconds(300)
                ),
                (
                    "heartbeat: {url_file: /secrets/url, every: 90s}", "https://hooks.example.net/PLANTED",
                    Duration.seconds(90)
                ),
                (
                    "heartbeat: {url: \"http://127.0.0.1:9/PLANTED\", every: 1h}", "http://127.0.0.1:9/PLANTED",
                    Duration.seconds(3600)
                ),
            ])
        func read(_ text: String, _ url: String, _ every: Duration) throws {
            let (file, warnings) = try Fixture.parse(Self.head + text)
            #expect(file.heartbeat == HeartbeatSettings(url: Secret(url), every: every))
            #expect(warnings.isEmpty)
            #expect(!"\(file)".contains(Fixture.planted))
        }

        @Test("without the key, or with an empty one, there is no heartbeat", arguments: ["", "heartbeat:\n"])
        func none(_ text: String) throws {
            #expect(try Fixture.parse(Self.head + text).0.heartbeat == nil)
        }

        @Test("pings more frequent than the checks get a warning")
        func tooOften() throws {
            let (_, warnings) = try Fixture.parse(
                Self.head + "heartbeat:\n  url: \"https://hc.example.net/PLANTED\"\n  every: 30s\n")
            #expect(warnings.map(\.line) == [5])
            #expect(
                warnings.first?.message.hasPrefix(
                    "'every' in 'heartbeat' is shorter than the 'interval' of every domain") == true)
            #expect(!"\(warnings)".contains(Fixture.planted))
        }
    }
}
