// From the text of a pattern to what it matches: variables resolved, wildcards read. Where a text can match nothing, the
// reason is kept for those who explain.

/// A compiled pattern for a path, a query (or one item of it), or a fragment. Copies share what was compiled: a file may
/// give one long pattern to each of its rules.
package struct Pattern: Sendable, Hashable {
    private let compiled: Compiled

    /// The text as the file has it.
    package var text: String { compiled.text }
    /// nil: it never matches, for the reason in `fault`.
    var elements: [PatternElement]? { compiled.elements }
    package var fault: Fault? { compiled.fault }
    /// What the matcher runs; nil as `elements`.
    var program: PatternProgram? { compiled.program }
    /// What it costs to look at the elements once, values of variables included.
    var weight: Int { compiled.weight }
    /// What it costs to try a text.
    var trialWeight: Int { compiled.trialWeight }
    /// The same for all copies.
    var identity: ObjectIdentifier { ObjectIdentifier(compiled) }
    /// Its wildcards and variables, those of very many values as several.
    var wildcardWeight: Int { compiled.wildcardWeight }
    var contested: Contested { compiled.contested }

    /// What of a pattern sources do not agree on.
    struct Contested: OptionSet {
        let rawValue: Int

        /// `$(lang)` or `$(region)`.
        static let codes = Contested(rawValue: 1)
        static let backslash = Contested(rawValue: 2)
        static let tooComplex = Contested(rawValue: 4)
    }

    private final class Compiled: Sendable {
        let text: String
        let elements: [PatternElement]?
        let fault: Fault?
        let program: PatternProgram?
        let weight: Int
        let trialWeight: Int
        let wildcardWeight: Int
        let contested: Contested

        init(_ text: String, _ elements: Result<[PatternElement], Fault>) {
            self.text = text
            let compiled = try? elements.get()
            self.elements = compiled
            fault = if case .failure(let fault) = elements { fault } else { nil }
            program = compiled.map(PatternProgram.init)
            weight = (compiled ?? []).reduce(0) { $0 + $1.weight }
            trialWeight = (compiled ?? []).reduce(0) { $0 + $1.trialWeight }
            wildcardWeight = (compiled ?? []).reduce(0) { $0 + $1.wildcardWeight }
            let names = UnusedVariable.names(in: text)
            var contested: Contested = fault == .tooComplex ? .tooComplex : []
            if names.contains(where: { $0.isExactly("lang") || $0.isExactly("region") }) { contested.insert(.codes) }
            if text.utf8.contains(UInt8(ascii: "\\")) { contested.insert(.backslash) }
            self.contested = contested
        }
    }

    /// Why a pattern never matches.
    package enum Fault: Error, Sendable, Hashable {
        /// `$(` without its `)`.
        case unclosedVariable
        /// `$(name)` with a name that is neither predefined nor in `substitutionVariables`.
        case undefinedVariable(String)
        /// More than 64 wildcards and variables: Apple's matcher gives up.
        case tooComplex
    }

    /// Apple's matcher gives up beyond so many wildcards and variables.
    package static let maximumWildcards = 64

    /// Takes the text as the file has it. A path is normalised first.
    package init(_ text: String, isPath: Bool, variables: SubstitutionVariables) {
        self.init(text, isPath: isPath, variables: variables, reading: .standard)
    }

    /// How a text is read where sources leave a doubt; all but `standard` serve `ContestedPoint` only.
    enum Reading: Hashable {
        case standard
        /// A backslash takes its meaning from the character behind it.
        case backslashEscapes
        /// However many wildcards.
        case unlimited
    }

    init(_ text: String, isPath: Bool, variables: SubstitutionVariables, reading: Reading) {
        let elements: Result<[PatternElement], Fault>
        do {
            elements = .success(try Self.compile(isPath ? PathNormalization.normalize(text) : text, variables, reading))
        } catch {
            elements = .failure(error)
        }
        compiled = Compiled(text, elements)
    }

    /// Whether it matches every text whatever.
    package var isUnconstrained: Bool { elements == [.anyRun] }

    package static func == (left: Pattern, right: Pattern) -> Bool {
        left.compiled === right.compiled
            || left.text.isExactly(right.text) && left.elements == right.elements && left.fault == right.fault
    }

    /// By its text alone, since equal texts seldom mean different things.
    package func hash(into hasher: inout Hasher) { hasher.combine(ExactText(text)) }

    private static func compile(
        _ text: String, _ variables: SubstitutionVariables, _ reading: Reading
    ) throws(Fault) -> [PatternElement] {
        var elements: [PatternElement] = []
        var wildcards = 0
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "$" where rest.first == "(":
                guard let close = rest.firstIndex(of: ")") else { throw .unclosedVariable }
                let name = String(rest[rest.index(after: rest.startIndex)..<close])
                guard let element = variables.element(for: name) else { throw .undefinedVariable(name) }
                elements.append(element)
                wildcards += 1
                rest = rest[rest.index(after: close)...]
            case "*":
                // A variable's value may end in `*` too, but one after another here says nothing more.
                if elements.last == .anyRun { continue }
                elements.append(.anyRun)
                wildcards += 1
            case "?":
                elements.append(.anyScalar)
                wildcards += 1
            case "\\" where reading == .backslashEscapes:
                if let escaped = rest.popFirst() { elements.append(.scalar(escaped)) }
            default:
                elements.append(.scalar(scalar))
            }
        }
        guard wildcards <= maximumWildcards || reading == .unlimited else { throw .tooComplex }
        return elements
    }

    /// The elements of a variable's value, in which no variable may stand.
    static func elements(ofValue value: String) -> [PatternElement] {
        value.unicodeScalars.map { scalar in
            switch scalar {
            case "*": .anyRun
            case "?": .anyScalar
            default: .scalar(scalar)
            }
        }
    }
}

