// The budget for matching, for the automata and for comparing files: elementary steps, and bytes of memory where they are taken.
// A small file can ask for endless work there. Beyond the budget an answer is partial, and says so.
//
// The parser, the model, the other lint rules and the comparison of values are not charged. They look at each value of a file a
// fixed number of times: what rules share is worked out once (`Pattern`, `QueryItems`, `RuleSettings`), values are numbered once
// (`MeaningNumbers`), keys are compared as bytes (`ExactText`). The size of the file, which is bounded, is their budget.

/// Bounds on the work of one question. Joint automata can grow exponentially with hostile patterns; beyond the budget an
/// answer says that it is not a proof.
package struct LanguageBudget: Sendable, Hashable {
    /// Joint states of one search: of one group of apps, or of one entry.
    package var states: Int
    /// Elementary steps of the whole question, over all its searches. Some ten million take a second in a debug build.
    package var steps: Int
    /// Memory for the machines and states of the question, in bytes.
    package var bytes: Int

    package init(states: Int, steps: Int, bytes: Int = LanguageBudget.standardBytes) {
        (self.states, self.steps, self.bytes) = (states, steps, bytes)
    }

    /// Bytes of memory that one question may take.
    package static let standardBytes = 48 << 20

    /// For comparing two files.
    package static let standard = LanguageBudget(states: 20_000, steps: 12_000_000)
    /// For linting one file, where the question is asked again for each entry.
    package static let lint = LanguageBudget(states: 5_000, steps: 10_000_000)
    /// For one URL and all rules of a file; a usual rule takes a step or two.
    package static let match = LanguageBudget(states: 0, steps: 5_000_000)

    struct Exhausted: Error {}
}

/// Counts down the steps and bytes of a question, over all its parts.
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

    /// Counts memory before it is taken.
    func take(_ bytes: Int) throws(LanguageBudget.Exhausted) {
        bytesLeft -= bytes
        guard bytesLeft > 0 else { throw LanguageBudget.Exhausted() }
    }

    func giveBack(_ bytes: Int) { bytesLeft += bytes }

    /// The same as `spend` for those who stop by themselves.
    /// - Returns: whether there is something left.
    @discardableResult
    func use(_ steps: Int) -> Bool {
        left -= steps
        return left > 0
    }
}
