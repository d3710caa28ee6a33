// `substitutionVariables`: names that stand for a choice of texts, and those that Apple predefines.
// https://developer.apple.com/documentation/bundleresources/applinks/substitutionvariables

/// The variables that patterns may use.
public struct SubstitutionVariables: Sendable {
    /// The file's own, in its order.
    public let custom: [Custom]
    private let steps: [String: PatternStep]

    /// A variable of the file.
    public struct Custom: Sendable {
        public let name: String
        /// The values that count. Apple skips what is no string, and drops a value that holds `$(`.
        public let values: [String]
        public let member: JSONMember
        /// Whether it hides a predefined variable of the same name.
        public let hidesPredefined: Bool
    }

    /// No variables but the predefined ones.
    public static let predefined = SubstitutionVariables(nil)

    /// - Parameter node: the value of `substitutionVariables`; what is no object counts as absent.
    public init(_ node: JSONNode?) {
        var steps = Self.predefinedSteps
        var custom: [Custom] = []
        for member in node?.members ?? [] {
            // A bare string is taken as a list of one (observed).
            let texts = member.value.elements?.compactMap(\.string) ?? member.value.string.map { [$0] } ?? []
            let values = texts.filter { !$0.contains("$(") }
            custom.append(
                Custom(
                    name: member.key, values: values, member: member,
                    hidesPredefined: Self.predefinedSteps[member.key] != nil))
            steps[member.key] = .choice(Choice(values.map(Pattern.elements(ofValue:))))
        }
        self.custom = custom
        self.steps = steps
    }

    public var names: [String] { steps.keys.sorted() }

    func element(for name: String) -> PatternElement? { steps[name]?.element }

    func step(for name: String) -> PatternStep? { steps[name] }

    /// As these, but with codes of any two or three letters for the two lists that sources give differently.
    var withAnyCodes: SubstitutionVariables {
        let letter = PatternElement.scalarClass(.alpha)
        let codes = PatternStep.choice(Choice([[letter, letter], [letter, letter, letter]]))
        let own = Set(custom.map(\.member.key))
        let lists = ["lang", "region"].filter { !own.contains($0) }
        return SubstitutionVariables(
            custom: custom, steps: steps.merging(lists.map { ($0, codes) }, uniquingKeysWith: { $1 }))
    }

    private init(custom: [Custom], steps: [String: PatternStep]) {
        self.custom = custom
        self.steps = steps
    }

    private static let predefinedSteps: [String: PatternStep] = {
        var steps: [String: PatternStep] = [:]
        for scalarClass in ScalarClass.allCases { steps[scalarClass.rawValue] = .scalarClass(scalarClass) }
        steps["region"] = .choice(codes(ISOCodes.regions))
        steps["lang"] = .choice(codes(ISOCodes.languages))
        return steps
    }()

    /// Each code in upper and in lower case: both match.
    private static func codes(_ list: String) -> Choice {
        Choice(
            list.split(separator: " ").flatMap { code in
                [code.lowercased(), code.uppercased()].map(Pattern.elements(ofValue:))
            })
    }
}
