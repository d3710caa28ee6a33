// The work budget for matching, automata and file comparison, in elementary steps and bytes of memory.
// A small file can ask for endless work there. When the budget runs out, the answer is partial and says so.
//
// The parser, the model, the other lint rules and the comparison of values are not charged. They visit each value a
// fixed number of times: shared results are computed once (`Pattern`, `QueryItems`, `RuleSettings`), values are
// numbered once (`MeaningNumbers`), keys are compared as bytes (`ExactText`). The limit on the file's size is enough.

/// The work limits of one question. Hostile patterns can make joint automata grow exponentially. When the budget runs
/// out, the answer says that it is not a proof.
package struct LanguageBudget: Sendable, Hashable {
    /// The maximum number of joint states in one search, which covers one group of apps or one entry.
    package var states: Int
    /// Elementary steps for the whole question, over all its searches. A debug build does about ten million a second.
    package var steps: Int
    /// Bytes of memory for the machines and states of the question.
    package var bytes: Int

    package init(states: Int, steps: Int, bytes: Int = LanguageBudget.standardBytes) {
        (self.states, self.steps, self.bytes) = (states, steps, bytes)
    }

    /// 48 MiB.
    package static let standardBytes = 48 << 20

    /// For comparing two files.
    package static let standard = LanguageBudget(states: 20_000, steps: 12_000_000)
    /// For linting one file, which asks once for each entry.
    package static let lint = LanguageBudget(states: 5_000, steps: 10_000_000)
    /// For matching one URL against all rules of a file. A typical rule takes one or two steps.
    package static let match = LanguageBudget(states: 0, steps: 5_000_000)

    struct Exhausted: Error {}
}

/// Counts down the steps and bytes of one question, over all its searches.
package final class WorkMeter {
    private(set) var left: Int
    private(set) var bytesLeft: Int

    package init(_ budget: LanguageBudget) { (left, bytesLeft) = (budget.steps, budget.bytes) }

    init(steps: Int) { (left, bytesLeft) = (steps, LanguageBudget.standardBytes) }

    package var isExhausted: Bool { left <= 0 || bytesLeft <= 0 }

    func spend(_ steps: Int) throws(LanguageBudget.Exhausted) {
        left -= steps
        guard left > 0 else { throw LanguageBudget.Exhausted() }
    }

    /// Charges memory before it is allocated.
    func take(_ bytes: Int) throws(LanguageBudget.Exhausted) {
        bytesLeft -= bytes
        guard bytesLeft > 0 else { throw LanguageBudget.Exhausted() }
    }

    func giveBack(_ bytes: Int) { bytesLeft += bytes }

    /// Like `spend`, for callers that stop by themselves.
    /// - Returns: whether steps are left.
    @discardableResult
    func use(_ steps: Int) -> Bool {
        left -= steps
        return left > 0
    }
}
