// Why a message is sent, or is not sent. This is the one place that decides it: a pure and total function of what is true, what
// the channel knows, and who may be notified now. Its rows are those of the table in docs/alerts.md, in the same order; the
// first one that fits answers.

import Evidence
import Foundation
import Monitoring
import Storage

/// What to do about one incident at one channel.
enum Decision: Equatable, Sendable {
    case nothing
    /// The incident is recovering: nothing is sent, and what is pending stays pending.
    case undecided
    /// Nothing now. Ask again at that instant, or when something changes; nil: only when something changes.
    case wait(until: Date?)
    case send(NotificationReason)
}

/// How an incident concerns a channel, by the configuration alone.
struct Route: Equatable, Sendable {
    var timing = Timing.atOnce
    /// The incident is about this very channel.
    var isSubject = false
    /// The receiver keeps incidents of its own and reminds by itself.
    var isPager = false
    var takesAcknowledgements = false
    var reminders = ReminderSchedule(every: nil)

    /// When the channel is notified that it fires.
    enum Timing: Equatable, Sendable {
        case none, atOnce
        /// So long after the firing, where nobody has acknowledged: a step of the escalation.
        case after(Duration)
    }

    /// Whether the channel is a step of the escalation.
    var isStep: Bool { if case .after = timing { true } else { false } }
}

/// Something stops notifications about an incident for now. `NotificationPlanner` makes it, and nothing else withholds a message.
struct Suppression: Equatable, Sendable {
    /// When to ask again; nil: when something changes.
    let until: Date?
    let reason: Reason

    enum Reason: String, Equatable, Sendable {
        /// By a silence or a maintenance window.
        case silenced
        /// By an incident that explains it, and that this channel knows as firing, or is just being notified of.
        case inhibited
        /// What is known of the incident is too old to notify anybody of it.
        case staleEvidence
    }

    /// Whether there is to be no message, and not only a later one.
    var withholds: Bool { reason != .staleEvidence }
}

/// `record`: what is true. `known`: what the channel knows of it. `suppression`: nil where nothing stops notifications.
/// `refusalsLiftedAt`: refusals from before that instant do not count; nil: all count.
func decide(
    _ record: IncidentRecord, _ known: NotificationRecord, _ route: Route, _ suppression: Suppression?,
    refusalsLiftedAt: Date? = nil, now: Date
) -> Decision {
    let incident = record.incident
    if route.isSubject { return .nothing }

    if incident.state == .resolved {
        // A version that another one followed has no end to tell of.
        if incident.kind == .change, incident.reason != .cdnCaughtUp { return .nothing }
        let end = incident.resolvedAt ?? now
        let age = now.timeIntervalSince(end)
        let life = route.isPager ? Life.endOfPager : Life.end
        // Once the channel is repaired, a full reconcile finds what still waits.
        if isRefused(incident, known, refusalsLiftedAt) { return age < life ? .wait(until: end + life) : .nothing }
        if known.state == .firing || known.maybeDelivered { return age <= life ? .send(.resolved) : .nothing }
        // It may know of an earlier outbreak, and of its end.
        let wasPending = incident.version > known.version && (known.pendingSince != nil || known.refused != nil)
        guard wasPending, !route.isPager, suppression?.withholds != true else { return .nothing }
        return age <= Life.both ? .send(.wasFiring) : .nothing
    }
    if incident.version == 0 { return .nothing }

    // Who may know of a firing is notified again: twice is better than never.
    let knowsFiring = known.state == .firing
    if knowsFiring, route.takesAcknowledgements, let taken = record.acknowledgement, taken.at != known.acknowledgedAt {
        return .send(.acknowledged)
    }
    if incident.state == .recovering { return .undecided }
    if isRefused(incident, known, refusalsLiftedAt) { return .nothing }
    if route.timing == .none { return .nothing }
    if !knowsFiring {
        let escalates = incident.severity == .error && record.acknowledgement == nil && !incident.isFlapping
        if route.isStep, !escalates { return .nothing }
        if let suppression { return .wait(until: suppression.until) }
        if case .after(let delay) = route.timing {
            // Nobody could acknowledge what was held back.
            let since = [incident.escalatesFrom, known.releasedAt].compactMap(\.self).max() ?? now
            let due = since + delay.inSeconds
            return now < due ? .wait(until: due) : .send(.escalated)
        }
        if known.state == .nothing { return .send(.firing) }
        return .send(isFlappingAnew(incident) ? .flapping : .again)
    }
    if incident.version > known.version {
        if let suppression { return .wait(until: suppression.until) }
        func isNews(_ mark: Incident.Mark?) -> Bool { mark.map { $0.version > known.version } ?? false }
        if isNews(incident.worse) { return .send(.worse) }
        if isNews(incident.flapping), isFlappingAnew(incident) || !isNews(incident.again) { return .send(.flapping) }
        if isNews(incident.again) { return .send(.again) }
        let due = (known.notifiedAt ?? .distantPast) + Life.betweenChanges
        return now < due ? .wait(until: due) : .send(.changed)
    }
    guard !route.isPager, record.acknowledgement == nil, !incident.isFlapping,
        let due = route.reminders.next(for: incident, after: known.notifiedAt)
    else { return .nothing }
    if now < due { return .wait(until: due) }
    return suppression.map { .wait(until: $0.until) } ?? .send(.reminder)
}

