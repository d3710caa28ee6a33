// Converts the configuration into the settings of the other modules.

import Alerting
import Curl
import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Monitoring
import Probing
import StatusServer

extension ProbeSettings {
    /// `cdnBaseURL`: nil: the one of the configuration.
    package init(_ configuration: ConfigurationFile, cdnBaseURL: String? = nil, userAgent: String) {
        self.init(
            cdnBaseURL: cdnBaseURL ?? configuration.cdn.baseURL, timeout: configuration.defaults.timeout,
            asksBeforeOrigin: configuration.cdn.askBeforeOrigin, asksEdges: configuration.cdn.edges,
            vantages: configuration.vantages,
            cdnRequestsPerSecond: configuration.cdn.requestsPerSecond, userAgent: userAgent)
    }
}

extension CurlDriver {
    convenience init(forChecksOf configuration: ConfigurationFile) throws {
        try self.init(
            network: configuration.network.forChecks, maximumConcurrent: configuration.network.maxConcurrent)
    }

    /// A separate driver: a busy check must not delay an alert.
    convenience init(forAlertsOf configuration: ConfigurationFile) throws {
        try self.init(
            network: configuration.network.forAlerts, maximumConcurrent: max(4, configuration.alerts.channels.count))
    }
}

extension Routing {
    init(_ configuration: ConfigurationFile) {
        let alerts = configuration.alerts
        self.init(
            channels: alerts.channels, domains: configuration.domains, fallback: alerts.fallback,
            escalation: alerts.escalation,
            cdnBaseURL: configuration.cdn.baseURL, statusPageURL: configuration.server.pageURL,
            pageTakesWrites: !configuration.server.isReadOnly,
            remindEvery: alerts.remindEvery, groupWait: alerts.groupWait, groupInterval: alerts.groupInterval,
            note: alerts.note, instance: configuration.instance ?? ConfigurationFile.hostName,
            shard: configuration.shard?.description)
    }
}

extension StatusSite {
    /// Applies the domains, maintenance windows and access rules of a configuration.
    func show(_ configuration: ConfigurationFile) async {
        await watch(configuration.domains)
        await show(configuration.maintenance)
        allow(AccessPolicy(configuration.server))
    }
}

extension AccessPolicy {
    init(_ server: ServerSettings) {
        self.init(
            token: server.token?.reveal(), readerToken: server.readerToken?.reveal(), isPublic: server.isPublic,
            isReadOnly: server.isReadOnly, trustedProxies: server.trustedProxies, publicURL: server.publicURL)
    }
}

extension ConfigurationFile {
    /// The host name of the kernel, without a DNS request.
    static var hostName: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "localhost" }
        return withUnsafeBytes(of: &name.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension MonitorConfiguration.NetworkSettings {
    package var forChecks: Curl.NetworkSettings {
        Curl.NetworkSettings(caFile: caFile, connectTo: connectTo, resolve: resolve, proxy: proxy?.reveal())
    }

    /// Rules for any host, such as `::127.0.0.1:8443` and `*:443:127.0.0.1`, send every watched site to a test server.
    /// Messages must not go there.
    var forAlerts: Curl.NetworkSettings {
        var settings = forChecks
        settings.connectTo.removeAll { $0.hasPrefix(":") }
        settings.resolve.removeAll { $0.hasPrefix("*:") || $0.hasPrefix("+*:") }
        return settings
    }
}

extension ServerSettings {
    /// The page's URL for readers of messages; nil if they cannot reach it, or the port is unknown before the start.
    var pageURL: String? {
        if let publicURL { return publicURL.hasSuffix("/") ? publicURL : publicURL + "/" }
        let isElsewhere = !isOnLoopback && !isOnAll
        return isElsewhere && port != 0 ? "http://\(shownHost):\(port)/" : nil
    }

    /// The host in URL form; an address that means all interfaces becomes 127.0.0.1.
    var shownHost: String {
        if isOnAll { return "127.0.0.1" }
        return HostAddress.inURL(host)
    }
}
