import Alerting
import Curl
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Probing
import Storage

/// Makes watches out of what the configuration orders and of the parts that live as long as the daemon.
struct WatchMaker: Sendable {
    let store: Store
    let silences: SilenceWatch
    let fleet: FleetJudge
    let delivery: Delivery
    let userAgent: String
    let time: any Timekeeper
    let logger: Logger

    /// `orders`: all of `configuration`, or some.
    func watches(
        for orders: [WatchOrder], of configuration: ConfigurationFile, routes: Routes, driver: CurlDriver
    ) -> [DomainWatch] {
        // One for all: it spreads the requests to Apple's CDN over time.
        let probe = DomainProbe(driver: driver, settings: ProbeSettings(configuration, userAgent: userAgent))
        return orders.map { order in
            DomainWatch(
                order: order, policy: Policy(order.watched, configuration.alerts),
                probe: probe,
                store: store, routes: routes, silences: silences, fleet: fleet, delivery: delivery, time: time,
                logger: logger)
        }
    }
}
