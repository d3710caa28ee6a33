// Deterministic automata over one part of a URL, built on demand: for a single pattern, and for query items.

/// A deterministic automaton over one part of a URL, built on demand by a search. Each machine numbers its own states,
/// except for the special ones of `PartState`.
protocol PartMachine: AnyObject {
    var start: Int32 { get }
    /// The sets that distinguish characters: two characters in the same sets behave alike.
    var labels: [ByteSet] { get }

    /// The characters with a possible transition from a state; all others lead to `PartState.dead`.
    func possible(_ state: Int32) -> ByteSet
    /// - Returns: `PartState.dead` if no continuation can be accepted.
    func step(_ state: Int32, _ byte: UInt8) throws(LanguageBudget.Exhausted) -> Int32
    func accepts(_ state: Int32) -> Bool
}

enum PartState {
    static let dead: Int32 = -1
    /// The rule matches, regardless of the rest of this part and of all later parts. No machine uses it.
    static let decided: Int32 = 0
    /// This part is accepted, regardless of its rest.
    static let everything: Int32 = 1
    /// The first number of all other states.
    static let first: Int32 = 2
}

/// The states that a machine has found so far, by their members, and their transitions. A row has only the possible
/// characters of its state: most states have one, and a file may have thousands of patterns.
struct StateTable<Member: Hashable> {
    private(set) var states: [[Member]] = []
    private var numbers: [[Member]: Int32] = [:]
    private var rows: ContiguousArray<(possible: ByteSet, start: Int)> = []
    private var targets: ContiguousArray<Int32> = []
    private static var unknown: Int32 { -2 }

    init() {
        // The states of `PartState` need no row.
        for _ in 0..<PartState.first { add([], ByteSet([])) }
        numbers = [:]
    }

    func number(of state: [Member]) -> Int32? { numbers[state] }

    func possible(_ state: Int32) -> ByteSet { rows[Int(state)].possible }

    /// - Returns: nil if the target is not computed yet.
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

    @discardableResult
    mutating func add(_ state: [Member], _ possible: ByteSet) -> Int32 {
        let number = Int32(states.count)
        numbers[state] = number
        states.append(state)
        rows.append((possible, targets.count))
        targets.append(contentsOf: repeatElement(Self.unknown, count: possible.count))
        return number
    }
}

/// The subset construction for one pattern, built on demand.
final class PatternMachine: PartMachine {
    private(set) var start = PartState.dead
    let labels: [ByteSet]
    private let automaton: PatternAutomaton
    /// Sets of states of the automaton.
    private var table = StateTable<Int32>()
    private var isAccepting = [Bool](repeating: true, count: Int(PartState.first))
    /// For each state of the automaton, the last `round` that put it into a set.
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
        let members = table.states[Int(state)]
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
        // The part that reads well-formed UTF-8 accepts nothing by itself.
        guard let first = set.first, first < automaton.validityBase else { return PartState.dead }
        let rawEnds = set.contains(automaton.rawEnd)
        let decodedEnds = automaton.decodedEnd.map(set.contains) ?? false
        // Both: the decoded part accepts only texts with well-formed escapes, and the raw part counts only for others.
        let isEverything =
            (rawEnds && automaton.isLoop[Int(automaton.rawEnd)])
            && (automaton.decodedEnd.map { decodedEnds && automaton.isLoop[Int($0)] } ?? true)
        if isEverything { return PartState.everything }
        // Without a state of the raw part, it does not matter whether the escapes are well-formed.
        if !set.contains(where: { (automaton.rawBase..<automaton.validityBase).contains($0) }) {
            set.removeAll { $0 >= automaton.validityBase }
        }
        if let known = table.number(of: set) { return known }
        try meter.spend(40 + set.count)
        // The set, its row, and its entry in the table.
        try meter.take(320 + 4 * set.count)
        let isWellFormed = set.contains(automaton.validityBase)
        isAccepting.append(decodedEnds || (rawEnds && !(automaton.decodedEnd != nil && isWellFormed)))
        var possible = ByteSet([])
        for member in set { for edge in automaton.edges[Int(member)] { possible.formUnion(edge.label) } }
        return table.add(set, possible)
    }

    /// Drops the states before the last `*` of a chain: they accept nothing that the `*` does not accept.
    private func essential(_ set: [Int32]) -> [Int32] {
        var result: [Int32] = []
        result.reserveCapacity(set.count)
        // Numbers ascend along each chain. A `*` of one part does not cover the other, which reads another text.
        for part in [0..<automaton.rawBase, automaton.rawBase..<automaton.validityBase] {
            let last = set.last { part.contains($0) && automaton.isLoop[Int($0)] }
            result += set.filter { part.contains($0) && $0 >= last ?? 0 }
        }
        return result + set.filter { $0 >= automaton.validityBase }
    }
}

/// The query as single items. Every item of a listed name must match; without one, the value counts as empty. Empty
/// items are skipped, and an item without `=` has an empty value, as in `MatchableURL.queryItems`.
final class QueryItemsMachine: PartMachine {
    private(set) var start = PartState.dead
    let labels: [ByteSet]
    private let conditions: [Condition]
    private var table = StateTable<Place>()
    private let meter: WorkMeter

