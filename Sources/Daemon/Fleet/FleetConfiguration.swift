// What the configuration says of the fleet, for those who evaluate it.

import Curl
import Evidence
import MonitorConfiguration
import Monitoring
import Probing

extension ConfigurationFile {
    var intervals: [Domain: Duration] {
        Dictionary(domains.map { ($0.domain, $0.interval) }, uniquingKeysWith: { first, _ in first })
    }

    var shortestInterval: Duration { domains.map(\.interval).min() ?? defaults.interval }
}

extension FleetEvaluator.Configuration {
    init(_ configuration: ConfigurationFile, _ driver: CurlDriver, userAgent: String, time: any Timekeeper) {
        let hosts = configuration.network.canaries
        self.init(
            intervals: configuration.intervals, channels: Set(configuration.alerts.channels.map(\.name)),
            policy: FleetPolicy(scheduleSlack: .seconds(60) * time.pace),
            canaries: hosts.isEmpty
                ? nil
                : CanaryWatch(
                    hosts: hosts, probe: CanaryProbe(driver: driver, userAgent: userAgent), time: time,
                    interval: configuration.shortestInterval))
    }
}
