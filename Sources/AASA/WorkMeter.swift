// The budget for linting, matching, automata and comparing files, in elementary steps and in bytes of memory. There, a
// small file can cause endless work. Beyond the budget, an answer is partial and says so.
//
// A caller uses one meter for a whole question. The parser, the model, most lint rules and the comparison of values are
// not charged. They visit each value of a file a fixed number of times, and `AssociationFile.sizeLimit` limits that.

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
    package static let standard = LanguageBudget(states: 20_000, steps: 16_000_000)
    /// For linting one file.
    package static let lint = LanguageBudget(states: 5_000, steps: 3_000_000)
    /// For one URL and all rules of a file; a usual rule takes a step or two.
    package static let match = LanguageBudget(states: 0, steps: 5_000_000)

    struct Exhausted: Error {}
}

/// Counts down the steps and bytes of one question, over all its searches.
package final class WorkMeter {
    /// Joint states of one search.
    let states: Int
    private(set) var left: Int
    private(set) var bytesLeft: Int
    /// The steps that proofs leave for trying single URLs, in case there is no proof.
    private let reserve: Int

    package init(_ budget: LanguageBudget) {
        (states, left, bytesLeft, reserve) = (budget.states, budget.steps, budget.bytes, budget.steps / 4)
    }

    package var isExhausted: Bool { left <= 0 || bytesLeft <= 0 }

    /// Whether proofs may continue.
    var allowsProof: Bool { left > reserve && bytesLeft > 0 }

    /// For a proof.
    func spend(_ steps: Int) throws(LanguageBudget.Exhausted) {
        left -= steps
        guard left > reserve else { throw LanguageBudget.Exhausted() }
    }

    /// Charges memory before it is allocated.
    func take(_ bytes: Int) throws(LanguageBudget.Exhausted) {
        bytesLeft -= bytes
        guard bytesLeft > 0 else { throw LanguageBudget.Exhausted() }
    }

    func giveBack(_ bytes: Int) { bytesLeft += bytes }

    /// Like `spend`, for code that tries URLs and stops by itself.
    /// - Returns: whether steps are left.
    @discardableResult
    func use(_ steps: Int) -> Bool {
        left -= steps
        return left > 0
    }
}