    private struct Condition {
        let name: PatternMachine
        let value: PatternMachine
    }

    /// The state of one condition at a place in the query.
    private struct Place: Hashable {
        /// Whether the condition is met if no further item has its name.
        var isMet: Bool
        var phase: Phase
        /// The state of the machine for the name or the value.
        var state: Int32
    }

    private enum Phase { case betweenItems, name, value, otherItem }

    init(
        _ items: [RuleKey.Item], isCaseSensitive: Bool, isPercentEncoded: Bool, meter: WorkMeter
    ) throws(LanguageBudget.Exhausted) {
        self.meter = meter
        var conditions: [Condition] = []
        for item in items {
            // Names are always case-sensitive, even if `caseSensitive` is false.
            let name = try PatternMachine(
                item.name.map(PatternElement.scalar), isCaseSensitive: true, isPercentEncoded: isPercentEncoded,
                meter: meter)
            let value = try PatternMachine(
                item.pattern, isCaseSensitive: isCaseSensitive, isPercentEncoded: isPercentEncoded, meter: meter)
            conditions.append(Condition(name: name, value: value))
        }
        self.conditions = conditions
        labels = Array(
            Set(conditions.flatMap { $0.name.labels + $0.value.labels } + [ByteSet("&".utf8), ByteSet("=".utf8)]))
        let places = conditions.map { condition in
            Place(isMet: Self.accepts(condition.value, condition.value.start), phase: .betweenItems, state: 0)
        }
        // An item that must not be empty can still come. If no value can match, the query never matches.
        let isPossible = conditions.allSatisfy { $0.value.start != PartState.dead }
        start = isPossible ? try number(of: places) : PartState.dead
    }

    func accepts(_ state: Int32) -> Bool {
        if state == PartState.everything { return true }
        return zip(table.states[Int(state)], conditions).allSatisfy { place, condition in
            ended(place, condition)?.isMet ?? false
        }
    }

    /// Items with other names may contain anything.
    func possible(_ state: Int32) -> ByteSet { .url }

    func step(_ state: Int32, _ byte: UInt8) throws(LanguageBudget.Exhausted) -> Int32 {
        if state == PartState.everything { return state }
        if let known = table[state, byte] { return known }
        try meter.spend(4 + 2 * conditions.count)
        var target: Int32?
        var places = table.states[Int(state)]
        for index in conditions.indices {
            guard let place = try step(places[index], conditions[index], byte) else {
                target = PartState.dead
                break
            }
            places[index] = place
        }
        let result: Int32 = if let target { target } else { try number(of: places) }
        table[state, byte] = result
        return result
    }

    /// - Returns: nil if the condition can no longer be met.
    private func step(
        _ place: Place, _ condition: Condition, _ byte: UInt8
    ) throws(LanguageBudget.Exhausted) -> Place? {
        var next = place
        switch (place.phase, byte) {
        case (_, UInt8(ascii: "&")):
            return ended(place, condition)
        case (.betweenItems, UInt8(ascii: "=")):
            return afterName(place, condition, condition.name.start)
        case (.betweenItems, _):
            next.state = try condition.name.step(condition.name.start, byte)
            next.phase = .name
        case (.name, UInt8(ascii: "=")):
            return afterName(place, condition, place.state)
        case (.name, _):
            next.state = try condition.name.step(place.state, byte)
        case (.value, _):
            next.state = try condition.value.step(place.state, byte)
            return inValue(next)
        case (.otherItem, _):
            break
        }
        if next.phase == .name, next.state == PartState.dead { (next.phase, next.state) = (.otherItem, 0) }
        return next
    }

    private func afterName(_ place: Place, _ condition: Condition, _ state: Int32) -> Place? {
        var next = place
        if Self.accepts(condition.name, state) {
            (next.phase, next.state) = (.value, condition.value.start)
            return inValue(next)
        }
        (next.phase, next.state) = (.otherItem, 0)
        return next
    }

    private func inValue(_ place: Place) -> Place? {
        switch place.state {
        case PartState.dead: nil
        case PartState.everything: Place(isMet: true, phase: .otherItem, state: 0)
        default: place
        }
    }

    /// The state after the end of an item; nil if the item's value does not match.
    private func ended(_ place: Place, _ condition: Condition) -> Place? {
        var next = Place(isMet: place.isMet, phase: .betweenItems, state: 0)
        let value: Int32
        switch place.phase {
        case .betweenItems, .otherItem: return next
        case .name:
            guard Self.accepts(condition.name, place.state) else { return next }
            value = condition.value.start
        case .value: value = place.state
        }
        guard Self.accepts(condition.value, value) else { return nil }
        next.isMet = true
        return next
    }

    private static func accepts(_ machine: PatternMachine, _ state: Int32) -> Bool {
        state != PartState.dead && machine.accepts(state)
    }

    private func number(of places: [Place]) throws(LanguageBudget.Exhausted) -> Int32 {
        if let known = table.number(of: places) { return known }
        try meter.spend(40 + places.count)
        try meter.take(640 + MemoryLayout<Place>.stride * places.count)
        return table.add(places, .url)
    }
}
