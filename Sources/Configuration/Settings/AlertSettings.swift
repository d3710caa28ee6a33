/// Who is told, and how often.
package struct AlertSettings: Sendable, Equatable {
    /// Between two reminders of an open incident; nil: no reminders.
    package var remindEvery: Duration? = .seconds(24 * 3600)
    /// How long an alert waits for others to share a message with.
    package var groupWait: Duration = .seconds(10)
    /// No name twice, in the order of the file.
    package var channels: [ChannelSettings] = []

    package init() {}
}
