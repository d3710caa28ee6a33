// Checks on request: immediate, in addition to the schedule, and limited.

import Evidence
import Foundation
import Monitoring
import StatusServer
import Synchronization

extension DomainScheduler {
    /// The minimum time between two requested checks of a domain: a full check sends a site a dozen requests.
    static let pause: Duration = .seconds(10)
    /// The maximum of concurrent requested checks; more are refused.
    private static let mostRequested = 16

    /// Runs a full check now, or joins the running one, and waits at most `wait`. It counts as a regular check, and the
    /// next one follows an interval later.
    func checkNow(_ domain: Domain, wait: Duration) async -> MonitorActions.CheckAnswer {
        let asked = time.now()
        switch begin(domain) {
        case .failure(let refusal): return refusal.answer
        case .success(let task):
            // Waiting for a task cannot be cancelled; waiting for a stream can.
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            Task {
                await task.value
                end.finish()
            }
            await withTaskGroup { group in
                group.addTask { for await _ in ended {} }
                group.addTask { try? await Task.sleep(for: wait) }
                await group.next()
                group.cancelAll()
            }
        }
        // A check that the store did not save does not count.
        let checked = state.withLock { $0.entries[domain]?.entry.state?.lastCheckedAt } ?? .distantPast
        return checked >= asked ? .done : .underWay
    }

    func isChecking(_ domain: Domain) -> Bool { state.withLock { $0.entries[domain]?.entry.task != nil } }

    /// How many seconds the longest-waiting check is overdue.
    var lateness: TimeInterval {
        guard let nextDue else { return 0 }
        return max(0, time.now().timeIntervalSince(nextDue))
    }

    private struct Refusal: Error { let answer: MonitorActions.CheckAnswer }

    private func begin(_ domain: Domain) -> Result<Task<Void, Never>, Refusal> {
        let now = time.now()
        return state.withLock { state in
            guard let (_, entry) = state.entries[domain] else { return .failure(Refusal(answer: .notWatched)) }
            if let task = entry.task { return .success(task) }
            let instant = ContinuousClock.now
            if let last = entry.wantedAt, instant - last < pause {
                let left = (pause - (instant - last)).inSeconds
                return .failure(Refusal(answer: .tooOften(retryAfter: Int(left.rounded(.up)))))
            }
            guard state.wanted < Self.mostRequested else { return .failure(Refusal(answer: .tooOften(retryAfter: 5))) }
            entry.wantedAt = instant
            // With a new number, queue items of the old one are ignored.
            state.begun += 1
            state.wanted += 1
            state.entries[domain] = (state.begun, entry)
            state.underWay[state.begun] = now
            let item = DueQueue.Item(at: now, domain: domain, watcher: state.begun)
            let (watcher, known) = (entry.watcher, entry.state)
            let task = Task {
                let next = (try? await watcher.checkNow(known)) ?? nil
                self.finish(item, next)
                self.state.withLock { $0.wanted -= 1 }
            }
            entry.task = task
            return .success(task)
        }
    }
}
