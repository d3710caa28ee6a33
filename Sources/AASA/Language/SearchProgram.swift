// A program as a search asks it. Of thousands of rules a few go on from most states, so what is looked at are those few,
// and not the program.

struct SearchProgram {
    private let steps: [ProgramStep]
    /// By language: its place among the steps; -1 where there is none.
    private let places: [Int32]

    init(_ steps: [ProgramStep], languages: Int) {
        self.steps = steps
        var places = [Int32](repeating: -1, count: languages)
        for (place, step) in steps.enumerated() { places[Int(step.language)] = Int32(place) }
        self.places = places
    }

    /// The steps that still count where these languages live. `states` holds the state of every language.
    func residual(_ live: [(language: Int32, state: Int32)], _ states: [Int32]) -> Residual {
        var residual = Residual()
        residual.steps.reserveCapacity(live.count)
        for place in ordered(live, states) {
            let step = steps[Int(place)]
            residual.steps.append(step)
            if states[Int(step.language)] == PartState.decided {
                residual.isDecided = true
                break
            }
        }
        return residual
    }

    /// The step that decides where these languages accept.
    func first(of accepting: [(language: Int32, state: Int32)]) -> ProgramStep? {
        var first = Int32.max
        for (language, _) in accepting where places[Int(language)] >= 0 {
            first = min(first, places[Int(language)])
        }
        return first < Int32.max ? steps[Int(first)] : nil
    }

    /// The places of the steps that live, rising.
    private func ordered(_ live: [(language: Int32, state: Int32)], _ states: [Int32]) -> [Int32] {
        var result: [Int32] = []
        result.reserveCapacity(live.count)
        // Where most live, going through the steps costs less than sorting.
        if live.count * 8 > steps.count {
            for (place, step) in steps.enumerated() where states[Int(step.language)] != PartState.dead {
                result.append(Int32(place))
            }
            return result
        }
        for (language, _) in live where places[Int(language)] >= 0 { result.append(places[Int(language)]) }
        result.sort()
        return result
    }
}
