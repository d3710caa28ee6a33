// Which rules of an entry can decide about a URL, and which never do because earlier rules match all their URLs. Also
// which URLs apps of different entries both open: there the order and the installed apps decide.

/// Whether a rule decides about any URL.
package struct RuleReach: Sendable {
    package let rule: URLRule
    package let verdict: Verdict

    package enum Verdict: Sendable {
        /// It decides about this URL, usually the shortest one.
        case decides(example: String)
        /// Proven: for each URL that it matches, one of these earlier rules decides. They are in file order.
        case shadowed(by: [URLRule])
        /// Proven: it matches no URL, regardless of the other rules.
        case matchesNothing
        /// The budget ran out.
        case undecided
    }

    /// Whether the budget sufficed.
    var isJudged: Bool { if case .undecided = verdict { false } else { true } }

    /// Whether it is proven that the rule opens no URL.
    var opensNothing: Bool {
        switch verdict {
        case .shadowed, .matchesNothing: true
        case .decides, .undecided: rule.isExclusion
        }
    }
}

extension AppLinks.Entry {
    /// `plainly`: for less work, an example is some URL that the rule decides about, not the shortest one.
    func reach(_ meter: WorkMeter, plainly: Bool = true) -> [RuleReach] {
        let search = ProgramSearch(meter)
        /// The rules still without a URL about which they decide.
        var pending: Set<Int> = []
        var found: [Int: String] = [:]
        var shadows: RuleShadows?
        var verdicts: [RuleReach.Verdict?] = rules.map { _ in nil }
        var isProof = true
        do {
            let judge = RuleShadows(rules, try search.numbered(rules), search)
            shadows = judge
            if plainly { for index in rules.indices { verdicts[index] = judge.quickVerdict(on: index) } }
            let steps = search.steps(of: judge.numbered)
            pending = Set(steps.map(\.index).filter { verdicts[$0] == nil })
            // Rules that share no URL with a pending one do not affect the result.
            var asked = pending
            for index in pending {
                try meter.spend(1 + index / 4)
                asked.formUnion(judge.ends.rules(meeting: index))
            }
            if !asked.isEmpty {
                try search.run([steps.filter { asked.contains($0.index) }]) { remainders in
                    while let last = remainders[0].steps.last, !pending.contains(last.index) {
                        remainders[0].steps.removeLast()
                    }
                    return !remainders[0].steps.isEmpty
                } reached: { deciders, url in
                    if let index = deciders[0]?.index, pending.remove(index) != nil {
                        found[index] = ExampleURL.readable(url())
                    }
                    return !pending.isEmpty
                }
            }
        } catch {
            isProof = false
        }
        var samplesLeft = 50
        // Without a proof, a sample that the rule decides about is enough. The work of the proof is not repeated.
        return rules.indices.map { index in
            var verdict = verdicts[index] ?? .undecided
            if verdicts[index] != nil {
                // Already decided.
            } else if let example = found[index] {
                if meter.firstMatch(rules, example) == index { verdict = .decides(example: example) }
            } else if let shadows, isProof || !pending.contains(index) {
                verdict = shadows.verdict(on: index)
            } else if samplesLeft > 0, !meter.isExhausted {
                samplesLeft -= 1
                let sample = rules[index].samples(count: 3, meter: meter).first {
                    meter.firstMatch(rules, $0) == index
                }
                if let sample { verdict = .decides(example: sample) }
            }
            return RuleReach(rule: rules[index], verdict: verdict)
        }
    }
}

extension AppLinks {
    /// Whether it is proven that no rule of an app's entries opens a URL; false if the budget runs out, or if the file
    /// does not name the app.
    package func opensNothing(for app: String, meter: WorkMeter) -> Bool {
        let own = entries.filter { $0.appIDs.contains(app) }
        return !own.isEmpty && own.allSatisfy { $0.reach(meter).allSatisfy(\.opensNothing) }
    }
}

/// Finds the rules that match the URLs of a rule that never decides.
private struct RuleShadows {
    let numbered: [ProgramSearch.NumberedRule]
    let ends: PathEnds
    private let rules: [URLRule]
    private let search: ProgramSearch
    /// The first rule of each language, and the first rule that matches every URL.
    private let first: [Int32: Int]
    private let catchAll: Int?

    init(_ rules: [URLRule], _ numbered: [ProgramSearch.NumberedRule], _ search: ProgramSearch) {
        self.rules = rules
        self.numbered = numbered
        self.search = search
        ends = PathEnds(numbered.map { rule in rule.language.map { search.keys[Int($0)] } })
        let languages = numbered.enumerated().compactMap { rule in rule.element.language.map { ($0, rule.offset) } }
        first = Dictionary(languages, uniquingKeysWith: { $1 < $0 ? $1 : $0 })
        catchAll = languages.first { search.keys[Int($0.0)].isUnconstrained }?.1
    }

