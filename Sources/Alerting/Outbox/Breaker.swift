// What failures do to a channel as a whole. Pure: the loop writes down and waits.

import Evidence
import Foundation
import Storage

enum Breaker {
    /// Failures in a row after which a channel is degraded.
    static let degradedAfter = 5
    /// Between two attempts of a degraded channel.
    static let degradedPause = Duration.seconds(30)
    /// A proxy or a deployment may answer a false 403 or 404: look again soon, then seldom.
    static let secondLook = Duration.seconds(60)
    /// Between two trials of a disabled channel.
    static let disabledPause = Duration.seconds(6 * 3600)

    struct Step: Equatable {
        /// nil: the channel works, or has not failed often enough.
        let trouble: ChannelTrouble?
        /// How long the whole channel is left alone; nil: not at all.
        let pause: Duration?
    }

    /// `known`: the trouble so far.
    /// `failures`: attempts in a row that failed, this one too.
    /// `wasRefusing`: the attempt before this one was refused for the channel's sake.
    static func step(
        _ outcome: Outcome, channel: String, known: ChannelTrouble?, failures: Int, wasRefusing: Bool, error: String?,
        now: Date
    ) -> Step {
        func trouble(_ state: ChannelTrouble.State) -> ChannelTrouble {
            ChannelTrouble(name: channel, state: state, since: known?.since ?? now, error: error)
        }
        switch outcome {
        // Who reads and judges a message works.
        case .delivered, .permanentMessage: return Step(trouble: nil, pause: nil)
        case .throttled: return Step(trouble: known, pause: nil)
        case .transient:
            // It refuses us no longer, and does not work yet.
            guard known != nil || failures >= degradedAfter else { return Step(trouble: nil, pause: nil) }
            return Step(trouble: trouble(.degraded), pause: degradedPause)
        case .permanentChannel(let gone):
            guard gone || wasRefusing || known?.state == .disabled else {
                return Step(trouble: known, pause: secondLook)
            }
            return Step(trouble: trouble(.disabled), pause: disabledPause)
        }
    }
}
