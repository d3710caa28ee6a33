import Evidence
import Foundation
import Monitoring
import Synchronization
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Schedule")
    struct ScheduleTests {
        private func state(_ domain: Domain, open: TrackedIncident? = nil) -> DomainState {
            var state = DomainState(domain: domain)
            state.lastCheckedAt = .testing
            if let open { state.open[open.incident.kind] = open }
            return state
        }

        @Test("a domain that was never checked is checked immediately")
        func firstResult() throws {
            let domain = try Domain("example.com")
            let schedule = CheckSchedule(domain: domain, interval: .seconds(300))
            #expect(schedule.delay(after: nil, now: .testing) == .zero)
            #expect(schedule.delay(after: DomainState(domain: domain), now: .testing) == .zero)
        }

        @Test(
            "the wait is more than zero and never more than one interval", arguments: [1, 60, 300, 86400, 604_800])
        func bounds(_ seconds: Int) throws {
            var random = SeededGenerator(seed: 1)
            for index in 0..<200 {
                let domain = try Domain("d\(index).example.com")
                let schedule = CheckSchedule(domain: domain, interval: .seconds(seconds))
                #expect((0..<1).contains(schedule.phase))
                let now = Date.testing + Double.random(in: -1e9...1e9, using: &random)
                let delay = schedule.delay(after: state(domain), now: now)
                #expect(delay > .zero && delay <= .seconds(seconds))
            }
        }

        @Test("checks fall on the same instants, whatever happened in between")
        func phase() throws {
            let domain = try Domain("example.com")
            let schedule = CheckSchedule(domain: domain, interval: .seconds(300))
            let due = (0..<20).map { step in
                let now = Date.testing + Double(step) * 1234.5
                let instant = now.timeIntervalSince1970 + schedule.delay(after: state(domain), now: now) / .seconds(1)
                return (instant / 300 - schedule.phase).distance(to: (instant / 300 - schedule.phase).rounded())
            }
            #expect(due.allSatisfy { abs($0) < 0.001 })
            #expect(CheckSchedule(domain: domain, interval: .seconds(60)).phase == schedule.phase)
        }

        @Test("an unconfirmed failure is checked again within a minute; one that waits for its time is not")
        func recheck() throws {
            let domain = try Domain("example.com")
            let schedule = CheckSchedule(domain: domain, interval: .seconds(86400))
            let now = Date.testing
            let incident = Incident(
                id: "1", subject: .domain(domain), kind: .originBroken, severity: .error, state: .pending, since: now,
                openedAt: now)
            let pending = schedule.delay(after: state(domain, open: TrackedIncident(incident: incident)), now: now)
            #expect(pending <= CheckSchedule.recheck)
            let waiting = TrackedIncident(incident: incident, graceUntil: now + 3600)
            #expect(
                schedule.delay(after: state(domain, open: waiting), now: now)
                    == schedule.delay(after: state(domain), now: now))
        }

        @Test(
            "the steady clock does not follow the wall clock in either direction", arguments: [-86_400.0, 7200])
        func steady(_ step: Double) {
            let offset = Mutex(0.0)
            let time = SystemTime(anchor: .testing) { .testing + offset.withLock(\.self) }
            let before = time.now()
            offset.withLock { $0 = step }
            #expect((0..<60).contains(time.now().timeIntervalSince(before)))
            #expect(time.systemTime() == .testing + step)
            #expect(abs(time.shown(before).timeIntervalSince(before) - step) < 60)
        }

        @Test(
            "an instant is always shown in the same second",
            arguments: [(-0.4, 0.0), (0.000_3, 0), (0.4, 0), (3600.2, 3600), (-7200.1, -7200)])
        func shown(_ apart: Double, _ moved: Double) {
            #expect(Date.testing.shown(steady: .testing + 5, wall: .testing + 5 + apart) == .testing + moved)
        }
    }
}
