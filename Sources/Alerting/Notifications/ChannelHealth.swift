// What an answer does to a channel as a whole: holds, trouble, recovery. Pure; the loop stores the result.

import Evidence
import Foundation
import Storage

enum ChannelHealth {
    /// Failures in a row after which a channel is degraded.
    static let degradedAfter = 5
    /// Between two attempts of a degraded channel.
    static let degradedPause = Duration.seconds(30)
    /// After the first refusal: a proxy or a deployment may answer a false 403 or 404.
    static let secondLook = Duration.seconds(60)
    /// Between two attempts of a channel that refuses us, or our messages; the last one repeats.
    static let refusedPauses: [Duration] = [.seconds(300), .seconds(900), .seconds(3600), .seconds(6 * 3600)]
    /// Different messages in a row that were refused as such, after which the channel is in trouble.
    static let refusedMessages = 3
    /// A channel that only asks to wait for so long, without a delivery, is in trouble.
    static let throttledPatience: TimeInterval = 30 * 60

    /// The record after an answer.
    ///
    /// `wait`: how long a throttled receiver asked to wait.
    /// `isFinal`: a refused message is given up; its plainest form was refused too.
    /// `error`: words of the receiver or of the network, without secrets.
    static func after(
        _ outcome: Outcome, _ record: ChannelRecord, wait: Duration? = nil, isFinal: Bool = false, error: String?,
        now: Date
    ) -> ChannelRecord {
        var next = record
        func hold(_ pause: Duration, _ reason: ChannelRecord.Hold.Reason) {
            next.hold = ChannelRecord.Hold(until: now + pause.inSeconds, reason: reason)
        }
        func trouble(_ state: ChannelRecord.Trouble.State) {
            next.trouble = ChannelRecord.Trouble(state: state, since: record.trouble?.since ?? now, error: error)
        }
        if case .throttled = outcome {} else { next.throttledSince = nil }
        switch outcome {
        case .delivered:
            next = ChannelRecord(name: record.name, type: record.type)
            next.seen = record.seen
            // What it refused while it was in trouble is sent once more.
            next.refusalsLiftedAt = record.trouble == nil ? record.refusalsLiftedAt : now
        case .throttled:
            next.throttledSince = record.throttledSince ?? now
            hold(wait ?? .zero, .throttled)
            if now.timeIntervalSince(next.throttledSince ?? now) >= throttledPatience { trouble(.degraded) }
        case .transient:
            next.failures += 1
            next.refusals = 0
            guard record.trouble != nil || next.failures >= degradedAfter else { break }
            trouble(.degraded)
            hold(degradedPause, .failing)
        case .permanentMessage:
            guard isFinal else { break }
            next.refusedMessages += 1
            guard next.refusedMessages >= refusedMessages else { break }
            trouble(.degraded)
            hold(pause(next.refusedMessages - refusedMessages), .refused)
            // After the hold they are tried again: somebody may have repaired the receiver.
            next.refusalsLiftedAt = next.hold?.until
        case .permanentChannel(let gone):
            next.failures += 1
            next.refusals += 1
            guard gone || next.refusals > 1 || record.trouble?.state == .disabled else {
                hold(secondLook, .refused)
                break
            }
            trouble(.disabled)
            hold(pause(next.refusals - (gone ? 1 : 2)), .refused)
        }
        return next
    }

    private static func pause(_ number: Int) -> Duration { refusedPauses[min(max(number, 0), refusedPauses.count - 1)] }
}
