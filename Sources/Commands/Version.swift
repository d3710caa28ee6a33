/// The one place of the version.
package enum Version {
    package static let number = "0.1.0"
    package static let home = "https://github.com/aasa-monitor/aasa-monitor"
    /// How every request names this program, so that the owners of servers can find out who asks.
    package static let userAgent = "aasa-monitor/\(number) (+\(home))"
}
