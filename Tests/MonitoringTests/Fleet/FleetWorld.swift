// Many domains on a clock that jumps from check to check: the real schedule, `evaluate` and `judgeFleet`, joined as the
// daemon joins them. It keeps the book of what a channel is told, as the outbox would.

import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

struct FleetWorld {
    /// What the two sides of a domain answer, by its number and the seconds since the beginning.
    typealias Answers = (Int, Double) -> (origin: Reply, cdn: Reply)

    struct Told: Equatable {
        let at: Double
        let type: EventType
        let kind: IncidentKind
        let domain: Domain?
        let incident: String
    }

    let domains: [Domain]
    let interval: Duration
    var policy = Policy(remindEvery: nil)
    var fleetPolicy = FleetPolicy(remindEvery: nil)
    /// Whether the reference hosts answer at a second; nil: there are none.
    var canaries: ((Double) -> Bool)?
    private(set) var states: [Domain: DomainState] = [:]
    private var glimpses: [Domain: DomainGlimpse] = [:]
    private(set) var fleet = FleetState()
    private(set) var told: [Told] = []
    /// Every open incident of the fleet after each judgement, with its second.
    private(set) var parents: [(at: Double, open: [FleetIncident])] = []
    private(set) var now = 0.0
    private var due: [Domain: Double] = [:]
    private var withheld: Set<String> = []
    private var known: Set<String> = []
    private var round: CanaryRound?
    private var judgedAt = -100.0
    /// By the next check, the first one last.
    private var queue: [Domain] = []

    static let file = Reply.file(SampleFile.version(1))
    static let lost = Reply.failed(.unreachable)

    init(_ count: Int, interval: Duration = .seconds(300)) throws {
        domains = try (0..<count).map { try Domain("d\($0).example.com") }
        self.interval = interval
        queue = domains
        for domain in domains {
            due[domain] = 0
            glimpses[domain] = DomainGlimpse(DomainState(domain: domain), interval: interval)
        }
    }

    private var instant: Date { .testing + now }

    private var look: FleetLook {
        FleetLook(
            domains: domains.compactMap { glimpses[$0] },
            canaries: canaries == nil
                ? nil : round ?? CanaryRound(at: .distantPast, hosts: ["ref.test"], isLost: false),
            startedAt: .testing)
    }

    var mutings: Mutings { Mutings(fleet: fleet.withholding) }

    /// Goes on to a second of the story.
    mutating func run(until end: Double, _ answers: Answers) throws {
        while let domain = queue.last, let next = due[domain] {
            // Between checks the service judges by itself.
            let tick = (now / 30).rounded(.down) * 30 + 30
            guard min(next, tick) <= end else { break }
            if tick < next {
                now = tick
                judge()
                makeGood()
                continue
            }
            now = next
            queue.removeLast()
            try check(domain, answers)
            let new = due[domain] ?? 0
            queue.insert(domain, at: queue.firstIndex { due[$0] ?? 0 <= new } ?? queue.endIndex)
        }
        now = end
    }

    private mutating func check(_ domain: Domain, _ answers: Answers) throws {
        let state = states[domain] ?? DomainState(domain: domain)
        let (origin, cdn) = answers(domains.firstIndex(of: domain) ?? 0, now)
        var observation = try Observation.of(domain.name, at: instant, origin: origin, cdn: cdn)
        observation.full = FullLook(resolution: Resolution(source: .proxy))
        let evaluation = evaluate(
            state, observation, policy, now: instant, egress: egress(after: observation, known: state))
        states[domain] = evaluation.state
        glimpses[domain] = DomainGlimpse(evaluation.state, interval: interval)
        if evaluation.events.contains(where: { $0.type == .firing || $0.type == .update }) || now - judgedAt >= 5 {
            judge()
        }
        let (spoken, silent) = mutings.split(evaluation.events, labels: [:], at: instant)
        for event in spoken { tell(event) }
        withheld.formUnion(silent.map(\.incident.id))
        // A little late, as every timer.
        due[domain] =
            now + 0.05
            + CheckSchedule(domain: domain, interval: interval).delay(after: evaluation.state, now: instant).inSeconds
        makeGood()
    }

    private mutating func egress(after observation: Observation, known: DomainState) -> Egress {
        let glimpse = DomainGlimpse(known, interval: interval).after(observation, at: instant)
        guard glimpse.reach.isLost else { return .trusted }
        if let canaries { round = CanaryRound(at: instant, hosts: ["ref.test"], isLost: !canaries(now)) }
        var look = look
        look.domains.removeAll { $0.domain == observation.domain }
        look.domains.append(glimpse)
        return EgressDoubt(look, now: instant) == nil ? .trusted : .inDoubt
    }

    private mutating func judge() {
        judgedAt = now
        let evaluation = judgeFleet(fleet, look, fleetPolicy, now: instant)
        // The same twice, and after the memory was written down and read: a restart or a replay changes nothing.
        if !evaluation.incidents.isEmpty {
            let stored = try? JSONDecoder().decode(FleetState.self, from: JSONEncoder().encode(fleet))
            #expect(stored == fleet)
            #expect(judgeFleet(stored ?? fleet, look, fleetPolicy, now: instant) == evaluation)
        }
        fleet = evaluation.state
        for news in evaluation.news { tell(news.event) }
        if parents.last?.open != fleet.open { parents.append((now, fleet.open)) }
    }

    /// An end is for those who know of a beginning.
    private mutating func tell(_ event: Event) {
        if event.type == .resolved, known.remove(event.incident.id) == nil { return }
        if event.type != .resolved { known.insert(event.incident.id) }
        told.append(
            Told(
                at: now, type: event.type, kind: event.incident.kind, domain: event.incident.domain,
                incident: event.incident.id))
    }

    /// As `SilenceWatch` does.
    private mutating func makeGood() {
        guard !withheld.isEmpty else { return }
        for domain in domains {
            guard let state = states[domain], !state.open.isEmpty else { continue }
            for open in state.open.values where withheld.contains(open.incident.id) {
                let incident = open.incident
                guard mutings.muting(domain: domain, labels: [:], kind: incident.kind, at: instant) == nil,
                    state.lastCheckedAt ?? .distantPast >= mutings.fleet.endedAt ?? .distantPast,
                    open.unknownSince == nil,
                    let event = Event.present(incident, verdict: state.verdict, at: instant)
                else { continue }
                withheld.remove(incident.id)
                if !known.contains(incident.id) { tell(event) }
            }
        }
    }

    /// `firing cdn.wide`, in the order of telling, without domains.
    var gist: [String] { told.map { "\($0.type.rawValue.dropFirst(9)) \($0.kind.rawValue)" } }
    var toldOfDomains: [Told] { told.filter { $0.domain != nil } }
    var firing: [IncidentKind] {
        domains.flatMap { states[$0]?.open.values.map(\.incident) ?? [] }.filter { $0.state == .firing }.map(\.kind)
    }
}
