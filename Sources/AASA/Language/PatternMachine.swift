// The subset construction for one pattern, on demand.

final class PatternMachine: PartMachine {
    private(set) var start = PartState.dead
    let labels: [ByteSet]
    private let automaton: PatternAutomaton
    private var sets: [[Int32]] = []
    private var isAccepting: [Bool] = []
    private var numbers: [[Int32]: Int32] = [:]
    private var table = TransitionTable()
    /// Which states the set under construction holds, by the number of the construction.
    private var marks: [Int]
    private var round = 0
    private let meter: WorkMeter

    init(
        _ elements: [PatternElement], isCaseSensitive: Bool, isPercentEncoded: Bool, meter: WorkMeter
    ) throws(LanguageBudget.Exhausted) {
        self.meter = meter
        automaton = try PatternAutomaton(
            elements, isCaseSensitive: isCaseSensitive, isPercentEncoded: isPercentEncoded, meter: meter)
        labels = Array(Set(automaton.edges.joined().map(\.label)))
        marks = Array(repeating: 0, count: automaton.edges.count)
        for _ in 0..<PartState.first { addRow([], isAccepting: true) }
        round += 1
        var set: [Int32] = []
        for state in automaton.starts { insert(state, into: &set) }
        start = try number(of: set)
    }

    func accepts(_ state: Int32) -> Bool { isAccepting[Int(state)] }

    func possible(_ state: Int32) -> ByteSet { state == PartState.everything ? .url : table.possible(state) }

    func step(_ state: Int32, _ byte: UInt8) throws(LanguageBudget.Exhausted) -> Int32 {
        if state == PartState.everything { return state }
        if let known = table[state, byte] { return known }
        round += 1
        var set: [Int32] = []
        let members = sets[Int(state)]
        var steps = 4
        for member in members {
            let edges = automaton.edges[Int(member)]
            steps += 1 + edges.count
            for edge in edges where edge.label.contains(byte) { insert(edge.target, into: &set) }
        }
        try meter.spend(steps + set.count)
        let target = try number(of: set)
        table[state, byte] = target
        return target
    }

    private func insert(_ state: Int32, into set: inout [Int32]) {
        var pending = [state]
        while let next = pending.popLast() {
            if marks[Int(next)] == round { continue }
            marks[Int(next)] = round
            set.append(next)
            pending += automaton.epsilons[Int(next)]
        }
    }

    private func number(of unordered: [Int32]) throws(LanguageBudget.Exhausted) -> Int32 {
        var set = essential(unordered.sorted())
        guard let first = set.first, first < automaton.validityBase else { return PartState.dead }
        let rawEnds = marksEnd(automaton.rawEnd, in: set)
        let decodedEnds = automaton.decodedEnd.map { marksEnd($0, in: set) } ?? false
        let isEverything =
            (rawEnds && automaton.isLoop[Int(automaton.rawEnd)])
            && (automaton.decodedEnd.map { decodedEnds && automaton.isLoop[Int($0)] } ?? true)
        if isEverything { return PartState.everything }
        // Where no raw reading is left, nobody asks whether the escapes are well-formed.
        if !set.contains(where: { (automaton.rawBase..<automaton.validityBase).contains($0) }) {
            set.removeAll { $0 >= automaton.validityBase }
        }
        if let known = numbers[set] { return known }
        try meter.spend(40 + set.count)
        let isWellFormed = set.contains(automaton.validityBase)
        let accepts = decodedEnds || (rawEnds && !(automaton.decodedEnd != nil && isWellFormed))
        let number = Int32(sets.count)
        numbers[set] = number
        addRow(set, isAccepting: accepts)
        return number
    }

    private func addRow(_ set: [Int32], isAccepting accepting: Bool) {
        sets.append(set)
        isAccepting.append(accepting)
        var possible = ByteSet([])
        for member in set { for edge in automaton.edges[Int(member)] { possible.formUnion(edge.label) } }
        table.addRow(possible)
    }

    private func marksEnd(_ end: Int32, in set: [Int32]) -> Bool { set.contains(end) }

    /// Leaves out what a later `*` of the same chain includes: all that leads to it accepts no more than it does.
    private func essential(_ set: [Int32]) -> [Int32] {
        var result: [Int32] = []
        result.reserveCapacity(set.count)
        for part in [0..<automaton.rawBase, automaton.rawBase..<automaton.validityBase] {
            let last = set.last { part.contains($0) && automaton.isLoop[Int($0)] }
            result += set.filter { part.contains($0) && $0 >= last ?? 0 }
        }
        return result + set.filter { $0 >= automaton.validityBase }
    }
}
