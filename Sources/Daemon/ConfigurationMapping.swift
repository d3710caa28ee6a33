// From the configuration's words to those of the rooms that act on them.

import Alerting
import Curl
import Evidence
import MonitorConfiguration
import Monitoring

extension Channel {
    init(settings: ChannelSettings) throws {
        let kind: ChannelKind =
            switch settings.type {
            case .webhook: .webhook
            case .slack: .slack
            }
        try self.init(
            name: settings.name, kind: kind, url: settings.url.reveal(),
            signingKeys: settings.secrets.flatMap { secret in
                try Channel.signingKeys(parsing: secret.reveal(), channel: settings.name)
            })
    }
}

extension Policy {
    init(_ watched: WatchedDomain, remindEvery: Duration?) {
        self.init(
            staleAfter: watched.staleAfter, failureThreshold: watched.failureThreshold,
            recoveryThreshold: watched.recoveryThreshold, certificateWarning: watched.certificateWarning,
            remindEvery: remindEvery, expectations: watched.expect ?? Expectations())
    }
}

extension MonitorConfiguration.NetworkSettings {
    package var forChecks: Curl.NetworkSettings {
        Curl.NetworkSettings(caFile: caFile, connectTo: connectTo, resolve: resolve, proxy: proxy?.reveal())
    }

    /// Rules for any host, such as `::127.0.0.1:8443` and `*:443:127.0.0.1`, send every watched site to a test server. Messages must not
    /// go there.
    var forAlerts: Curl.NetworkSettings {
        var settings = forChecks
        settings.connectTo.removeAll { $0.hasPrefix(":") }
        settings.resolve.removeAll { $0.hasPrefix("*:") || $0.hasPrefix("+*:") }
        return settings
    }
}

extension ServerSettings {
    /// The host as a URL has it; an address that stands for all is shown as this machine.
    var shownHost: String {
        switch host {
        case "0.0.0.0", "::", "[::]": "127.0.0.1"
        default: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        }
    }
}
