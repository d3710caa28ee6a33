/// A watchdog elsewhere that the monitor pings while it works.
package struct HeartbeatSettings: Sendable, Equatable {
    /// https, or plain http to a loopback host. Anybody who knows it can keep the watchdog quiet.
    package var url: Secret
    /// From a second to a day.
    package var every: Duration = .seconds(300)

    package init(url: Secret, every: Duration = .seconds(300)) {
        self.url = url
        self.every = every
    }
}
