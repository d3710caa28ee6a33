/// Who is told, and how often.
package struct AlertSettings: Sendable, Equatable {
    /// Between two reminders of an open incident; nil: no reminders.
    package var remindEvery: Duration? = .seconds(24 * 3600)
    /// How long an alert waits for others to share a message with.
    package var groupWait: Duration = .seconds(10)
    /// The name of the channel that hears of trouble of the monitor's own, whatever the routes say; nil: none is set apart.
    package var fallback: String?
    /// Who is told later, where nobody has an incident in hand; ascending. These channels are no part of "all channels".
    package var escalation: [EscalationSettings] = []
    /// No name twice, in the order of the file.
    package var channels: [ChannelSettings] = []

    package init() {}
}
