import Evidence
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct MaintenanceTests {
        @Test("weekly windows are read to the values they state")
        func windows() throws {
            let (file, warnings) = try Fixture.parse(try Fixture.text("valid", "maintenance"))
            #expect(warnings.isEmpty)
            #expect(
                file.maintenance == [
                    MaintenanceSettings(
                        name: "weekly", domains: ["*.example.com"], days: ["sat", "sun"], start: "02:00",
                        extent: .lasting(.seconds(7200)), zone: "Europe/Berlin", reason: "upgrade of the balancer"),
                    MaintenanceSettings(
                        name: "night", domains: [], labels: ["team": "*"], days: ["mon", "tue", "wed", "thu", "fri"],
                        start: "23:30", extent: .until("00:15"), zone: "UTC", reason: "maintenance"),
                ])
        }
    }
}
