// How much work a question about languages may cost. Joint automata can grow exponentially with hostile patterns; beyond
// the budget an answer says that it is not a proof.

/// Bounds on the work of one question.
public struct LanguageBudget: Sendable, Hashable {
    /// Joint states of one search: of one group of apps, or of one entry.
    public var states: Int
    /// Elementary steps of the whole question, over all its searches. Some ten million take a second in a debug build.
    public var steps: Int

    public init(states: Int, steps: Int) {
        self.states = states
        self.steps = steps
    }

    /// For comparing two files: hostile patterns were seen to take 3 seconds in a release build on a busy machine.
    public static let standard = LanguageBudget(states: 20_000, steps: 30_000_000)
    /// For linting one file, where the question is asked again for each entry.
    public static let lint = LanguageBudget(states: 5_000, steps: 10_000_000)
}
