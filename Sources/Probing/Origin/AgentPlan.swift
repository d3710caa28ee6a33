// At which of a domain's addresses Apple's own user agents are asked, and where once more. Pure: what was seen is told to
// it, what to ask next is asked of it.

import Evidence

/// One request to one address of a domain, by its place in the resolver's list.
struct AddressQuestion: Hashable, Sendable {
    var place: Int
    /// nil: under this program's own name.
    var agent: AgentLook.Agent?
}

struct AgentPlan {
    /// Places at which agents are asked at once; and as many more, where those turn out not to speak for all.
    static let maximumPlaces = 4

    /// While true, an address that has not answered yet may still speak for others.
    var isPatient = true
    private let count: Int
    private var chosen: Set<Int>
    private var seen: [AddressQuestion: Sight] = [:]
    private var repeated: Set<AddressQuestion> = []

    /// Of a host with more addresses than are asked, both families have their part.
    init(_ addresses: [ResolvedAddress]) {
        count = addresses.count
        let four = addresses.indices.filter { addresses[$0].family == 4 }
        let six = addresses.indices.filter { addresses[$0].family == 6 }
        let fours = min(four.count, max(Self.maximumPlaces / 2, Self.maximumPlaces - six.count))
        chosen = Set(four.prefix(fours) + six.prefix(Self.maximumPlaces - fours))
    }

    /// What to ask at the beginning, all at once.
    var first: [AddressQuestion] { (0..<count).map { AddressQuestion(place: $0) } + chosen.sorted().flatMap(agents) }

    /// Of two answers to one question that counts which is like the plain one at the same address.
    mutating func note(_ sight: Sight, to question: AddressQuestion) {
        if seen[question] != nil {
            guard let plain = plain(at: question.place), sight.answersLike(plain) else { return }
        }
        seen[question] = sight
    }

    /// What to ask besides, each question once. `mayWiden`: whether there is time enough for places that were not asked yet.
    mutating func next(mayWiden: Bool) -> [AddressQuestion] {
        let again = chosen.sorted().flatMap(agents).filter { isDoubtful($0) && !repeated.contains($0) }
        repeated.formUnion(again)
        return again + (mayWiden ? widened() : [])
    }

    /// Servers behind one address may differ by themselves, from one answer to the next. Who took all the time there was
    /// is not waited for again.
    private func isDoubtful(_ question: AddressQuestion) -> Bool {
        guard let plain = plain(at: question.place), plain.answer != nil, let sight = seen[question] else {
            return false
        }
        return sight.retrieval.failure?.kind != .timedOut && !sight.answersLike(plain)
    }

    /// An answer that no chosen address gives has its own server, and perhaps its own rules.
    private mutating func widened() -> [AddressQuestion] {
        var questions: [AddressQuestion] = []
        for place in 0..<count where !chosen.contains(place) && chosen.count < 2 * Self.maximumPlaces {
            guard let own = plain(at: place), own.answer != nil else { continue }
            let others = chosen.map { plain(at: $0) }
            let isCovered = others.contains { $0.map { $0.isGivenLike(own) } ?? isPatient }
            guard !isCovered else { continue }
            chosen.insert(place)
            questions += agents(at: place)
        }
        return questions
    }

    private func plain(at place: Int) -> Retrieval? { seen[AddressQuestion(place: place)]?.retrieval }

    private func agents(at place: Int) -> [AddressQuestion] {
        AgentLook.Agent.allCases.map { AddressQuestion(place: place, agent: $0) }
    }

    // MARK: - What came of it

    func plainSight(at place: Int) -> Sight? { seen[AddressQuestion(place: place)] }

    /// The agents' looks that say anything: where neither they nor this program got an answer, there is nothing to
    /// compare. Where that is so everywhere, those at the first place, so that it is seen that they were tried.
    var agentSights: [(question: AddressQuestion, sight: Sight)] {
        let all = chosen.sorted().flatMap(agents).compactMap { question in seen[question].map { (question, $0) } }
        let telling = all.filter { plain(at: $0.0.place)?.answer != nil || $0.1.retrieval.answer != nil }
        return telling.isEmpty ? all.filter { $0.0.place == all.first?.0.place } : telling
    }
}

extension Sight {
    /// The same status, the same target and the same bytes.
    func answersLike(_ other: Retrieval) -> Bool {
        retrieval.answer?.status == other.answer?.status
            && retrieval.answer?.body.hash == other.answer?.body.hash
            && retrieval.redirects.first?.target == other.redirects.first?.target
            && retrieval.failure?.kind == other.failure?.kind
    }
}

extension Retrieval {
    /// The same status and target; with status 200 the same bytes. An error page differs from one answer to the next.
    fileprivate func isGivenLike(_ other: Retrieval) -> Bool {
        answer?.status == other.answer?.status && redirects.first?.target == other.redirects.first?.target
            && (answer?.status != 200 || answer?.body.hash == other.answer?.body.hash)
    }
}
