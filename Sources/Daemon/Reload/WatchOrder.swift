import Evidence
import MonitorConfiguration

/// All that the configuration says about how one domain is watched and who is told. Two equal ones need no new watch.
package struct WatchOrder: Equatable, Sendable {
    var watched: WatchedDomain
    /// The rest that decides: equal for all domains of one configuration.
    var common: Common

    var domain: Domain { watched.domain }

    package struct Common: Equatable, Sendable {
        var timeout: Duration
        var network: NetworkSettings
        var cdn: CDNSettings
        var vantages: [Vantage]
        var alerts: AlertSettings
    }
}

extension ConfigurationFile {
    /// One for each watched domain.
    package var orders: [WatchOrder] {
        let common = WatchOrder.Common(
            timeout: defaults.timeout, network: network, cdn: cdn, vantages: vantages, alerts: alerts)
        return domains.map { WatchOrder(watched: $0, common: common) }
    }
}
