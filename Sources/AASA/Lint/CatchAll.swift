// One rule that takes every URL and stands in front of others is one fault, however many rules it hides.

struct CatchAll {
    let rule: URLRule
    /// The rules that are never reached because of it alone.
    let hidden: [URLRule]

    /// Whether it opens what some of them should exclude.
    var hidesExclusion: Bool { !rule.isExclusion && hidden.contains(where: \.isExclusion) }

    /// Those that hide several rules.
    static func all(of shadows: [LintSubject.Shadow]) -> [CatchAll] {
        var places: [String: Int] = [:]
        var groups: [(rule: URLRule, hidden: [URLRule])] = []
        for shadow in shadows {
            guard let taker = shadow.by.first, shadow.by.count == 1, taker.isUnconstrained else { continue }
            if let place = places[taker.pointer] {
                groups[place].hidden.append(shadow.rule)
            } else {
                places[taker.pointer] = groups.count
                groups.append((taker, [shadow.rule]))
            }
        }
        return groups.filter { $0.hidden.count > 1 }.map { CatchAll(rule: $0.rule, hidden: $0.hidden) }
    }

    func message(in subject: LintSubject) -> String {
        let exclusions = hidden.count(where: \.isExclusion)
        let kinds =
            exclusions == hidden.count
            ? "\(hidden.count) exclusions"
            : "\(hidden.count) rules" + (exclusions > 0 ? " (\(exclusions) of them exclusions)" : "")
        let places = hidden.prefix(FindingSink.maximumRelated).map { "\(subject.position(of: $0.range.lowerBound))" }
        let rest = hidden.count - places.count
        return
            "\(Quoted.escaped(rule.written, limit: 60)) already \(rule.isExclusion ? "excludes" : "opens") every URL, so the "
            + "\(kinds) behind it are never reached: at \(places.joined(separator: ", "))"
            + (rest > 0 ? " and \(rest) more" : "")
    }

    var related: [FindingSink.Related] {
        hidden.prefix(FindingSink.maximumRelated).map { .init($0, "never reached") }
    }
}

extension LintSubject {
    /// The rules that are never reached, apart from those that a catch-all hides together.
    var ungroupedShadows: [Shadow] {
        let catchAlls = Set(catchAlls.map(\.rule.pointer))
        return catchAlls.isEmpty
            ? shadows : shadows.filter { $0.by.count != 1 || !catchAlls.contains($0.by[0].pointer) }
    }
}
