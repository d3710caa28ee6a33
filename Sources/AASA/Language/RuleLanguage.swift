// The language of one rule (the set of URLs that it matches), and the key that determines it. Also lists of rules as
// programs over numbered languages, without the rules that cannot matter.

/// The URLs that a rule matches, as one automaton for each part of the URL that the rule constrains.
struct RuleLanguage {
    /// By phase; nil if the rule does not constrain the part.
    let machines: [(any PartMachine)?]

    init(_ key: RuleKey, meter: WorkMeter) throws(LanguageBudget.Exhausted) {
        func machine(_ elements: [PatternElement]?) throws(LanguageBudget.Exhausted) -> (any PartMachine)? {
            guard let elements else { return nil }
            return try PatternMachine(
                elements, isCaseSensitive: key.isCaseSensitive, isPercentEncoded: key.isPercentEncoded, meter: meter)
        }
        let query: (any PartMachine)?
        switch key.query {
        case .any: query = nil
        case .whole(let elements): query = try machine(elements)
        case .items(let items):
            query = try QueryItemsMachine(
                items, isCaseSensitive: key.isCaseSensitive, isPercentEncoded: key.isPercentEncoded, meter: meter)
        }
        machines = [try machine(key.path), query, try machine(key.fragment)]
    }

    func start(of phase: URLPhase) -> Int32 {
        settled(machines[phase.rawValue]?.start ?? PartState.everything, in: phase)
    }

    /// The characters with a possible transition from a state.
    func possible(_ state: Int32, in phase: URLPhase) -> ByteSet {
        guard state >= PartState.first, let machine = machines[phase.rawValue] else { return .url }
        return machine.possible(state)
    }

    func step(_ state: Int32, _ byte: UInt8, in phase: URLPhase) throws(LanguageBudget.Exhausted) -> Int32 {
        guard state >= PartState.first, let machine = machines[phase.rawValue] else { return state }
        return settled(try machine.step(state, byte), in: phase)
    }

    /// The state at the start of the next phase, after this phase has ended.
    func end(_ state: Int32, of phase: URLPhase) -> Int32 {
        guard accepts(state, in: phase) else { return PartState.dead }
        guard state != PartState.decided, let next = URLPhase(rawValue: phase.rawValue + 1) else {
            return PartState.decided
        }
        return start(of: next)
    }

    private func accepts(_ state: Int32, in phase: URLPhase) -> Bool {
        state < PartState.first ? state != PartState.dead : machines[phase.rawValue]?.accepts(state) ?? true
    }

    private func settled(_ state: Int32, in phase: URLPhase) -> Int32 {
        guard state == PartState.everything, machines[(phase.rawValue + 1)...].allSatisfy({ $0 == nil }) else {
            return state
        }
        return PartState.decided
    }
}

/// The conditions of a rule, independent of how it is written. Rules with equal keys match the same URLs.
struct RuleKey: Hashable {
    /// nil: any path.
    let path: [PatternElement]?
    let query: Query
    /// nil: any fragment.
    let fragment: [PatternElement]?
    let isCaseSensitive: Bool
    let isPercentEncoded: Bool

    enum Query: Hashable, Sendable {
        case any
        case whole([PatternElement])
        case items([Item])

        /// Takes the conditions that are not met by every item.
        /// - Returns: nil if a pattern has a fault.
        init?(_ constrained: [QueryItems.Item]) {
            var items: [Item] = []
            for item in constrained {
                guard let elements = item.pattern.elements else { return nil }
                items.append(Item(name: item.key, pattern: elements))
            }
            self = items.isEmpty ? .any : .items(items.sorted { $0.name.lexicographicallyPrecedes($1.name) })
        }
    }

    struct Item: Hashable, Sendable {
        /// By scalars: to String, two spellings of one accented letter are equal.
        let name: [Unicode.Scalar]
        let pattern: [PatternElement]
    }

    var isUnconstrained: Bool { path == nil && query == .any && fragment == nil }

    /// - Returns: nil if a pattern has a fault: the rule never matches.
    init?(_ rule: URLRule) {
        var path: [PatternElement]?
        if let pattern = rule.path {
            guard let elements = pattern.elements else { return nil }
            // Every path begins with a slash.
            path = elements == [.anyRun] || elements == [.scalar("/"), .anyRun] ? nil : elements
        }
        switch rule.query {
        case .any: query = .any
        case .whole(let pattern):
            guard let elements = pattern.elements else { return nil }
            query = elements == [.anyRun] ? .any : .whole(elements)
        case .items(let items):
            guard let key = items.key else { return nil }
            query = key
        }
        var fragment: [PatternElement]?
        if let pattern = rule.fragment {
            guard let elements = pattern.elements else { return nil }
            fragment = elements == [.anyRun] ? nil : elements
        }
        self.path = path
        self.fragment = fragment
        let isConstrained = path != nil || query != .any || fragment != nil
        isCaseSensitive = rule.isCaseSensitive || !isConstrained
        isPercentEncoded = rule.isPercentEncoded || !isConstrained
    }
}