/// Compiles each distinct text once, however often a file or its `defaults` repeat it.
final class PatternCompiler {
    private let variables: SubstitutionVariables
    private let reading: Pattern.Reading
    private var known: [Source: Pattern] = [:]
    /// By the identity of those that were compiled otherwise, which are kept here so that it stays theirs.
    private var others: [ObjectIdentifier: (own: Pattern, other: Pattern)] = [:]
    private var otherItems: [ObjectIdentifier: (own: QueryItems, other: QueryItems)] = [:]

    private struct Source: Hashable {
        let text: ExactText
        let isPath: Bool
    }

    init(_ variables: SubstitutionVariables, reading: Pattern.Reading = .standard) {
        self.variables = variables
        self.reading = reading
    }

    func pattern(_ text: String, isPath: Bool) -> Pattern {
        let source = Source(text: ExactText(text), isPath: isPath)
        if let pattern = known[source] { return pattern }
        let pattern = Pattern(text, isPath: isPath, variables: variables, reading: reading)
        known[source] = pattern
        return pattern
    }

    /// The same text as another compiler's pattern has it.
    func pattern(like other: Pattern, isPath: Bool) -> Pattern {
        if let known = others[other.identity] { return known.own }
        let own = pattern(other.text, isPath: isPath)
        others[other.identity] = (own, other)
        return own
    }

    func items(like other: QueryItems) -> QueryItems {
        if let known = otherItems[other.identity] { return known.own }
        let own = QueryItems(other.map { .init(name: $0.name, pattern: pattern(like: $0.pattern, isPath: false)) })
        otherItems[other.identity] = (own, other)
        return own
    }
}

/// One element of a compiled pattern, its variables resolved. The matcher and the automata both read these, so that they
/// cannot disagree about what a pattern means.
enum PatternElement: Sendable, Hashable {
    case scalar(Unicode.Scalar)
    /// `?`: exactly one character, a Unicode scalar.
    case anyScalar
    /// `*`: any number of characters, `/` included.
    case anyRun
    /// A predefined variable that stands for one character of a class, such as `$(digit)`.
    case scalarClass(ScalarClass)
    /// A variable: any one of its values, which may hold wildcards.
    case choice(Choice)
}

/// The character classes that Apple predefines: exactly one ASCII character each.
/// https://developer.apple.com/documentation/bundleresources/applinks/substitutionvariables
enum ScalarClass: String, Sendable, Hashable, CaseIterable {
    case alpha, upper, lower, alnum, digit, xdigit

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch (self, scalar) {
        case (.alpha, "a"..."z"), (.alpha, "A"..."Z"): true
        case (.upper, "A"..."Z"): true
        case (.lower, "a"..."z"): true
        case (.alnum, "a"..."z"), (.alnum, "A"..."Z"), (.alnum, "0"..."9"): true
        case (.digit, "0"..."9"): true
        case (.xdigit, "a"..."f"), (.xdigit, "A"..."F"), (.xdigit, "0"..."9"): true
        default: false
        }
    }
}
