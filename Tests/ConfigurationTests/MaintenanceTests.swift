import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Testing

extension ConfigurationSuite {
    @Suite struct MaintenanceTests {
        @Test("weekly windows are read correctly")
        func windows() throws {
            let (file, warnings) = try Fixture.parse(try Fixture.text("valid", "maintenance"))
            #expect(warnings.isEmpty)
            #expect(
                file.maintenance == [
                    MaintenanceWindow(
                        name: "weekly", scope: SilenceScope(domains: [try DomainPattern("*.example.com")]),
                        days: [.sat, .sun], start: try #require(TimeOfDay("02:00")), extent: .lasting(.seconds(7200)),
                        zone: try #require(TimeZone(identifier: "Europe/Berlin")), reason: "upgrade of the balancer"),
                    MaintenanceWindow(
                        name: "night", scope: SilenceScope(labels: ["team": "*"]),
                        days: [.mon, .tue, .wed, .thu, .fri], start: try #require(TimeOfDay("23:30")),
                        extent: .until(try #require(TimeOfDay("00:15"))), zone: .gmt, reason: "maintenance"),
                ])
        }
    }
}
