// The `alerts` section with its channels.

import Evidence
import Facts
import Monitoring

/// Who is notified, and how often.
package struct AlertSettings: Sendable, Equatable {
    /// The time between two reminders of an open incident; nil: no reminders.
    package var remindEvery: Duration? = .seconds(24 * 3600)
    /// How long a notification waits for others of the same kind and reason, to be sent with them.
    package var groupWait: Duration = .seconds(10)
    /// The minimum time between two messages to one channel about new incidents of one kind.
    package var groupInterval: Duration = .seconds(300)
    /// The only channel that is notified of the monitor's own problems; nil: all channels.
    package var fallback: String?
    /// The channels that are notified later if nobody acknowledges an incident. "All channels" does not include them.
    package var escalation = Escalation()
    /// With unique names, in file order.
    package var channels: [Channel] = []

    package init() {}
}
