// Decides whether a message is sent, and why. `decide` is a pure and total function of the incident, what the channel
// knows, the route, and the suppression. Its rows are those of the table in docs/reference/alerts.md, in the same
// order. The first row that matches decides.

import Evidence
import Foundation
import Monitoring
import Storage

/// What to do about one incident at one channel.
enum Decision: Equatable, Sendable {
    case nothing
    /// The incident is recovering: nothing is sent, and a pending notification stays pending.
    case undecided
    /// Ask again at this time, or when something changes; nil: only when something changes.
    case wait(until: Date?)
    case send(NotificationReason)
}

/// How an incident concerns a channel, according to the configuration.
struct Route: Equatable, Sendable {
    var timing = Timing.atOnce
    /// The incident is about this channel itself.
    var isSubject = false
    /// The receiver tracks incidents and repeats notifications itself.
    var isPager = false
    var takesAcknowledgements = false
    var reminders = ReminderSchedule(every: nil)

    /// When the channel is notified of a firing incident.
    enum Timing: Equatable, Sendable {
        case none, atOnce
        /// This long after the incident fires, unless somebody acknowledges: a step of the escalation.
        case after(Duration)
    }

    /// Whether the channel is a step of the escalation.
    var isStep: Bool { if case .after = timing { true } else { false } }
}

/// Stops notifications about an incident for now. Only `NotificationPlanner` creates one.
struct Suppression: Equatable, Sendable {
    /// When to ask again; nil: when something changes.
    let until: Date?
    /// Silenced or inhibited. False: only delayed, because the last check or the last global evaluation is too old.
    var isSuppressing = true
}

/// `record`: what is true. `known`: what the channel knows. `suppression`: nil if nothing stops notifications.
/// `refusalsLiftedAt`: refusals before this time do not count; nil: all count.
func decide(
    _ record: IncidentRecord, _ known: NotificationRecord, _ route: Route, _ suppression: Suppression?,
    refusalsLiftedAt: Date? = nil, now: Date
) -> Decision {
    let incident = record.incident
    if route.isSubject { return .nothing }

    if incident.state == .resolved {
        // The end of a change that a newer change replaced is not news.
        if incident.kind == .change, incident.reason != .cdnCaughtUp { return .nothing }
        let end = incident.resolvedAt ?? now
        let age = now.timeIntervalSince(end)
        let life = route.isPager ? Life.endOfPager : Life.end
        // After the channel is repaired, a full reconcile sends an end that still waits.
        if isRefused(incident, known, refusalsLiftedAt) { return age < life ? .wait(until: end + life) : .nothing }
        if known.state == .firing || known.maybeDelivered { return age <= life ? .send(.resolved) : .nothing }
        // The channel may know an earlier outbreak and its end.
        let wasPending = incident.version > known.version && (known.pendingSince != nil || known.refused != nil)
        guard wasPending, !route.isPager, suppression?.isSuppressing != true else { return .nothing }
        return age <= Life.both ? .send(.wasFiring) : .nothing
    }
    if incident.version == 0 { return .nothing }

    // A channel that may know of a firing is notified again: better twice than never.
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
            // Nobody could acknowledge while notifications were suppressed.
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

/// The incident came back and started to flap with the same version: the flapping is the news.
private func isFlappingAnew(_ incident: Incident) -> Bool {
    guard let flapping = incident.flapping?.version else { return false }
    return flapping >= incident.again?.version ?? 0 && incident.isFlapping
}

/// The receiver refused the version that a message would state.
private func isRefused(_ incident: Incident, _ known: NotificationRecord, _ liftedAt: Date?) -> Bool {
    guard let refused = known.refused else { return false }
    return refused.version == statedVersion(incident) && refused.at >= liftedAt ?? .distantPast
}

/// The version that a message states. An end is negative, because a receiver may refuse the firing but accept the end.
func statedVersion(_ incident: Incident) -> Int {
    incident.state == .resolved ? -incident.version : incident.version
}

extension MessageRecord.Member {
    /// The version that the bytes state about this incident.
    var statedVersion: Int { state == .resolved ? -version : version }
}

/// How long a notification is worth sending, in seconds.
enum Life {
    /// The end of an incident, from its end on.
    static let end: TimeInterval = 72 * 3600
    /// The same for a pager, which would keep the incident open.
    static let endOfPager: TimeInterval = 30 * 86_400
    /// "was firing, resolved", which states the firing and the end together, from the end on.
    static let both: TimeInterval = 24 * 3600
    /// The gap between a message and one that only states a change.
    static let betweenChanges: TimeInterval = 30 * 60
}

/// When reminders of a firing incident are due. Each gap is twice the previous one, up to a day.
struct ReminderSchedule: Equatable, Sendable {
    /// From the firing to the first reminder; nil: no reminders.
    let every: Duration?

    /// In seconds from the firing. Reminders end then, except those of a certificate, which last until the end.
    private static let span: TimeInterval = 7 * 86_400
    private static let day: TimeInterval = 86_400

    /// The next reminder after the last message at `last`. Missed reminders become one. nil: no more.
    func next(for incident: Incident, after last: Date?) -> Date? {
        guard let every = every?.inSeconds, every > 0, let start = incident.remindsFrom else { return nil }
        let last = max(last ?? start, start)
        var due = start + every
        var gap = every
        while due <= last {
            gap = min(gap * 2, max(every, Self.day))
            // Gaps of a day or more are equal. Skip them, so that the loop is short even after a long downtime.
            let skipped = gap >= Self.day ? max(0, (last.timeIntervalSince(due) / gap).rounded(.down)) : 0
            due += gap * max(1, skipped)
        }
        let end = start + max(Self.span, every)
        return due <= end || incident.kind == .certificateExpiring ? due : nil
    }
}
