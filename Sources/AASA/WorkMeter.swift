// The budget for linting, matching, for the automata and for comparing files: elementary steps, and bytes of memory where they
// are taken. A small file can ask for endless work there. Beyond the budget an answer is partial, and says so.
//
// Who asks a question gives one meter for all of it. The parser, the model, most lint rules and the comparison of values are not
// charged: they look at each value of a file a fixed number of times, and `AssociationFile.sizeLimit` is their budget.

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
    package static let standard = LanguageBudget(states: 20_000, steps: 16_000_000)
    /// For judging one file.
    package static let lint = LanguageBudget(states: 5_000, steps: 3_000_000)
    /// For one URL and all rules of a file; a usual rule takes a step or two.
    package static let match = LanguageBudget(states: 0, steps: 5_000_000)

    struct Exhausted: Error {}
}

/// Counts down the steps and bytes of a question, over all its parts.
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

    /// Counts memory before it is taken.
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
