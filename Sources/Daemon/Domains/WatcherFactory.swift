import Alerting
import Curl
import Logging
import MonitorMetrics
import MonitorConfiguration
import Monitoring
import Probing
import Storage

/// Makes watchers from the configuration and from the parts that live as long as the daemon.
struct WatcherFactory: Sendable {
    let store: Store
    let fleet: FleetEvaluator
    let delivery: Delivery
    let metrics: MetricsRegistry
    let userAgent: String
    let time: any Timekeeper
    let logger: Logger

    /// `domains`: all of `configuration`, or some.
    func watchers(
        for domains: [DomainConfiguration], of configuration: ConfigurationFile, driver: CurlDriver
    ) -> [DomainWatcher] {
        // One for all: it spreads the requests to Apple's CDN over time. Of the protocol's type here already, as each watcher
        // would make a box of its own.
        let probe: any DomainProbing = DomainProbe(
            driver: driver, settings: ProbeSettings(configuration, userAgent: userAgent))
        return domains.map { domain in
            DomainWatcher(
                configuration: domain,
                policy: Policy(domain.watched, followsChanges: domain.common.followsChanges), probe: probe,
                store: store,
                fleet: fleet, delivery: delivery, metrics: metrics, time: time, logger: logger)
        }
    }
}
