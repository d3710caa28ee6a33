/// A step of `alerts.escalation`: who is notified of an incident that nobody has acknowledged by then.
package struct EscalationSettings: Sendable, Equatable {
    /// From the firing.
    package var after: Duration
    /// Names of channels, at least one; none of them in another step.
    package var channels: [String]

    package init(after: Duration, channels: [String]) {
        self.after = after
        self.channels = channels
    }
}
