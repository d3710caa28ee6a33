/// A deterministic automaton over one part of a URL, built as far as a search comes. State numbers are its own; two have
/// a meaning for all: `PartState`.
protocol PartMachine: AnyObject {
    var start: Int32 { get }
    /// What tells characters apart.
    var labels: [ByteSet] { get }

    /// The characters that may lead on from a state; all others lead to `PartState.dead`.
    func possible(_ state: Int32) -> ByteSet
    /// - Returns: `PartState.dead` where no text beyond can be accepted.
    func step(_ state: Int32, _ byte: UInt8) throws(LanguageBudget.Exhausted) -> Int32
    /// Whether the part may end here.
    func accepts(_ state: Int32) -> Bool
}

enum PartState {
    static let dead: Int32 = -1
    /// Whatever follows in this part and in all later ones, the rule matches. No machine uses it.
    static let decided: Int32 = 0
    /// Whatever follows in this part, it is accepted.
    static let everything: Int32 = 1
    /// The first number for all others.
    static let first: Int32 = 2
}

/// The transitions found so far. A row holds the possible characters of its state alone: most states of most patterns
/// know one, and a file may have thousands of patterns.
struct TransitionTable {
    private var rows: ContiguousArray<(possible: ByteSet, start: Int)> = []
    private var targets: ContiguousArray<Int32> = []
    private static let unknown: Int32 = -2

    func possible(_ state: Int32) -> ByteSet { rows[Int(state)].possible }

    /// - Returns: nil where it is still to be found.
    subscript(state: Int32, byte: UInt8) -> Int32? {
        get {
            let row = rows[Int(state)]
            guard row.possible.contains(byte) else { return PartState.dead }
            let target = targets[row.start + row.possible.count(below: byte)]
            return target == Self.unknown ? nil : target
        }
        set {
            let row = rows[Int(state)]
            guard row.possible.contains(byte) else { return }
            targets[row.start + row.possible.count(below: byte)] = newValue ?? Self.unknown
        }
    }

    mutating func addRow(_ possible: ByteSet) {
        rows.append((possible, targets.count))
        targets.append(contentsOf: repeatElement(Self.unknown, count: possible.count))
    }
}