/// Whether one rule matches every URL that another one matches, decided from the patterns alone. This check misses many
/// cases; then the automata decide.
extension RuleKey {
    /// - Returns: false also if the patterns alone do not show it.
    func plainlyCovers(_ other: RuleKey) -> Bool {
        guard isPercentEncoded == other.isPercentEncoded, !isCaseSensitive || other.isCaseSensitive else {
            return false
        }
        func covers(_ own: [PatternElement]?, _ theirs: [PatternElement]?) -> Bool {
            guard let own else { return true }
            return Self.covers(own, theirs ?? [.anyRun], isCaseSensitive)
        }
        guard covers(path, other.path), covers(fragment, other.fragment) else { return false }
        switch (query, other.query) {
        case (.any, _): return true
        case (.whole(let own), .whole(let theirs)): return covers(own, theirs)
        default: return query == other.query && isCaseSensitive == other.isCaseSensitive
        }
    }

    /// Matches a pattern against another pattern, whose elements are taken as text.
    private static func covers(
        _ pattern: [PatternElement], _ text: [PatternElement], _ isCaseSensitive: Bool
    ) -> Bool {
        // The search below takes at most this many steps.
        guard pattern.count * text.count <= 40_000 else { return false }
        var (place, step) = (0, 0)
        var retry: (place: Int, step: Int)?
        while place < text.count {
            if step < pattern.count, pattern[step] == .anyRun {
                step += 1
                retry = (place, step)
            } else if step < pattern.count, pattern[step].plainlyTakes(text[place], isCaseSensitive) {
                (place, step) = (place + 1, step + 1)
            } else if let last = retry {
                retry = (last.place + 1, last.step)
                (place, step) = (last.place + 1, last.step)
            } else {
                return false
            }
        }
        return pattern[step...].allSatisfy { $0 == .anyRun }
    }
}

extension PatternElement {
    /// Whether an element other than `*` matches every text that the other element matches.
    fileprivate func plainlyTakes(_ other: PatternElement, _ isCaseSensitive: Bool) -> Bool {
        switch (self, other) {
        case (_, .anyRun): false
        case (.anyScalar, .scalar), (.anyScalar, .anyScalar), (.anyScalar, .scalarClass): true
        case (_, .scalar(let scalar)): takes(scalar, isCaseSensitive)
        default: self == other
        }
    }
}

/// The searches for one result. Rules with equal keys share a number and an automaton. All searches share a budget.
final class ProgramSearch {
    let meter: WorkMeter
    private(set) var keys: [RuleKey] = []
    private var numbers: [RuleKey: Int32] = [:]
    private var languages: [Int32: RuleLanguage] = [:]

    init(_ meter: WorkMeter) { self.meter = meter }

    /// A rule of a list, with the number of its language.
    struct NumberedRule: Hashable {
        /// nil: the rule never matches.
        let language: Int32?
        let isExclusion: Bool
    }

    func numbered(_ rules: [URLRule]) throws(LanguageBudget.Exhausted) -> [NumberedRule] {
        var result: [NumberedRule] = []
        for rule in rules {
            try meter.spend(8)
            try meter.take(48)
            result.append(NumberedRule(language: try number(of: rule), isExclusion: rule.isExclusion))
        }
        return result
    }

    private func number(of rule: URLRule) throws(LanguageBudget.Exhausted) -> Int32? {
        // The key, and its two places here.
        try meter.spend(rule.weight)
        try meter.take(240)
        return RuleKey(rule).map { key in
            let number = numbers[key] ?? Int32(keys.count)
            if number == keys.count {
                keys.append(key)
                numbers[key] = number
            }
            return number
        }
    }

    /// - Returns: the steps that can matter: without rules that never match, repetitions, and rules after one that
    ///   matches every URL. `index` is the rule's place in the list.
    func steps(of rules: some Sequence<NumberedRule>) -> [ProgramStep] {
        var steps: [ProgramStep] = []
        var seen: Set<Int32> = []
        for (index, rule) in rules.enumerated() {
            guard let language = rule.language, seen.insert(language).inserted else { continue }
            steps.append(ProgramStep(language: language, isExclusion: rule.isExclusion, index: index))
            if keys[Int(language)].isUnconstrained { break }
        }
        return steps
    }

    /// Searches over the languages of these programs only. Later searches reuse the automata of earlier ones. See
    /// `JointSearch` for the closures.
    func run(
        _ programs: [[ProgramStep]], visits: Int = 1, where reduce: JointSearch.Reduction,
        reached: JointSearch.Arrival
    ) throws(LanguageBudget.Exhausted) {
        var own: [RuleLanguage] = []
        var numbers: [Int32: Int32] = [:]
        var renumbered: [[ProgramStep]] = []
        for program in programs {
            var steps: [ProgramStep] = []
            for step in program {
                let number = numbers[step.language] ?? Int32(own.count)
                if number == own.count {
                    numbers[step.language] = number
                    own.append(try language(step.language))
                }
                steps.append(ProgramStep(language: number, isExclusion: step.isExclusion, index: step.index))
            }
            renumbered.append(steps)
        }
        var search = JointSearch(own, programs: renumbered, visits: visits, meter: meter)
        try search.run(reduce, reached)
    }

    private func language(_ number: Int32) throws(LanguageBudget.Exhausted) -> RuleLanguage {
        if let known = languages[number] { return known }
        let language = try RuleLanguage(keys[Int(number)], meter: meter)
        languages[number] = language
        return language
    }
}
