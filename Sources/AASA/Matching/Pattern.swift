// From the text of a pattern to what it matches: variables resolved, wildcards read. Where a text can match nothing, the
// reason is kept for those who explain.

/// A compiled pattern for a path, a query (or one item of it), or a fragment.
public struct Pattern: Sendable, Hashable {
    /// The text as the file has it.
    public let text: String
    /// nil: it never matches, for the reason in `fault`.
    public let elements: [PatternElement]?
    public let fault: Fault?
    /// What the matcher runs; nil as `elements`.
    let program: PatternProgram?
    /// What it costs to look at the elements once, values of variables included.
    let weight: Int
    /// What it costs to try a text.
    let trialWeight: Int

    /// Why a pattern never matches.
    public enum Fault: Error, Sendable, Hashable {
        /// `$(` without its `)`.
        case unclosedVariable
        /// `$(name)` with a name that is neither predefined nor in `substitutionVariables`.
        case undefinedVariable(String)
        /// More than 64 wildcards and variables: Apple's matcher gives up.
        case tooComplex
    }

    /// Apple's matcher gives up beyond so many wildcards and variables.
    public static let maximumWildcards = 64

    /// Takes the text as the file has it. A path is normalised first.
    public init(_ text: String, isPath: Bool, variables: SubstitutionVariables) {
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
        self.text = text
        do {
            let compiled = try Self.compile(isPath ? PathNormalization.normalize(text) : text, variables, reading)
            elements = compiled.map(\.element)
            fault = nil
            program = PatternProgram(compiled)
            weight = compiled.reduce(0) { $0 + $1.weight }
            trialWeight = compiled.reduce(0) { $0 + $1.trialWeight }
        } catch {
            elements = nil
            fault = error
            program = nil
            weight = 0
            trialWeight = 0
        }
    }

    /// Whether it matches every text whatever.
    public var isUnconstrained: Bool { elements == [.anyRun] }

    public static func == (left: Pattern, right: Pattern) -> Bool {
        left.text == right.text && left.elements == right.elements && left.fault == right.fault
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(elements)
        hasher.combine(fault)
    }

    private static func compile(
        _ text: String, _ variables: SubstitutionVariables, _ reading: Reading
    ) throws(Fault) -> [PatternStep] {
        var steps: [PatternStep] = []
        var wildcards = 0
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "$" where rest.first == "(":
                guard let close = rest.firstIndex(of: ")") else { throw .unclosedVariable }
                let name = String(rest[rest.index(after: rest.startIndex)..<close])
                guard let step = variables.step(for: name) else { throw .undefinedVariable(name) }
                steps.append(step)
                wildcards += 1
                rest = rest[rest.index(after: close)...]
            case "*":
                // A variable's value may end in `*` too, but one after another here says nothing more.
                if case .anyRun = steps.last { continue }
                steps.append(.anyRun)
                wildcards += 1
            case "?":
                steps.append(.anyScalar)
                wildcards += 1
            case "\\" where reading == .backslashEscapes:
                if let escaped = rest.popFirst() { steps.append(.scalar(escaped)) }
            default:
                steps.append(.scalar(scalar))
            }
        }
        guard wildcards <= maximumWildcards || reading == .unlimited else { throw .tooComplex }
        return steps
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

/// One element of a compiled pattern, its variables resolved. The matcher and the automata both read these, so that they
/// cannot disagree about what a pattern means.
public enum PatternElement: Sendable, Hashable {
    case scalar(Unicode.Scalar)
    /// `?`: exactly one character, a Unicode scalar.
    case anyScalar
    /// `*`: any number of characters, `/` included.
    case anyRun
    /// A predefined variable that stands for one character of a class, such as `$(digit)`.
    case scalarClass(ScalarClass)
    /// A variable: any one of its values, which may hold wildcards.
    case oneOf([[PatternElement]])
}

/// The character classes that Apple predefines: exactly one ASCII character each.
/// https://developer.apple.com/documentation/bundleresources/applinks/substitutionvariables
public enum ScalarClass: String, Sendable, Hashable, CaseIterable {
    case alpha, upper, lower, alnum, digit, xdigit

    public func contains(_ scalar: Unicode.Scalar) -> Bool {
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
