// The budget for linting, matching, for the automata and for comparing files: elementary steps, and bytes of memory where they
// are taken. A small file can ask for endless work there. Beyond the budget an answer is partial, and says so.
//
// Who asks a question gives one meter for all of it. The parser, the model, most lint rules and the comparison of values are not
// charged: they look at each value of a file a fixed number of times, and `AssociationFile.sizeLimit` is their budget.

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
    /// For judging one file.
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
    /// What proofs leave to the trying of single URLs, which goes on where there is no proof.
    private let reserve: Int

    package init(_ budget: LanguageBudget) {
        (states, left, bytesLeft, reserve) = (budget.states, budget.steps, budget.bytes, budget.steps / 4)
    }

    package var isExhausted: Bool { left <= 0 || bytesLeft <= 0 }

    /// Whether proofs may go on.
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

    /// The same as `spend` for those who try URLs, and stop by themselves.
    /// - Returns: whether there is something left.
    @discardableResult
    func use(_ steps: Int) -> Bool {
        left -= steps
        return left > 0
    }
}
