/// Counts down the steps of a question, over all its searches.
final class WorkMeter {
    private(set) var left: Int

    init(_ budget: LanguageBudget) { left = budget.steps }

    var isExhausted: Bool { left <= 0 }

    func spend(_ steps: Int) throws(LanguageBudget.Exhausted) {
        left -= steps
        guard left > 0 else { throw LanguageBudget.Exhausted() }
    }
}

extension LanguageBudget {
    /// The answer would cost more than the budget.
    struct Exhausted: Error {}
}
