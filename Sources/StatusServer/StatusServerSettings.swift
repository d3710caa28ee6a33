import Evidence
import Foundation
import Monitoring

/// Where the status page is served, to whom, and what it shows from the configuration.
package struct StatusServerSettings: Sendable {
    /// A name or an address, IPv6 without brackets.
    package var host: String
    /// 0 lets the system choose.
    package var port: Int
    /// The version of this program.
    package var version: String
    /// The domains of the configuration. The store may know others, which are not shown.
    package var watched: [WatchedDomain]
    /// For links to Apple's copy of a file; no final slash needed.
    package var cdnBaseURL: String
    /// The windows of the configuration, to show.
    package var maintenance: [MaintenanceWindow]
    package var limits: ConnectionLimits
    /// Who gets in, until a reload.
    package var access: AccessPolicy

    package init(
        host: String = "127.0.0.1", port: Int = 9630, access: AccessPolicy = AccessPolicy(),
        version: String, watched: [WatchedDomain], cdnBaseURL: String, maintenance: [MaintenanceWindow] = [],
        limits: ConnectionLimits = ConnectionLimits()
    ) {
        self.limits = limits
        self.host = host
        self.port = port
        self.maintenance = maintenance
        self.access = access
        self.version = version
        self.watched = watched
        self.cdnBaseURL = cdnBaseURL
    }
}