    /// For a rule that provably never decides.
    func verdict(on index: Int) -> RuleReach.Verdict {
        guard let language = numbered[index].language else { return .matchesNothing }
        let sole = sole(before: index, language)
        do {
            if let sole {
                return try isContained(language, in: nil) ? .matchesNothing : .shadowed(by: [rules[sole]])
            }
            let takers = try takers(of: language, before: index)
            guard !takers.isEmpty else { return .matchesNothing }
            if takers.count > 1 {
                for taker in takers where try isContained(language, in: numbered[taker].language) {
                    return .shadowed(by: [rules[taker]])
                }
            }
            return .shadowed(by: takers.map { rules[$0] })
        } catch {
            return sole.map { .shadowed(by: [rules[$0]]) } ?? .undecided
        }
    }

    /// The verdict, if single URLs of the rule are enough to find it.
    /// - Returns: nil if automata are needed.
    func quickVerdict(on index: Int) -> RuleReach.Verdict? {
        let check = search.meter
        // Trying a rule without wildcards costs no more than reading it.
        guard let language = numbered[index].language,
            rules[index].weight < URLRule.maximumExampleWeight || rules[index].cost.wildcards == 0,
            check.use(1 + index / 4)
        else { return nil }
        let sole = sole(before: index, language)
        let earlier = sole == nil ? ends.rules(meeting: index) : []
        var tried: Set<String> = []
        for filling in [URLRule.Filling.rare, .shortest, .plain] {
            guard check.use(elements: rules[index].trialWeight),
                let url = rules[index].example(filling: filling, meter: check),
                tried.insert(url).inserted, MatchableURL(url)?.isInUniverse ?? false
            else { continue }
            // Only now: without an example, the rule may match nothing, which is another verdict.
            if let sole { return .shadowed(by: [rules[sole]]) }
            guard let taker = check.firstMatch(rules, among: earlier + [index], url) else { return nil }
            if taker == index { return .decides(example: ExampleURL.readable(url)) }
            // If it covers the language, it also matches all other URLs, unless an earlier rule does.
            if let other = numbered[taker].language,
                search.keys[Int(other)].plainlyCovers(search.keys[Int(language)])
            {
                return .shadowed(by: [rules[taker]])
            }
        }
        return nil
    }

    /// An earlier rule that is equal or matches every URL is a sufficient reason.
    private func sole(before index: Int, _ language: Int32) -> Int? {
        [first[language], catchAll].compactMap { $0 }.filter { $0 < index }.min()
    }

    /// The rules that decide about the URLs of a language, in file order.
    private func takers(of language: Int32, before index: Int) throws(LanguageBudget.Exhausted) -> [Int] {
        try search.meter.spend(index + 1)
        let meeting = Set(ends.rules(meeting: index))
        let earlier = search.steps(of: numbered[..<index]).filter { meeting.contains($0.index) }
        var takers: Set<Int> = []
        try search.run([earlier, Self.program(language)]) { remainders in
            !remainders[1].steps.isEmpty && remainders[0].steps.contains { !takers.contains($0.index) }
        } reached: { deciders, _ in
            if deciders[1] != nil, let taker = deciders[0] { takers.insert(taker.index) }
            return true
        }
        return takers.sorted()
    }

    /// Whether every URL of a language is also in the other one; without `other`, whether the language is empty.
    private func isContained(_ language: Int32, in other: Int32?) throws(LanguageBudget.Exhausted) -> Bool {
        var holds = true
        try search.run([other.map(Self.program) ?? [], Self.program(language)]) { remainders in
            !remainders[1].steps.isEmpty && !remainders[0].isDecided
        } reached: { deciders, _ in
            if deciders[1] != nil, deciders[0] == nil { holds = false }
            return holds
        }
        return holds
    }

    private static func program(_ language: Int32) -> [ProgramStep] {
        [ProgramStep(language: language, isExclusion: false, index: 0)]
    }
}

/// Which rules can match a common path, according to the literal starts and ends of their path patterns: most rules in
/// most files cannot. May include too many rules, but never misses one.
struct PathEnds {
    private let ends: [Ends?]

    private struct Ends {
        let head: [Unicode.Scalar]
        let tail: [Unicode.Scalar]

        func meets(_ other: Ends) -> Bool {
            for index in 0..<min(head.count, other.head.count) where head[index] != other.head[index] { return false }
            for index in 0..<min(tail.count, other.tail.count) where tail[index] != other.tail[index] { return false }
            return true
        }
    }

    /// The maximum number of scalars of an end that is compared.
    private static let maximumLength = 64

