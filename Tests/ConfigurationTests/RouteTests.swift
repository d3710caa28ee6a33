import Evidence
import MonitorConfiguration
import Monitoring
import Testing

extension ConfigurationSuite {
    @Suite struct RouteTests {
        private func parse(_ routes: String) throws -> (ConfigurationFile, [ConfigurationProblem]) {
            try Fixture.parse(
                """
                version: 1
                domains:
                  - plain.test
                  - {domain: growth.test, labels: {team: growth}}
                  - {domain: shop.test, labels: {team: shop, tier: 1}}
                  - {domain: own.test, labels: {team: growth}, channels: [boss]}
                  - {domain: none.test, labels: {team: growth}, channels: []}
                alerts:
                  routes: \(routes)
                  channels:
                    - {name: ops, type: slack, url: "https://hooks.example.net/a"}
                    - {name: boss, type: slack, url: "https://hooks.example.net/b"}

                """)
        }

        @Test(
            "a domain without its own channels gets those of the first matching route",
            arguments: [
                ("[]", ["plain": nil, "growth": nil, "shop": nil]),
                ("[{match: {team: growth}, channels: [ops]}]", ["plain": nil, "growth": ["ops"], "shop": nil]),
                (
                    "[{match: {team: shop, tier: 1}, channels: [boss]}, {match: {team: \"*\"}, channels: [ops, boss, ops]}]",
                    ["plain": nil, "growth": ["ops", "boss"], "shop": ["boss"]]
                ),
            ] as [(String, [String: [String]?])])
        func first(_ routes: String, _ expected: [String: [String]?]) throws {
            let (file, warnings) = try parse(routes)
            let channels = Dictionary(uniqueKeysWithValues: file.domains.map { ($0.domain.name, $0.channels) })
            for (name, names) in expected { #expect(channels["\(name).test"] == names, "\(name)") }
            #expect(channels["own.test"] == ["boss"])
            #expect(channels["none.test"] == .some([]))
            #expect(warnings.isEmpty)
        }

        @Test("a route that matches no domain gets a warning")
        func idle() throws {
            let (_, warnings) = try parse("[{match: {team: grwoth}, channels: [ops]}]")
            #expect(
                warnings.map(\.message) == [
                    "no domain has the labels of 'match' in an entry of 'routes', so the route is never used"
                ])
        }
    }
}
