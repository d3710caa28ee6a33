// Lists of rules as programs over numbered languages, freed of what cannot count.

/// Numbers the languages that occur in a question, so that equal rules are looked at once.
struct RuleNumbering {
    private(set) var keys: [RuleKey] = []
    private var numbers: [RuleKey: Int32] = [:]
    /// By what rules share: of a file's rules that take all from `defaults` none has a pattern of its own. Those who ask
    /// hold the files, so that an identity stays that of its pattern.
    private var shared: [Source: Int32?] = [:]
    private let languages = LanguageCache()

    /// A rule in its list.
    struct NumberedRule: Hashable {
        /// nil: it never matches.
        let language: Int32?
        let isExclusion: Bool
    }

    /// What decides a rule's key, by identity.
    private struct Source: Hashable {
        let path: ObjectIdentifier?
        let query: ObjectIdentifier?
        let fragment: ObjectIdentifier?
        let isCaseSensitive: Bool
        let isPercentEncoded: Bool

        init(_ rule: URLRule) {
            path = rule.path?.identity
            query =
                switch rule.query {
                case .any: nil
                case .whole(let pattern): pattern.identity
                case .items(let items): items.identity
                }
            fragment = rule.fragment?.identity
            isCaseSensitive = rule.isCaseSensitive
            isPercentEncoded = rule.isPercentEncoded
        }
    }

    mutating func numbered(
        _ rules: [URLRule], meter: WorkMeter
    ) throws(LanguageBudget.Exhausted) -> [NumberedRule] {
        var result: [NumberedRule] = []
        for rule in rules {
            try meter.spend(8)
            try meter.take(48)
            result.append(
                NumberedRule(language: try number(of: rule, meter: meter), isExclusion: rule.isExclusion))
        }
        return result
    }

    private mutating func number(of rule: URLRule, meter: WorkMeter) throws(LanguageBudget.Exhausted) -> Int32? {
        let source = Source(rule)
        if let known = shared[source] { return known }
        let key = RuleKey(rule)
        try meter.spend(key?.weight ?? 1)
        // Its place here, the key, and the key's place.
        try meter.take(240)
        let made: Int32? = if let key { number(of: key) } else { nil }
        shared.updateValue(made, forKey: source)
        return made
    }

    private mutating func number(of key: RuleKey) -> Int32 {
        if let known = numbers[key] { return known }
        let number = Int32(keys.count)
        keys.append(key)
        numbers[key] = number
        return number
    }

    /// - Returns: the steps that can count: none for rules that never match, none for repetitions, and none behind a rule
    ///   that every URL matches. `index` is the rule's place in the list.
    func steps(of rules: [NumberedRule]) -> [ProgramStep] {
        var steps: [ProgramStep] = []
        var seen: Set<Int32> = []
        for (index, rule) in rules.enumerated() {
            guard let language = rule.language, seen.insert(language).inserted else { continue }
            steps.append(ProgramStep(language: language, isExclusion: rule.isExclusion, index: index))
            if keys[Int(language)].isUnconstrained { break }
        }
        return steps
    }

    /// A search over the languages of these programs alone. What one search has found out about a language, the next one
    /// knows.
    func search(
        _ programs: [[ProgramStep]], states: Int, visits: Int = 1, meter: WorkMeter
    ) throws(LanguageBudget.Exhausted) -> JointSearch {
        var own: [RuleLanguage] = []
        var numbers: [Int32: Int32] = [:]
        var renumbered: [[ProgramStep]] = []
        for program in programs {
            var steps: [ProgramStep] = []
            for step in program {
                let number = numbers[step.language] ?? Int32(own.count)
                if number == own.count {
                    numbers[step.language] = number
                    own.append(try languages.language(step.language, keys[Int(step.language)], meter: meter))
                }
                steps.append(ProgramStep(language: number, isExclusion: step.isExclusion, index: step.index))
            }
            renumbered.append(steps)
        }
        return JointSearch(own, programs: renumbered, states: states, visits: visits, meter: meter)
    }
}

/// The machines made so far, for all searches of one question.
private final class LanguageCache {
    private var made: [Int32: RuleLanguage] = [:]

    func language(_ number: Int32, _ key: RuleKey, meter: WorkMeter) throws(LanguageBudget.Exhausted) -> RuleLanguage {
        if let known = made[number] { return known }
        let language = try RuleLanguage(key, meter: meter)
        made[number] = language
        return language
    }
}

extension RuleKey {
    var isUnconstrained: Bool { path == nil && query == .any && fragment == nil }

    /// Whether it has no wildcards: however long, trying it costs no more than reading it.
    var isLiteral: Bool {
        func isLiteral(_ elements: [PatternElement]) -> Bool {
            elements.allSatisfy { element in
                if case .scalar = element { true } else { false }
            }
        }
        let isLiteralQuery =
            switch query {
            case .any: true
            case .whole(let elements): isLiteral(elements)
            case .items(let items): items.allSatisfy { isLiteral($0.pattern) }
            }
        return isLiteral(path ?? []) && isLiteral(fragment ?? []) && isLiteralQuery
    }

    /// What it costs to look at the key once.
    var weight: Int {
        var weight = 8 + Self.weight(path ?? []) + Self.weight(fragment ?? [])
        switch query {
        case .any: break
        case .whole(let elements): weight += Self.weight(elements)
        case .items(let items): weight += items.reduce(0) { $0 + 32 + $1.name.count + Self.weight($1.pattern) }
        }
        return weight
    }

    private static func weight(_ elements: [PatternElement]) -> Int {
        elements.reduce(0) { sum, element in
            guard case .oneOf(let values) = element else { return sum + 1 }
            return sum + values.reduce(1) { $0 + 1 + $1.count }
        }
    }

    /// Without the values of variables: there may be thousands, and rules that differ in them alone are rare.
    func hash(into hasher: inout Hasher) {
        hasher.combine(isCaseSensitive)
        hasher.combine(isPercentEncoded)
        Self.hash(path ?? [.anyRun], into: &hasher)
        Self.hash(fragment ?? [.anyRun], into: &hasher)
        switch query {
        case .any: hasher.combine(0)
        case .whole(let elements): Self.hash(elements, into: &hasher)
        case .items(let items):
            for item in items {
                hasher.combine(item.name)
                Self.hash(item.pattern, into: &hasher)
            }
        }
    }

    private static func hash(_ elements: [PatternElement], into hasher: inout Hasher) {
        hasher.combine(elements.count)
        for element in elements {
            if case .oneOf(let values) = element { hasher.combine(values.count) } else { hasher.combine(element) }
        }
    }
}
