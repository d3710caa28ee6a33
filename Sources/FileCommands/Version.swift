/// The only place that holds the version.
package enum Version {
    package static let number = "0.1.0"
    static let home = "https://github.com/aasa-monitor/aasa-monitor"
    /// The user agent of every request. It tells the owners of servers who asks.
    package static let userAgent = "aasa-monitor/\(number) (+\(home))"
}
