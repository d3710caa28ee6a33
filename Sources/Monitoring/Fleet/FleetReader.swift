// What one look says about each kind of trouble of the fleet.

import Evidence
import Foundation

enum FleetReading: Equatable {
    /// `isSure`: it is to be told, if nothing else speaks against it.
    case holds(since: Date, isSure: Bool, FleetReport)
    case clear
    /// There is nothing left that it could be about. `relief`: in words.
    case removed(relief: String)
    /// Opens nothing and closes nothing.
    case unknown
}

struct FleetReader {
    let look: FleetLook
    let policy: FleetPolicy
    let now: Date
    /// When a domain was last looked at.
    let lastLook: Date?
    /// How long something must look over before it is: no longer than the domains' usual interval.
    let settle: TimeInterval
    private let usual: TimeInterval

    init(look: FleetLook, policy: FleetPolicy, now: Date) {
        self.look = look
        self.policy = policy
        self.now = now
        let checked = look.domains.filter { $0.checkedAt != nil }
        lastLook = checked.compactMap(\.checkedAt).max()
        usual = FleetTally.median(checked.map(\.interval)).inSeconds
        settle = min(policy.settle.inSeconds, usual)
    }

    func reading(of cause: FleetCause, known: FleetIncident?, network: FleetIncident?) -> FleetReading {
        switch cause {
        case .network: self.network(known)
        // With our own network in doubt nothing is known of Apple's side.
        case .cdn: network == nil ? cdn(known) : .unknown
        case .store: store
        case .schedule: schedule(known)
        case .configuration: configuration
        case .channel(let name): channel(name)
        }
    }

    /// With a clock that was set back over a restart it may lie ahead, and nobody knows how old it is: rather told early
    /// than after as long as the clock was set back.
    private func isOld(_ since: Date, _ patience: TimeInterval) -> Bool {
        abs(now.timeIntervalSince(since)) >= patience
    }

    // MARK: - Our network

    private func network(_ known: FleetIncident?) -> FleetReading {
        if let doubt = EgressDoubt(look, now: now) {
            let opened = known?.incident.openedAt ?? now
            return .holds(
                since: known?.incident.since ?? doubt.since,
                isSure: isOld(opened, min(policy.patience.inSeconds, 2 * usual)),
                .networkLost(doubt, of: look.domains.count))
        }
        let tally = FleetTally(look.domains, since: known?.incident.since, now: now, turn: Self.bothSides)
        return reading(tally, known, isRipe: tally.isTelling, report: .manyFailing(tally))
    }

    /// The origin fails, and Apple's CDN says nothing either.
    private static func bothSides(_ glimpse: DomainGlimpse) -> FleetTally.Turn? {
        guard let silent = glimpse.reach.cdnSilentSince else { return nil }
        let troubles = glimpse.troubles.filter { $0.kind == .originUnreachable || $0.kind == .originBroken }
        guard let turned = troubles.map(\.turnedAt).min() else { return nil }
        let at = max(turned, silent)
        return FleetTally.Turn(at: at, seenAt: at, isTelling: troubles.contains { $0.isConfirmed })
    }

    // MARK: - Apple's side

    private func cdn(_ known: FleetIncident?) -> FleetReading {
        let asked = look.domains.filter { $0.checkedAt == nil || $0.reach.isCDNAsked }
        let tallies = CDNFailure.allCases.map { failure in
            (failure, FleetTally(asked, since: known?.incident.since, now: now) { turn(of: $0, to: failure) })
        }
        guard let (failure, worst) = tallies.max(by: { $0.1.affected.count < $1.1.affected.count }) else {
            return .clear
        }
        // Of what has time to end by itself nobody is told before that time.
        let age = known.map { isOld($0.incident.openedAt, min(2 * usual, 300)) } ?? false
        return reading(
            worst, known, isRipe: worst.isTelling || failure == .silent && age, report: .cdnWide(failure, worst))
    }

    private func turn(of glimpse: DomainGlimpse, to failure: CDNFailure) -> FleetTally.Turn? {
        // Where the origin is in trouble too, it is not Apple's side alone.
        if glimpse.troubles.contains(where: { $0.kind == .originUnreachable || $0.kind == .originBroken }) {
            return nil
        }
        guard let kind = failure.kind else {
            guard glimpse.reach.originLostSince == nil else { return nil }
            return glimpse.reach.cdnSilentSince.map { FleetTally.Turn(at: $0, seenAt: $0, isTelling: false) }
        }
        return glimpse.troubles.first { $0.kind == kind }.map { trouble in
            let isDue = trouble.graceUntil.map { $0 <= now + policy.lead.inSeconds } ?? false
            return FleetTally.Turn(
                at: trouble.turnedAt, seenAt: trouble.openedAt, isTelling: trouble.isConfirmed || isDue)
        }
    }

    // MARK: - Both

    /// A parent is told when the first of its children would be: what passes before that is no news of any domain, and none
    /// of the fleet.
    private func reading(
        _ tally: FleetTally, _ known: FleetIncident?, isRipe: Bool, report: FleetReport
    ) -> FleetReading {
        guard let known, known.incident.state != .pending else {
            guard tally.isSuspect(policy) else { return .clear }
            return .holds(
                since: known?.incident.since ?? tally.onset, isSure: tally.isSure(policy) && isRipe, report)
        }
        return tally.isCalm(policy) ? .clear : .holds(since: known.incident.since, isSure: true, report)
    }

    // MARK: - The monitor itself

    private var store: FleetReading {
        guard let trouble = look.store else { return .clear }
        return .holds(
            since: trouble.since, isSure: isOld(trouble.since, policy.patience.inSeconds), .storeFailing(trouble))
    }

    /// Checks that are overdue by three intervals. A store that takes nothing holds them up too, and has its own story.
    private func schedule(_ known: FleetIncident?) -> FleetReading {
        guard look.store == nil else { return .unknown }
        let late = look.domains.filter { glimpse in
            let last = max(glimpse.checkedAt ?? .distantPast, look.startedAt, glimpse.watchedSince)
            return now.timeIntervalSince(last) > 3 * glimpse.interval.inSeconds + policy.scheduleSlack.inSeconds
        }
        // Half of what opens it keeps it open.
        let isOpen = known.map { $0.incident.state != .pending } ?? false
        let limit = Double(look.domains.count) * (isOpen ? 0.05 : 0.1)
        guard !late.isEmpty, Double(late.count) > limit else { return .clear }
        return .holds(
            since: known?.incident.since ?? now, isSure: true,
            .scheduleBehind(late.map(\.domain), of: look.domains.count))
    }

    private var configuration: FleetReading {
        guard let refusal = look.refusal else { return .clear }
        return .holds(since: refusal.since, isSure: true, .reloadRefused(refusal))
    }

    /// The delivery has confirmed it by repeating its attempts.
    private func channel(_ name: String) -> FleetReading {
        if let names = look.channelNames, !names.contains(name) {
            return .removed(relief: "the channel '\(name.displayable)' is not configured any more")
        }
        guard let trouble = look.channels.first(where: { $0.name == name }) else { return .clear }
        return .holds(since: trouble.since, isSure: true, .deliveryFailing(trouble))
    }
}

/// In which way Apple's side of a domain fails.
enum CDNFailure: CaseIterable {
    case missing, stale, divergent
    /// No word about the file. No incident of the domain: nothing is known of it.
    case silent

    var kind: IncidentKind? {
        switch self {
        case .missing: .cdnMissing
        case .stale: .cdnStale
        case .divergent: .cdnDivergent
        case .silent: nil
        }
    }
}
