// The query as single items: each one of a listed name must have a value that matches, and a name without any item
// counts as empty. Empty items are skipped, and an item without `=` has an empty value, as in `MatchableURL.queryItems`.

final class QueryItemsMachine: PartMachine {
    private(set) var start = PartState.dead
    let labels: [ByteSet]
    private let conditions: [Condition]
    private var states: [[Place]] = []
    private var numbers: [[Place]: Int32] = [:]
    private var table = TransitionTable()
    private let meter: WorkMeter

    private struct Condition {
        let name: PatternMachine
        let value: PatternMachine
    }

    /// Where one condition stands in the query.
    private struct Place: Hashable {
        /// Whether the condition holds should no item of the name come any more.
        var isMet: Bool
        var phase: Phase
        /// The state of the machine that reads the name or the value.
        var state: Int32
    }

    private enum Phase { case betweenItems, name, value, otherItem }

    init(
        _ items: [RuleKey.Item], isCaseSensitive: Bool, isPercentEncoded: Bool, meter: WorkMeter
    ) throws(LanguageBudget.Exhausted) {
        self.meter = meter
        var conditions: [Condition] = []
        for item in items {
            // Names are compared exactly, whatever `caseSensitive` says.
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
        for _ in 0..<PartState.first { addRow([]) }
        let places = conditions.map { condition in
            Place(isMet: Self.accepts(condition.value, condition.value.start), phase: .betweenItems, state: 0)
        }
        // An item that cannot be empty may come still; one whose value nothing matches, never.
        let isPossible = conditions.allSatisfy { $0.value.start != PartState.dead }
        start = isPossible ? try number(of: places) : PartState.dead
    }

    func accepts(_ state: Int32) -> Bool {
        if state == PartState.everything { return true }
        return zip(states[Int(state)], conditions).allSatisfy { place, condition in
            ended(place, condition)?.isMet ?? false
        }
    }

    /// Items of other names may hold anything.
    func possible(_ state: Int32) -> ByteSet { .url }

    func step(_ state: Int32, _ byte: UInt8) throws(LanguageBudget.Exhausted) -> Int32 {
        if state == PartState.everything { return state }
        if let known = table[state, byte] { return known }
        try meter.spend(4 + 2 * conditions.count)
        var target: Int32?
        var places = states[Int(state)]
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

    /// - Returns: nil where the condition fails for good.
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

    /// The place after the end of an item; nil where the item's value does not match.
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
        if let known = numbers[places] { return known }
        try meter.spend(40 + places.count)
        let number = Int32(states.count)
        numbers[places] = number
        addRow(places)
        return number
    }

    private func addRow(_ places: [Place]) {
        states.append(places)
        table.addRow(.url)
    }
}
