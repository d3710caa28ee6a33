import Evidence
import MonitorConfiguration

/// All that the configuration says about how one domain is checked. Two equal ones need no new watcher.
package struct DomainConfiguration: Equatable, Sendable {
    var watched: WatchedDomain
    /// Equal for all domains of one configuration.
    var common: Common

    var domain: Domain { watched.domain }

    package struct Common: Equatable, Sendable {
        var timeout: Duration
        var network: NetworkSettings
        var cdn: CDNSettings
        var vantages: [Vantage]
        var followsChanges: Bool
    }
}

extension ConfigurationFile {
    /// One for each watched domain.
    package var domainConfigurations: [DomainConfiguration] {
        let common = DomainConfiguration.Common(
            timeout: defaults.timeout, network: network, cdn: cdn, vantages: vantages,
            followsChanges: alerts.channels.contains { $0.notify.contains(.changes) })
        return domains.map { DomainConfiguration(watched: $0, common: common) }
    }
}
