// `substitutionVariables`: names that stand for a choice of texts, and those that Apple predefines.
// https://developer.apple.com/documentation/bundleresources/applinks/substitutionvariables

/// The variables that patterns may use.
package struct SubstitutionVariables: Sendable {
    /// The file's own, in its order.
    package let custom: [Custom]
    private let elements: [ExactText: PatternElement]

    /// A variable of the file.
    package struct Custom: Sendable {
        package let name: String
        /// The values that count. Apple skips what is no string, and drops a value that holds `$(`.
        package let values: [String]
        package let member: JSONMember
        /// Whether it hides a predefined variable of the same name.
        package let hidesPredefined: Bool

        var pointer: String { "/applinks/substitutionVariables/\(name.escapedForPointer)" }

        /// The values as they are written, those that do not count included. A bare string is taken as a list of one
        /// (observed).
        var written: [JSONNode] { member.value.elements ?? [member.value] }

        /// Where one of them stands.
        func pointer(at index: Int) -> String { member.value.elements == nil ? pointer : "\(pointer)/\(index)" }
    }

    /// No variables but the predefined ones.
    package static let predefined = SubstitutionVariables(nil)

    /// - Parameter node: the value of `substitutionVariables`; what is no object counts as absent.
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

    /// As these, but with codes of any two or three letters for the two lists that sources give differently.
    var withAnyCodes: SubstitutionVariables {
        let letter = PatternElement.scalarClass(.alpha)
        let codes = PatternElement.choice(Choice([[letter, letter], [letter, letter, letter]]))
        let own = Set(custom.map { ExactText($0.member.key) })
        let lists = ["lang", "region"].map(ExactText.init(_:)).filter { !own.contains($0) }
        return SubstitutionVariables(
            custom: custom, elements: elements.merging(lists.map { ($0, codes) }, uniquingKeysWith: { $1 }))
    }

    private init(custom: [Custom], elements: [ExactText: PatternElement]) {
        self.custom = custom
        self.elements = elements
    }

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

/// The codes behind `$(region)` and `$(lang)`. Both cases match; `UK` is no code, `GB` is.
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
    /// Whether a variable begins in it.
    var holdsVariable: Bool {
        var isAfterDollar = false
        for byte in utf8 {
            if isAfterDollar, byte == UInt8(ascii: "(") { return true }
            isAfterDollar = byte == UInt8(ascii: "$")
        }
        return false
    }
}
