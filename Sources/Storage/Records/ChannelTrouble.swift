import Foundation

/// A channel that does not take messages as it should.
package struct ChannelTrouble: Equatable, Sendable {
    /// The channel.
    package let name: String
    package let state: State
    /// When this spell of trouble began; kept over a restart, and when a degraded channel becomes a disabled one.
    package let since: Date
    /// The last words of the receiver or of the network, free of secrets; nil where nothing was said.
    package let error: String?

    package init(name: String, state: State, since: Date, error: String?) {
        self.name = name
        self.state = state
        self.since = since
        self.error = error
    }

    package enum State: String, Sendable {
        /// Five attempts in a row failed; one message at a time is tried.
        case degraded
        /// It refuses us; it is tried every six hours, and when somebody may have mended it.
        case disabled
    }
}