/// It came back, and by that began to flap: the second is the news.
private func isFlappingAnew(_ incident: Incident) -> Bool {
    guard let flapping = incident.flapping?.version else { return false }
    return flapping >= incident.again?.version ?? 0 && incident.isFlapping
}

/// The receiver refused what would be sent.
private func isRefused(_ incident: Incident, _ known: NotificationRecord, _ liftedAt: Date?) -> Bool {
    guard let refused = known.refused else { return false }
    return refused.version == statedVersion(incident) && refused.at >= liftedAt ?? .distantPast
}

/// What a message about an incident states. The end is a version of its own: a receiver may refuse the firing and take the end.
func statedVersion(_ incident: Incident) -> Int {
    incident.state == .resolved ? -incident.version : incident.version
}

extension MessageRecord.Member {
    /// What the bytes state about it.
    var statedVersion: Int { state == .resolved ? -version : version }
}

/// How long things are worth sending, in seconds.
enum Life {
    /// The end of an incident, after it.
    static let end: TimeInterval = 72 * 3600
    /// The same for a receiver that would keep the incident open.
    static let endOfPager: TimeInterval = 30 * 86_400
    /// Beginning and end in one, after the end.
    static let both: TimeInterval = 24 * 3600
    /// Between a message and one that only says what changed.
    static let betweenChanges: TimeInterval = 30 * 60
}

/// When reminders of a firing incident are due. Each gap is twice the one before, up to a day.
struct ReminderSchedule: Equatable, Sendable {
    /// From the firing to the first one; nil: there are none.
    let every: Duration?

    /// Reminders end so long after the firing; those of a certificate when the incident ends.
    private static let span: TimeInterval = 7 * 86_400
    private static let day: TimeInterval = 86_400

    /// The first one after `last`, the instant of the last message; those that were missed are one. nil: no more.
    func next(for incident: Incident, after last: Date?) -> Date? {
        guard let every = every?.inSeconds, every > 0, let start = incident.remindsFrom else { return nil }
        let last = max(last ?? start, start)
        var due = start + every
        var gap = every
        while due <= last {
            gap = min(gap * 2, max(every, Self.day))
            // Beyond the doubling the gaps are equal, so that a long stop takes no long loop.
            let skipped = gap >= Self.day ? max(0, (last.timeIntervalSince(due) / gap).rounded(.down)) : 0
            due += gap * max(1, skipped)
        }
        let end = start + max(Self.span, every)
        return due <= end || incident.kind == .certificateExpiring ? due : nil
    }
}
