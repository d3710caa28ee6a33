// Whether Apple's CDN may be asked as often as the domains need it.

import Evidence

enum CDNLoad {
    /// Addresses that the CDN's name has at most, as seen.
    private static let edges = 8.0

    /// Warns where the limit is lower than what checks need while all is well; they would be late for ever.
    static func check(_ file: ConfigurationFile, _ section: Section?, _ reading: Reading) {
        let watched = file.domains.filter { $0.mode.readsCDN }
        let needed = watched.reduce(0) { sum, domain in
            sum + 1 / (domain.interval / .seconds(1)) + (file.cdn.edges ? edges / (domain.fullEvery / .seconds(1)) : 0)
        }
        let limit = file.cdn.requestsPerSecond
        guard needed > limit else { return }
        let count = watched.count == 1 ? "1 domain needs" : "\(watched.count) domains need"
        reading.warning(
            "\(count) \(Int(needed.rounded(.up))) requests a second to Apple's CDN, one at each 'interval'"
                + (file.cdn.edges ? " and one to each of up to 8 edges every 'full_every'" : "")
                + "; 'requests_per_second' allows \(limit.formatted), so checks will be late; raise it, or the 'interval'",
            at: section?.entry("requests_per_second")?.position ?? section?.position ?? .start)
    }
}

extension Double {
    fileprivate var formatted: String { self == rounded() ? "\(Int(self))" : "\(self)" }
}
