// All that a full check asks the origin's addresses: each by itself, under this program's name and under those of Apple's
// own clients.

import Curl
import Evidence
import Foundation

struct OriginSurvey: Sendable {
    let origin: OriginProbe
    let book: AddressBook

    struct Seen: Sendable {
        var resolution: Resolution
        var addresses: [AddressLook] = []
        var agents: [AgentLook] = []
        var contents: [ContentHash: Data] = [:]
    }

    private enum Event: Sendable {
        case seen(AddressQuestion, Sight, took: Duration)
        case patienceOver
    }

    /// Every address at once, and each address's agents as soon as all have answered: an address that does not answer holds
    /// up no other. `timeout` is for the look-up of the name, and again for all the looks together.
    func survey(_ domain: Domain, timeout: Duration) async throws -> Seen {
        let url = domain.wellKnownURL
        let resolution = try await book.resolution(of: domain.name, timeout: timeout)
        // Behind a proxy there is one place, and its address is not known here.
        let places: [ResolvedAddress?] = resolution.source == .proxy ? [nil] : resolution.addresses
        guard !places.isEmpty else { return Seen(resolution: resolution) }
        let plan = try await withThrowingTaskGroup(of: Event.self) { group in
            var plan = AgentPlan(places)
            var open = 0
            func ask(_ questions: [AddressQuestion], within time: Duration) {
                open += questions.count
                for question in questions {
                    let address = places[question.place]?.address
                    group.addTask {
                        if question.purpose != .plain { try await Task.sleep(for: AgentPlan.pause) }
                        let start = ContinuousClock.now
                        let sight = try await origin.ask(
                            url, address: address, userAgent: question.agent?.userAgent, timeout: time)
                        return .seen(question, sight, took: start.duration(to: .now))
                    }
                }
            }
            let end = ContinuousClock.now + timeout
            ask(plan.first, within: timeout)
            group.addTask {
                try await Task.sleep(for: min(.seconds(1), timeout / 4))
                return .patienceOver
            }
            while open > 0, let event = try await group.next() {
                switch event {
                case .patienceOver: plan.isPatient = false
                case .seen(let question, let sight, let took):
                    open -= 1
                    plan.note(sight, to: question, took: took)
                }
                let left = end - .now
                // Who is asked late must not look as if it refused Apple only because time ran out.
                if left >= timeout / 4 { ask(plan.next(mayWiden: left >= timeout / 2), within: left) }
            }
            group.cancelAll()
            return plan
        }
        var seen = Seen(resolution: resolution)
        var sights: [Sight] = []
        for (place, address) in places.enumerated() {
            guard let address, let sight = plan.plainSight(at: place) else { continue }
            seen.addresses.append(AddressLook(address: address, retrieval: sight.retrieval))
            sights.append(sight)
        }
        for (place, agent, sight) in plan.agentSights {
            seen.agents.append(
                AgentLook(agent: agent, address: places[place]?.address, retrieval: sight.retrieval))
            sights.append(sight)
        }
        seen.contents = sights.contents
        return seen
    }
}
