// Compiles the text of a pattern: resolves variables and reads wildcards. If a pattern can match nothing, it keeps the
// reason for messages.

/// A compiled pattern for a path, a whole query, one query item, or a fragment. A class, because thousands of rules can
/// share one long pattern.
public final class Pattern: Sendable, Hashable {
    /// The text as the file writes it; for `paths` without a leading `NOT `.
    public let text: String
    /// nil: the pattern never matches; `fault` has the reason.
    let elements: [PatternElement]?
    package let fault: Fault?
    /// nil if `elements` is nil.
    let program: PatternProgram?
    /// The cost of one pass over the elements, values of variables included.
    let weight: Int
    /// The cost of trying one text.
    let trialWeight: Int
    /// The number of wildcards and variables. A variable with very many values counts as several.
    let wildcardWeight: Int

    /// Why a pattern never matches.
    package enum Fault: Error, Sendable, Hashable {
        /// `$(` without `)`.
        case unclosedVariable
        /// `$(name)`, where the name is neither predefined nor in `substitutionVariables`.
        case undefinedVariable(String)
        /// More than 64 wildcards and variables: Apple's matcher gives up.
        case tooComplex
    }

    /// Apple's matcher gives up beyond this many wildcards and variables.
    package static let maximumWildcards = 64

    /// Compiles the text of a file. A path is normalised first.
    package init(_ text: String, isPath: Bool, variables: SubstitutionVariables) {
        self.text = text
        do {
            elements = try Self.compile(isPath ? PathNormalization.normalize(text) : text, variables)
            fault = nil
        } catch {
            elements = nil
            fault = error
        }
        program = elements.map(PatternProgram.init)
        let elements = elements ?? []
        weight = elements.reduce(0) { $0 + $1.weight }
        trialWeight = elements.reduce(0) { $0 + $1.trialWeight }
        wildcardWeight = elements.reduce(0) { $0 + $1.wildcardWeight }
    }

    /// Whether the pattern is just `*`, which matches every text.
    package var isUnconstrained: Bool { elements == [.anyRun] }

    public static func == (left: Pattern, right: Pattern) -> Bool {
        left === right
            || left.text.isExactly(right.text) && left.elements == right.elements && left.fault == right.fault
    }

    /// Hashes only the text: equal texts rarely have different meanings.
    public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(text)) }

    private static func compile(
        _ text: String, _ variables: SubstitutionVariables
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
                // A repeated `*` adds nothing. After a variable it stays, even if a value of the variable ends in `*`.
                if elements.last == .anyRun { continue }
                elements.append(.anyRun)
                wildcards += 1
            case "?":
                elements.append(.anyScalar)
                wildcards += 1
            default:
                elements.append(.scalar(scalar))
            }
        }
        guard wildcards <= maximumWildcards else { throw .tooComplex }
        return elements
    }

    /// The elements of a variable's value, which cannot contain variables.
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
enum PatternElement: Sendable, Hashable {
    case scalar(Unicode.Scalar)
    /// `?`: exactly one Unicode scalar.
    case anyScalar
    /// `*`: any number of characters, including none and including `/`.
    case anyRun
    /// A predefined variable for one character of a class, such as `$(digit)`.
    case scalarClass(ScalarClass)
    /// A variable: any one of its values, which may contain wildcards.
    case choice(Choice)
}

/// The predefined character classes. Each matches exactly one ASCII character.
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

package struct SubstitutionVariables: Sendable {
    /// The variables of the file, in file order.
    package let custom: [Custom]
    private let elements: [ExactText: PatternElement]

    package struct Custom: Sendable {
        package let name: String
        /// The values that Apple uses. It ignores values that are not strings or that contain `$(`.
        package let values: [String]
        package let member: JSONMember
        /// Whether a predefined variable has the same name.
        package let hidesPredefined: Bool

        var pointer: String { "/applinks/substitutionVariables/\(name.escapedForPointer)" }

        /// All values, including those that Apple ignores. A bare string counts as a list of one (observed).
        var written: [JSONNode] { member.value.elements ?? [member.value] }

        func pointer(at index: Int) -> String { member.value.elements == nil ? pointer : "\(pointer)/\(index)" }
    }

    /// Only the predefined variables.
    package static let predefined = SubstitutionVariables(nil)

    /// - Parameter node: the value of `substitutionVariables`. Anything but an object counts as absent.
    package init(_ node: JSONNode?) {
        var elements = Self.predefinedElements
        var custom: [Custom] = []
        for member in node?.members ?? [] {
            let values = (member.value.elements ?? [member.value]).compactMap(\.string).filter { !$0.holdsVariable }
            custom.append(
                Custom(
                    name: member.key, values: values, member: member,
                    hidesPredefined: Self.predefinedElements[ExactText(member.key)] != nil))
            elements[ExactText(member.key)] = .choice(Choice(values.map(Pattern.elements(ofValue:))))
        }
        self.custom = custom
        self.elements = elements
    }

    package var names: [String] { elements.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

    func element(for name: String) -> PatternElement? { elements[ExactText(name)] }

    private static let predefinedElements: [ExactText: PatternElement] = {
        var elements: [ExactText: PatternElement] = [:]
        for scalarClass in ScalarClass.allCases {
            elements[ExactText(scalarClass.rawValue)] = .scalarClass(scalarClass)
        }
        elements[ExactText("region")] = .choice(codes(ISOCodes.regions))
        elements[ExactText("lang")] = .choice(codes(ISOCodes.languages))
        return elements
    }()

    /// Each code in upper and in lower case: both match.
    private static func codes(_ list: String) -> Choice {
        Choice(
            list.split(separator: " ").flatMap { code in
                [code.lowercased(), code.uppercased()].map(Pattern.elements(ofValue:))
            })
    }
}

/// The codes that `$(region)` and `$(lang)` match. `UK` is not among them; `GB` is.
enum ISOCodes {
    /// ISO 3166-1 alpha-2.
    static let regions = """
        AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC \
        CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD \
        GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH \
        KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW \
        MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC \
        SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY \
        UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
        """

    /// ISO 639-1.
    static let languages = """
        aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo \
        es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg \
        ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn \
        no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta \
        te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
        """
}

extension String {
    /// Whether the text contains `$(`.
    var holdsVariable: Bool {
        var isAfterDollar = false
        for byte in utf8 {
            if isAfterDollar, byte == UInt8(ascii: "(") { return true }
            isAfterDollar = byte == UInt8(ascii: "$")
        }
        return false
    }
}
