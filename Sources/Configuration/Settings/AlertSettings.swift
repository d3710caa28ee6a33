/// Who is notified, and how often.
package struct AlertSettings: Sendable, Equatable {
    /// Between two reminders of an open incident; nil: no reminders.
    package var remindEvery: Duration? = .seconds(24 * 3600)
    /// How long the first message about a kind of trouble waits for others to share a message with.
    package var groupWait: Duration = .seconds(10)
    /// The shortest time between two messages about new incidents of one kind, to one channel.
    package var groupInterval: Duration = .seconds(300)
    /// The name of the channel that is notified of the monitor's own trouble, whatever the routes say; nil: all are.
    package var fallback: String?
    /// Who is notified later, where nobody has acknowledged an incident; ascending. These channels are not part of
    /// "all channels".
    package var escalation: [EscalationSettings] = []
    /// No name twice, in the order of the file.
    package var channels: [ChannelSettings] = []

    package init() {}
}
