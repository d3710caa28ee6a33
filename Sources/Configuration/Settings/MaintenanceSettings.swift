import Evidence

/// A weekly window in which notifications about some domains are suppressed.
package struct MaintenanceSettings: Sendable, Equatable {
    package var name: String
    /// Domains, `*.example.com`, or `*`; each valid. Empty: the labels alone decide.
    package var domains: [String]
    package var labels: [String: String]
    /// `mon` to `sun`; at least one, none twice.
    package var days: [String]
    /// `02:00`.
    package var start: String
    package var extent: Extent
    /// A name of the IANA time zone database.
    package var zone: String
    package var reason: String

    package enum Extent: Sendable, Equatable {
        /// 1 minute to 7 days.
        case lasting(Duration)
        /// `04:00`; on the next day where it is not later than the start.
        case until(String)
    }

    package init(
        name: String, domains: [String], labels: [String: String] = [:], days: [String], start: String, extent: Extent,
        zone: String, reason: String
    ) {
        self.name = name
        self.domains = domains
        self.labels = labels
        self.days = days
        self.start = start
        self.extent = extent
        self.zone = zone
        self.reason = reason
    }
}
