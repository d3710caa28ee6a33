// What a channel should have by now. It must receive whatever is due within a time limit while the channel works, the
// process is up and the store takes writes.

import Alerting
import Evidence
import Foundation
import Monitoring

extension Audit {
    /// A working channel receives what is due within this time: the longest wait of a check plus that of a message,
    /// with a margin.
    static let patience: Int64 = 15 * 60_000

    private enum Judgement {
        case due(NotificationReason)
        /// Nothing is due now.
        case none(Explanation?)
        /// The evidence is old: check again after an interval.
        case stale
    }

    /// Compares everything that may be due with what was received.
    /// `quietSince`: since when each working channel has worked.
    mutating func checkDue(_ present: Present, quietSince: [String: Int64]) throws {
        for id in active.sorted() {
            guard let incident = ledger[id] else { continue }
            var isDone = incident.isOver
            for channel in present.setup.channels {
                let key = Story.ID(incident: id, channel: channel.name)
                var story = stories[key] ?? Story()
                story.note(isHeld: isHeld(incident, channel, present), present)
                switch judge(incident, channel, story, present) {
                case .due(let reason):
                    isDone = false
                    if story.due?.reason != reason { story.due = (reason, present.passed) }
                    let since = max(story.due?.since ?? 0, story.notBefore)
                    if let quiet = quietSince[channel.name], present.passed - max(since, quiet) > bound(present) {
                        let rule: Violation.Rule =
                            reason == .resolved ? .endIsDelivered : reason == .reminder ? .reminders : .delivered
                        throw Violation(
                            rule: rule,
                            detail: "\(channel.name) has not received \(reason.rawValue) of \(incident.kind.rawValue) "
                                + "\(id.prefix(8)) version \(incident.version) of \(incident.domain)\(incident.cause), due "
                                + "for \((present.passed - since) / 60_000) min")
                    }
                case .none(let explanation):
                    story.due = nil
                    if let explanation { story.explanations.insert(explanation) }
                    if incident.isOver { story.isOwedBoth = false }
                case .stale:
                    isDone = false
                    story.due = nil
                    let interval = (present.setup.interval(of: incident.domain) ?? 60) * 1000
                    story.notBefore = present.passed + Int64(interval)
                }
                stories[key] = story
            }
            if isDone { active.remove(id) }
        }
    }

    /// How an incident concerns a channel. One that another channel refused may go to any replacement.
    func concern(of incident: CommittedIncident, to channel: SimulatedChannel, _ present: Present) -> Concern {
        let own = present.concern(of: incident, to: channel)
        guard own != .atOnce else { return own }
        let isRefused = present.setup.channels.contains { other in
            other.name != channel.name && story(incident.id, other.name).rejected.contains(incident.version)
        }
        return isRefused ? .perhaps : own
    }

    /// What a pager knows of a newer open incident of the same domain and kind. The end of that one closes both.
    private func newerAtPager(_ incident: CommittedIncident, _ channel: SimulatedChannel) -> Story.Knowledge {
        guard channel.kind == .pagerduty, !incident.isGlobal else { return .nothing }
        for id in active {
            guard let newer = ledger[id], newer.id != incident.id, !newer.isOver, newer.kind == incident.kind,
                newer.domain == incident.domain
            else { continue }
            return story(newer.id, channel.name).knowledge
        }
        return .nothing
    }

    /// Whether nobody at the channel could acknowledge, because the incident is silenced there.
    private func isHeld(_ incident: CommittedIncident, _ channel: SimulatedChannel, _ present: Present) -> Bool {
        incident.state == .firing
            && (present.isSilent(incident) || parent(of: incident, channel.name) != nil
                || isLeftToCause(incident, channel, present))
    }

    /// Whatever stops the message about the cause at this channel also stops the one about the consequence.
    private func isBehindCause(_ incident: CommittedIncident, _ channel: SimulatedChannel) -> Bool {
        active.contains { id in
            guard let cause = ledger[id], !cause.isOver, !cause.isGlobal, cause.explains(incident) else {
                return false
            }
            return stories[Story.ID(incident: cause.id, channel: channel.name)]?.due != nil
        }
    }

    /// An escalation step is for the cause alone.
    private func isLeftToCause(
        _ incident: CommittedIncident, _ channel: SimulatedChannel, _ present: Present
    ) -> Bool {
        !incident.isGlobal
            && active.contains { id in
                guard let cause = ledger[id], !cause.isOver, cause.explains(incident) else { return false }
                switch present.concern(of: cause, to: channel) {
                case .later, .perhaps: return true
                case .none, .atOnce: return false
                }
            }
    }

    private func bound(_ present: Present) -> Int64 {
        Self.patience + Int64((present.setup.groupWait + present.setup.groupInterval) / .milliseconds(1))
    }

