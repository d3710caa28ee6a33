// From the configuration's words to those of the modules that act on them.

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
    /// `cdnBaseURL`: nil: that of the configuration.
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

    /// One of its own: a busy check must not delay an alert.
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
            remindEvery: alerts.remindEvery, groupWait: alerts.groupWait, groupInterval: alerts.groupInterval,
            instance: configuration.instance ?? ConfigurationFile.hostName,
            shard: configuration.shard?.description)
    }
}

extension StatusSite {
    /// Shows what the configuration says from now on, and goes by its rules of access.
    func show(_ configuration: ConfigurationFile) async {
        await watch(configuration.domains)
        show(configuration.maintenance)
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
    /// The name of this machine, as the kernel has it: no name server is asked.
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
    /// Where whoever gets a message reaches the page; nil where nobody does, or the port is not known before the start.
    var pageURL: String? {
        if let publicURL { return publicURL.hasSuffix("/") ? publicURL : publicURL + "/" }
        let isElsewhere = !isOnLoopback && !isOnAll
        return isElsewhere && port != 0 ? "http://\(shownHost):\(port)/" : nil
    }

    /// The host as a URL has it; an address that stands for all is shown as this machine.
    var shownHost: String {
        if isOnAll { return "127.0.0.1" }
        return HostAddress.inURL(host)
    }
}
