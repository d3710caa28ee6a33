/// A deterministic automaton over one part of a URL, built as far as a search comes. State numbers are its own; two have
/// a meaning for all: `PartState`.
protocol PartMachine: AnyObject {
    var start: Int32 { get }
    /// What tells characters apart.
    var labels: [ByteSet] { get }

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

/// The transitions found so far, a row of ASCII for each state.
struct TransitionTable {
    private var targets: ContiguousArray<Int32> = []
    private static let unknown: Int32 = -2

    subscript(state: Int32, byte: UInt8) -> Int32? {
        get {
            let target = targets[Int(state) << 7 | Int(byte)]
            return target == Self.unknown ? nil : target
        }
        set { targets[Int(state) << 7 | Int(byte)] = newValue ?? Self.unknown }
    }

    mutating func addRow() { targets.append(contentsOf: repeatElement(Self.unknown, count: 128)) }
}
