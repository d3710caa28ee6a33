// At which of a domain's addresses Apple's own user agents are asked, and in which order. Pure: it is given the answers, and
// says what to ask next. What our own requests provoke is no evidence: agents are asked after the plain requests, at each
// address one request after the other, and no more where a server has had enough of us.

import Evidence
import Facts

/// One request to one place of a domain: to an address, by its index in the resolver's list, or to where the proxy leads.
struct AddressQuestion: Hashable, Sendable {
    var place: Int
    var purpose: Purpose

    enum Purpose: Hashable, Sendable {
        /// Under this program's own name.
        case plain
        case agent(AgentLook.Agent)
        /// Directly after an agent's answer that is not like the plain one: whether the plain one still holds.
        case plainAfter(AgentLook.Agent)
        case agentAgain(AgentLook.Agent)
    }

    /// nil: under this program's own name.
    var agent: AgentLook.Agent? {
        switch purpose {
        case .agent(let agent), .agentAgain(let agent): agent
        case .plain, .plainAfter: nil
        }
    }
}

struct AgentPlan {
    /// Places at which agents are asked at first; and as many more, where those turn out not to speak for all.
    static let maximumPlaces = 4
    /// Before each request under an agent's name, and each that follows one.
    static let pause: Duration = .milliseconds(100)

    /// While true, an address that has not answered yet is waited for, and may speak for others.
    var isPatient = true
    private let count: Int
    private var chosen: Set<Int>
    private var plain: [Int: Answered] = [:]
    /// By the first question under the agent's name.
    private var agents: [AddressQuestion: Answered] = [:]
    /// What is left to ask at each place that was begun.
    private var steps: [Int: [AddressQuestion.Purpose]] = [:]
    /// Places with one of these questions under way.
    private var busy: Set<Int> = []
    /// Whether a server answered that this is too much for it, or too much from us.
    private var isLimited = false

    private struct Answered {
        var sight: FetchResult
        var took: Duration
    }

    /// `places`: nil for where the proxy leads. Of a host with more addresses than are asked, both families have their part.
    init(_ places: [ResolvedAddress?]) {
        count = places.count
        let four = places.indices.filter { places[$0]?.family != 6 }
        let six = places.indices.filter { places[$0]?.family == 6 }
        let fours = min(four.count, max(Self.maximumPlaces / 2, Self.maximumPlaces - six.count))
        chosen = Set(four.prefix(fours) + six.prefix(Self.maximumPlaces - fours))
    }

    /// What to ask at the beginning, all at once.
    var first: [AddressQuestion] { (0..<count).map { AddressQuestion(place: $0, purpose: .plain) } }

    mutating func note(_ sight: FetchResult, to question: AddressQuestion, took: Duration) {
        let place = question.place
        let answered = Answered(sight: sight, took: took)
        if let status = sight.retrieval.answer?.status, [429, 503].contains(status) { isLimited = true }
        let isAsBefore = plainSight(at: place).map { sight.answersLike($0.retrieval) } ?? false
        if question.purpose != .plain { busy.remove(place) }
        switch question.purpose {
        case .plain: plain[place] = answered
        case .agent(let agent):
            agents[question] = answered
            // Who took all the time there was is not waited for again.
            if hasAnswered(place), !isAsBefore, sight.retrieval.failure?.kind != .timedOut {
                steps[place]?.insert(.plainAfter(agent), at: 0)
            }
        case .plainAfter(let agent):
            // The bytes of a page, or of servers that differ among themselves, are new at each answer.
            if plainSight(at: place)?.retrieval.isAnsweredLike(sight.retrieval) ?? false {
                steps[place]?.insert(.agentAgain(agent), at: 0)
            } else {
                // The answers changed under our requests: that shows no rule about agents.
                agents[AddressQuestion(place: place, purpose: .agent(agent))] = nil
                steps[place] = []
            }
        case .agentAgain(let agent):
            // Servers behind one address may differ by themselves, from one answer to the next.
            if isAsBefore { agents[AddressQuestion(place: place, purpose: .agent(agent))] = answered }
        }
    }

    /// What to ask now, at each place one thing. `mayWiden`: whether there is time enough for places that were not asked yet.
    mutating func next(mayWiden: Bool) -> [AddressQuestion] {
        guard !isLimited else { return [] }
        if mayWiden { widen() }
        guard !isPatient || plain.count == count else { return [] }
        var questions: [AddressQuestion] = []
        for place in chosen.sorted() where !busy.contains(place) && plain[place] != nil {
            var left = steps[place] ?? (mayDiffer(place) ? AgentLook.Agent.allCases.map { .agent($0) } : [])
            if !left.isEmpty {
                questions.append(AddressQuestion(place: place, purpose: left.removeFirst()))
                busy.insert(place)
            }
            steps[place] = left
        }
        return questions
    }

    /// An answer that no chosen address gives has its own server, and perhaps its own rules.
    private mutating func widen() {
        for place in 0..<count where !chosen.contains(place) && chosen.count < 2 * Self.maximumPlaces {
            guard hasAnswered(place), let own = plainSight(at: place)?.retrieval else { continue }
            let isCovered = chosen.contains { other in
                plainSight(at: other).map { $0.retrieval.isGivenLike(own) } ?? isPatient
            }
            if !isCovered { chosen.insert(place) }
        }
    }

    /// Whether an agent may be given something else there: only where a server reads requests.
    private func mayDiffer(_ place: Int) -> Bool {
        guard let failure = plainSight(at: place)?.retrieval.failure else { return true }
        return failure.phase == .waiting || failure.phase == .receiving
    }

    private func hasAnswered(_ place: Int) -> Bool { plainSight(at: place)?.retrieval.answer != nil }

    // MARK: - What came of it

    func plainSight(at place: Int) -> FetchResult? { plain[place]?.sight }

    /// The agents' looks that say anything, by place: where neither they nor this program got an answer, there is nothing to
    /// compare, nor where an agent had not twice the time that the plain answer took.
    var agentSights: [(place: Int, agent: AgentLook.Agent, sight: FetchResult)] {
        chosen.sorted().flatMap { place in
            AgentLook.Agent.allCases.compactMap { agent in
                guard let asked = agents[AddressQuestion(place: place, purpose: .agent(agent))] else { return nil }
                if asked.sight.retrieval.failure?.kind == .timedOut, let own = plain[place], own.took * 2 > asked.took {
                    return nil
                }
                let isTelling = hasAnswered(place) || asked.sight.retrieval.answer != nil
                return isTelling ? (place, agent, asked.sight) : nil
            }
        }
    }
}

extension Retrieval {
    /// The same status, target and failure.
    func isAnsweredLike(_ other: Retrieval) -> Bool {
        answer?.status == other.answer?.status && redirects.first?.target == other.redirects.first?.target
            && failure?.kind == other.failure?.kind
    }

    /// The same, and with status 200 the same bytes: an error page differs from one answer to the next.
    fileprivate func isGivenLike(_ other: Retrieval) -> Bool {
        isAnsweredLike(other) && (answer?.status != 200 || answer?.body.hash == other.answer?.body.hash)
    }
}
