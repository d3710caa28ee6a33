// While the store takes no writes no message can be owed, so that the news of it goes out directly, once. Once writes work
// again the whole story is owed like every other: its end to those who may know of the trouble, all of it to the others.

import Alerting
import Evidence
import Foundation
import Monitoring
import Storage
import Synchronization

/// Takes the news from those who judge, who never wait for a receiver, and tells it on a task of its own: one message at
/// a time, and the same one until somebody takes it. What it told is kept outside the store, so that the next process tells
/// it under the same id and owes its end.
package final class LastResort: Sendable {
    private struct State {
        /// What is told, by this process or by an earlier one.
        var outage: Outage?
        /// Of the latest offer.
        var routes: Routes?
        var isDue = false
        var isUnderWay = false
        var triedAt: Date?
    }

    private let message: DirectMessage
    private let memory: ReservedFile?
    private let state = Mutex(State())
    private let bell = Bell()

    /// Between two tries, where nobody took it.
    private static let pause: TimeInterval = 60

    /// `memory`: where what is told outlives the process; nil: nowhere. One that cannot be written is done without.
    package init(message: DirectMessage, memory: ReservedFile? = nil) {
        self.message = message
        self.memory = memory
    }

    /// Takes up what an earlier process told and did not see the end of. Once, before anything is offered.
    func recall() async {
        guard let bytes = await memory?.held(), let outage = try? JSONDecoder().decode(Outage.self, from: bytes)
        else { return }
        state.withLock { $0.outage = outage }
    }

    /// Makes sure that there will be a place to note what is told. Worth doing while the disk has room.
    /// Returns what kept it from that; nil where nothing did.
    func reserve() async -> String? { await memory?.reserve() }

    /// Forgets what was recalled where its end is stored already: a process may be killed between the two.
    func forget(whatIsOverIn store: Store) async throws {
        guard let told = state.withLock(\.outage)?.incident.incident,
            let stored = try await store.incident(id: told.id),
            stored.state == .resolved, stored.sequence > told.sequence
        else { return }
        await settle()
    }

    /// Has the store's own trouble told where it would be told, and nothing else: all other news can wait for the store.
    /// Returns at once.
    func offer(_ evaluation: FleetEvaluation, _ routes: Routes, _ mutings: Mutings) {
        guard let news = Self.beginning(in: evaluation),
            let incident = evaluation.state[.store],
            !mutings.split([news.event], labels: [:], at: news.event.at).told.isEmpty
        else { return }
        let isDue = state.withLock { state in
            guard state.outage?.taken.isEmpty ?? true, !state.isDue, !state.isUnderWay,
                state.triedAt.map({ abs(news.event.at.timeIntervalSince($0)) >= Self.pause }) ?? true
            else { return false }
            if state.outage == nil { state.outage = Outage(event: news.event, incident: incident) }
            // Who is told may have changed since.
            state.routes = routes
            state.triedAt = news.event.at
            state.isDue = true
            return true
        }
        if isDue { bell.ring() }
    }

    /// The news that the store fails; where it did so a while ago too, it is the same incident again.
    private static func beginning(in evaluation: FleetEvaluation) -> FleetEvaluation.News? {
        evaluation.news.first { $0.cause == .store && ($0.event.type == .firing || $0.event.isReawakening) }
    }

    /// What is left to commit of a judgement that takes the store's trouble for new. Where that was to be told past the
    /// store already, its beginning is left out: it can only be committed once it is over, and would be a second story.
    func remainder(of evaluation: FleetEvaluation) -> FleetEvaluation {
        guard state.withLock({ $0.outage != nil }), let news = Self.beginning(in: evaluation)
        else { return evaluation }
        var rest = evaluation
        rest.news.removeAll { $0.cause == .store }
        rest.state.open.removeAll { $0.cause == .store }
        rest.incidents.removeAll { $0.id == news.event.incident.id }
        return rest
    }

    /// Tells what is offered, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let rings = bell.rings
            guard let (known, routes) = takeUp() else {
                await bell.wait(past: rings)
                continue
            }
            var outage = known
            // Before anybody can read it: a process that is killed now leaves its end to the next one.
            await keep(outage.underWay(to: DirectMessage.recipients(of: .store, routes).map(\.name)))
            outage.note(await message.tell(outage.event, of: .store, routes))
            let heard = outage
            await keep(heard)
            state.withLock { state in
                state.isUnderWay = false
                state.outage = heard
            }
        }
    }

    private func takeUp() -> (Outage, Routes)? {
        state.withLock { state in
            guard state.isDue, let outage = state.outage, let routes = state.routes else { return nil }
            state.isDue = false
            state.isUnderWay = true
            return (outage, routes)
        }
    }

    private func keep(_ outage: Outage) async {
        guard let bytes = try? JSONEncoder().encode(outage) else { return }
        await memory?.hold(bytes)
    }

    /// The incident that is over now that writes work, and its story as it is owed. nil where there is none, where it is
    /// not over, and while a message is on its way: whoever takes that is owed the end.
    func end(
        _ evaluation: FleetEvaluation, _ routes: Routes, _ mutings: Mutings, _ now: Date
    ) throws -> (incident: Incident, story: [OutboxDraft])? {
        let outage = state.withLock { state -> Outage? in
            guard !state.isUnderWay, evaluation.state[.store] == nil else { return nil }
            // What nobody has begun to send is told by the story.
            state.isDue = false
            return state.outage
        }
        guard let outage else { return nil }
        let isMuted = mutings.split([outage.event], labels: [:], at: now).told.isEmpty
        return try outage.over(routes, isMuted: isMuted, at: now)
    }

    /// The trouble is over, and its end is committed.
    func settle() async {
        state.withLock { $0 = State() }
        await memory?.hold(Data())
    }
}
