// The true state of the world at this moment: the audit compares messages with it.

import Evidence
import Foundation
import Monitoring

struct Present {
    /// Milliseconds since the beginning.
    let passed: Int64
    /// By the steady clock of the living process.
    let now: Date
    let wall: Date
    /// What the living process has loaded.
    let setup: SimulatedSetup
    /// When each domain was last checked, by its name.
    let checkedAt: [String: Date]
    let silences: [Silence]
    /// The channels that do not accept messages, as far as the process knows.
    let troubled: Set<String>
    /// When the wall clock was last set, a configuration was loaded, or a process started.
    let lastUpheaval: Int64

    func isSilent(_ incident: CommittedIncident) -> Bool { isSilent(incident, at: wall) }

    /// Silenced now, and for so long that the product must have noticed; for a global incident, in all its possible
    /// domains.
    func isSurelySilent(_ incident: CommittedIncident) -> Bool {
        guard passed - lastUpheaval > 120_000 else { return false }
        guard incident.isGlobal else { return [wall, wall - 120].allSatisfy { isSilent(incident, at: $0) } }
        let kinds = Self.silencedKinds(of: incident.cause)
        return !kinds.isEmpty
            && setup.watched.allSatisfy { site in
                [wall, wall - 120].allSatisfy { instant in
                    kinds.allSatisfy { isSilent(SimulatedSetup.name(of: site), $0, at: instant) }
                }
            }
    }

    private func isSilent(_ incident: CommittedIncident, at instant: Date) -> Bool {
        if !incident.isGlobal { return isSilent(incident.domain, incident.kind, at: instant) }
        // A problem that many domains share is silenced only if it is silenced for each of them.
        let kinds = Self.silencedKinds(of: incident.cause)
        return !kinds.isEmpty && !incident.affected.isEmpty
            && incident.affected.allSatisfy { domain in kinds.allSatisfy { isSilent(domain, $0, at: instant) } }
    }

    private func isSilent(_ domain: String, _ kind: IncidentKind, at instant: Date) -> Bool {
        guard let domain = try? Domain(domain) else { return false }
        return silences.contains {
            $0.isActive(at: instant) && $0.scope.matches(domain: domain, labels: [:], kind: kind)
        }
            || setup.windows.contains {
                $0.end(at: instant) != nil && $0.scope.matches(domain: domain, labels: [:], kind: kind)
            }
    }

    /// Whether a domain was checked recently, and after an instant.
    func isFresh(_ domain: String, after end: Date, slack: TimeInterval = 0) -> Bool {
        guard let checked = checkedAt[domain], let interval = setup.interval(of: domain) else { return false }
        return checked > end - slack && now.timeIntervalSince(checked) <= max(2 * interval, 600) + slack
    }

    private static let copies: Set<IncidentKind> = [.cdnMissing, .cdnStale, .cdnDivergent]
    private static let both = copies.union([.originUnreachable, .originBroken, .originInconsistent])

    func concern(of incident: CommittedIncident, to channel: SimulatedChannel) -> Concern {
        setup.concern(of: incident, to: channel, troubled: troubled)
    }

    /// The kinds that a global incident may inhibit.
    static func explained(by cause: String) -> Set<IncidentKind> {
        cause == "network" ? both : cause == "cdn" ? copies : []
    }

    /// The kinds for which all domains of a global incident must be silenced so that it is silenced too; empty: it
    /// never is.
    private static func silencedKinds(of cause: String) -> Set<IncidentKind> {
        cause == "blind" ? [.monitorDegraded] : explained(by: cause)
    }

    /// The first instant after `last` at which a reminder for an incident is due; nil: none.
    func nextReminder(of incident: CommittedIncident, after last: Date) -> Date? {
        let every = setup.remindEvery / .seconds(1)
        let day = 86_400.0
        guard every > 0, let start = [incident.firedAt, incident.again?.at].compactMap(\.self).max() else { return nil }
        let end = start + max(7 * day, every)
        var due = start + every
        var gap = every
        while due <= max(last, start) {
            gap = min(2 * gap, max(every, day))
            due += gap
        }
        return due <= end || incident.kind == .certificateExpiring ? due : nil
    }
}