    /// The incident has ended. A chat that should have had it by now receives beginning and end in one message.
    mutating func noteOwedBoth(_ incident: CommittedIncident, _ present: Present) {
        for channel in present.setup.channels where !channel.isPager {
            let id = Story.ID(incident: incident.id, channel: channel.name)
            guard let due = stories[id]?.due, [.firing, .escalated, .again].contains(due.reason) else { continue }
            let since = max(due.since, stories[id]?.notBefore ?? 0, present.lastUpheaval)
            stories[id]?.isOwedBoth = present.passed - since > 5 * 60_000
        }
    }

    private func judge(
        _ incident: CommittedIncident, _ channel: SimulatedChannel, _ story: Story, _ present: Present
    ) -> Judgement {
        if incident.isOver { return judgeEnd(incident, channel, story, present) }
        // Those who may know of the firing are notified of its acknowledgement first.
        if channel.kind == .pagerduty, story.settled.map({ !$0.isEnd }) ?? false, incident.isAcknowledged,
            !story.hasReceivedAcknowledgement(of: incident.acknowledged?.at)
        {
            return .due(.acknowledged)
        }
        guard incident.state == .firing else { return .none(nil) }
        guard !story.rejected.contains(incident.version) else { return .none(.refused) }
        let concern = concern(of: incident, to: channel, present)
        guard concern != .none, concern != .perhaps else { return .none(nil) }
        guard let reason = reason(incident, channel, story, concern, present) else {
            return .none(concern == .atOnce || story.knowsFiring ? nil : .notEscalated)
        }
        if present.isSilent(incident) { return .none(.silenced) }
        guard !incident.isGlobal else { return .due(reason) }
        if parent(of: incident, channel.name) != nil || isLeftToCause(incident, channel, present)
            || isBehindCause(incident, channel)
        {
            return .none(.inhibited)
        }
        return present.isFresh(incident.domain, after: parentEnds[incident.kind] ?? .distantPast)
            ? .due(reason) : .stale
    }

    private func judgeEnd(
        _ incident: CommittedIncident, _ channel: SimulatedChannel, _ story: Story, _ present: Present
    ) -> Judgement {
        let age = present.now.timeIntervalSince(incident.resolvedAt ?? present.now)
        // An alert that nobody repeats ends by itself.
        if channel.isFeed { return .none(nil) }
        if story.knowsFiring {
            if story.rejected.contains(-incident.version) { return .none(.refused) }
            // For good: the newer incident has its own end.
            if story.explanations.contains(.takenOver) { return .none(.takenOver) }
            switch newerAtPager(incident, channel) {
            case .nothing: break
            case .refused: return .none(nil)
            case .unclear, .notified: return .none(.takenOver)
            }
            return age < (channel.isPager ? 30.0 : 3) * 86_400 - 60 ? .due(.resolved) : .none(.expired)
        }
        // The channel may have received an earlier firing and its end.
        let isOwed = story.isOwedBoth && story.received.map { $0.version < incident.version } ?? true
        guard isOwed, age < 86_400 - 60 else { return .none(isOwed ? .expired : nil) }
        if story.rejected.contains(-incident.version) || story.rejected.contains(incident.version) {
            return .none(.refused)
        }
        if present.isSilent(incident) { return .none(.silenced) }
        // A parent that is only due also stops what has ended meanwhile.
        let hasParent = active.contains { id in
            ledger[id].map { !$0.isOver && $0.explains(incident) } ?? false
        }
        return hasParent && !incident.isGlobal ? .none(.inhibited) : .due(.wasFiring)
    }

    /// What the channel should be sent if nothing stops it; nil: nothing.
    private func reason(
        _ incident: CommittedIncident, _ channel: SimulatedChannel, _ story: Story, _ concern: Concern,
        _ present: Present
    ) -> NotificationReason? {
        guard let known = story.received, !known.isEnd else {
            guard case .later(let after) = concern else { return .firing }
            guard incident.isError, !incident.isAcknowledged, !incident.isFlapping,
                let start = incident.escalatesFrom, story.reaches(after, from: start, present)
            else { return nil }
            return .escalated
        }
        // At a feed, an alert ends by itself when nobody repeats it.
        if channel.isFeed { return present.now.timeIntervalSince(known.at) > 300 ? .reminder : nil }
        func isNews(_ mark: CommittedIncident.Mark?) -> Bool { mark.map { $0.version > known.version } ?? false }
        if isNews(incident.worse) { return .worse }
        if isNews(incident.again) { return .again }
        if isNews(incident.flapping) { return .flapping }
        if incident.version > known.version {
            // A change is sent only some time after the last message.
            return present.now.timeIntervalSince(story.lastHeard ?? known.at) > 1800 ? .changed : nil
        }
        guard !channel.isPager, !incident.isAcknowledged, !incident.isFlapping,
            let due = present.nextReminder(of: incident, after: known.at), due <= present.now
        else { return nil }
        return .reminder
    }
}
