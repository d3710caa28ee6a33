// What a pattern consists of once variables are resolved. The matcher and the automata both read these, so that they
// cannot disagree about what a pattern means.

/// One element of a compiled pattern.
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
