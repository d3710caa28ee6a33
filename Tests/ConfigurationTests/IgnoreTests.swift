import Evidence
import Foundation
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct IgnoreTests {
        private func parse(_ text: String, now: Date = .now) throws -> (ConfigurationFile, [ConfigurationProblem]) {
            let (file, warnings) = try ConfigurationLoader.parse(
                text, file: "monitor.yaml", environment: [:], now: now, readFile: Fixture.read)
            return (file, warnings)
        }

        private static let text = """
            version: 1
            defaults:
              ignore: [{rule: aasa.whole-site, reason: ours}, {rule: origin.slow, reason: "far away"}]
            domains:
              - example.com
              - domain: links.example.com
                ignore: [{rule: aasa.whole-site, reason: "meant so", until: 2027-01-01}, {rule: cdn.stale, reason: test}]
            """

        @Test("a domain's list is added to the defaults', and overrides their entry for the same rule")
        func merged() throws {
            let (file, warnings) = try parse(Self.text, now: Date(timeIntervalSince1970: 1_790_000_000))
            #expect(warnings.isEmpty)
            func told(_ index: Int) -> [String] {
                file.domains[index].checks.ignore.map { "\($0.rule) \($0.reason) \($0.until?.description ?? "-")" }
            }
            #expect(told(0) == ["aasa.whole-site ours -", "origin.slow far away -"])
            #expect(
                told(1) == ["aasa.whole-site meant so 2027-01-01", "cdn.stale test -", "origin.slow far away -"])
        }

        @Test(
            "a date in the past is a warning at its position",
            arguments: [("2027-01-01T23:59:59Z", false), ("2027-01-02T00:00:00Z", true)])
        func passed(_ now: String, _ isPassed: Bool) throws {
            let (file, warnings) = try parse(Self.text, now: Date(now, strategy: .iso8601))
            let expected =
                "monitor.yaml:7:65: warning: 'until' in 'ignore' in domain 'links.example.com' has passed: the rule's findings count again; remove the entry or extend the date"
            #expect(warnings.map(\.description) == (isPassed ? [expected] : []))
            #expect(file.domains[1].checks.ignore.first?.until?.description == "2027-01-01")
        }
    }
}