    /// Takes the keys of a list of rules; nil for a rule that never matches.
    init(_ keys: [RuleKey?]) {
        let encodings = Set(keys.compactMap { $0.flatMap { $0.path == nil ? nil : $0.isPercentEncoded } })
        // The encoded and the decoded text of a URL differ from the first escape on, and an escape may begin before a
        // tail.
        let isMixed = encodings.count > 1
        ends = keys.map { key in
            key.map { key in
                let path = key.path ?? []
                let head = path.lazy.map(\.literal).prefix { $0 != nil && !(isMixed && $0 == "%") }
                let tail = path.lazy.reversed().map(\.literal).prefix { !isMixed && $0 != nil }
                return Ends(
                    // Folded even if case matters.
                    head: head.prefix(Self.maximumLength).compactMap { $0?.folded },
                    tail: tail.prefix(Self.maximumLength).compactMap { $0?.folded })
            }
        }
    }

    /// The earlier rules that may share a path with this rule, in file order.
    func rules(meeting index: Int) -> [Int] {
        guard let own = ends[index] else { return [] }
        return (0..<index).filter { ends[$0]?.meets(own) ?? false }
    }
}

/// Apps of two entries that both open the same URL.
package struct AppOverlap: Sendable {
    /// The apps of the first side, then those of the second.
    package var appIDs: [String] { sides.flatMap { $0 } }
    /// Two lists, shared with other overlaps: there may be thousands of apps.
    let sides: [[String]]
    /// The shortest URL that both sides open, as path with query and fragment.
    package let example: String
    /// The rule of each side that opens the example.
    package let rules: [URLRule]
}

extension AppLinks {
    /// At most one for each pair of entries. Apps of one entry share its URLs on purpose and are not reported. Pairs
    /// beyond the budget are left out; `isComplete` is then false. `isCounted`: whether an app is included.
    func overlaps(
        _ meter: WorkMeter, where isCounted: (String) -> Bool
    ) -> (found: [AppOverlap], isComplete: Bool) {
        var file = FileApps(self, where: isCounted)
        let search = ProgramSearch(meter)
        var overlaps: [AppOverlap] = []
        var reported: Set<[Int]> = []
        var isComplete = true
        do {
            try file.number(search)
            let groups = FileApps.groups(of: file.apps, by: file.entries(of:))
            let sides = try groups.map { (group) throws(LanguageBudget.Exhausted) in
                let count = 1 + file.ruleCount(of: group.key)
                try search.meter.spend(count)
                try search.meter.take(40 * count)
                return Side(
                    apps: group.apps, entries: group.key, steps: search.steps(of: file.numbered(group.key)),
                    owners: group.key.flatMap { repeatElement($0, count: entries[$0].rules.count) })
            }
            for (position, left) in sides.enumerated() {
                for right in sides[(position + 1)...] {
                    let found: (url: String, rules: [Int])?
                    do {
                        found = try Self.shared(left, right, search)
                    } catch  where meter.allowsProof {
                        // Too many states for this pair; others may have few.
                        isComplete = false
                        continue
                    }
                    let pair = [left, right]
                    guard let found,
                        reported.insert(zip(pair, found.rules).map { $0.owners[$1] }.sorted()).inserted
                    else { continue }
                    // The matcher confirms each result.
                    let isTrue = zip(pair, found.rules).allSatisfy { side, rule in
                        meter.use(elements: side.owners.count)
                            && meter.firstMatch(file.rules(of: side.entries), found.url) == rule
                    }
                    guard isTrue else { continue }
                    let rules = zip(pair, found.rules).map { file.rules(of: $0.entries)[$1] }
                    overlaps.append(AppOverlap(sides: pair.map(\.apps), example: found.url, rules: rules))
                }
            }
        } catch {
            // The overlaps found so far are still valid.
            isComplete = false
        }
        return (overlaps, isComplete && !meter.isExhausted)
    }

    /// Apps that the same entries name, with the rules of those entries.
    private struct Side {
        let apps: [String]
        let entries: [Int]
        let steps: [ProgramStep]
        /// The entry of each rule.
        let owners: [Int]
    }

    /// A URL that rules of different entries open, one of each side.
    private static func shared(
        _ left: Side, _ right: Side, _ search: ProgramSearch
    ) throws(LanguageBudget.Exhausted) -> (url: String, rules: [Int])? {
        try search.meter.spend(left.steps.count + right.steps.count + 1)
        var found: (url: String, rules: [Int])?
        try search.run([left.steps, right.steps]) { remainders in
            remainders.allSatisfy { $0.steps.contains { !$0.isExclusion } }
        } reached: { deciders, url in
            guard let one = deciders[0], let other = deciders[1], !one.isExclusion, !other.isExclusion,
                left.owners[one.index] != right.owners[other.index]
            else { return true }
            found = (ExampleURL.readable(url()), [one.index, other.index])
            return false
        }
        return found
    }
}
