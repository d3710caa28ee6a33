// What the configuration says of the fleet, in the words of those who judge it.

import Alerting
import Curl
import Evidence
import MonitorConfiguration
import Monitoring
import Probing
import Storage

extension ConfigurationFile {
    var intervals: [Domain: Duration] {
        Dictionary(domains.map { ($0.domain, $0.interval) }, uniquingKeysWith: { first, _ in first })
    }

    var shortestInterval: Duration { domains.map(\.interval).min() ?? defaults.interval }

    func fleetPolicy(_ time: any Timekeeper) -> FleetPolicy {
        FleetPolicy(
            scheduleSlack: .seconds(60) * time.pace, remindEvery: alerts.remindEvery,
            escalateAfter: alerts.escalation.map(\.after))
    }

    /// Whoever is told of a domain is told why nothing is told of it.
    var fleetRouting: Routes.FleetRouting {
        let routed = domains.map(\.channels)
        var watching = Set(routed.compactMap(\.self).joined())
        if routed.contains(nil) {
            // All channels are those that are told at once.
            let later = alerts.steps.names.subtracting(watching)
            watching = Set(alerts.channels.map(\.name)).subtracting(later)
        }
        return Routes.FleetRouting(watching: watching.sorted(), fallback: alerts.fallback)
    }

    /// nil where there are no reference hosts.
    func canaries(driver: CurlDriver, userAgent: String, time: any Timekeeper) -> CanaryWatch? {
        guard !network.canaries.isEmpty else { return nil }
        return CanaryWatch(
            hosts: network.canaries, probe: CanaryProbe(driver: driver, userAgent: userAgent), time: time,
            interval: shortestInterval)
    }
}

extension FleetJudge.Orders {
    init(
        _ configuration: ConfigurationFile, _ routes: Routes, _ driver: CurlDriver, userAgent: String,
        time: any Timekeeper
    ) {
        self.init(
            intervals: configuration.intervals, routes: routes, policy: configuration.fleetPolicy(time),
            canaries: configuration.canaries(driver: driver, userAgent: userAgent, time: time))
    }
}

extension FailingChannel {
    init(_ trouble: ChannelTrouble) {
        self.init(
            name: trouble.name, isDisabled: trouble.state == .disabled, since: trouble.since,
            words: trouble.error ?? "five attempts in a row failed")
    }
}
