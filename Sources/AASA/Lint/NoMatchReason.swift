// Why no URL matches a rule, where one sign or one variable of it is reason enough. The proof is the automata's; this only
// puts it into words.

struct NoMatchReason {
    /// A clause.
    let text: String
    /// nil: the cause shows what to do.
    var fix: String?

    /// nil where no single cause is known.
    static func of(_ rule: URLRule, in subject: LintSubject) -> NoMatchReason? {
        for site in PatternSite.all(of: rule) where site.pattern?.elements != nil {
            if let text = emptyVariable(site, subject) ?? foreignSign(site) { return NoMatchReason(text: text) }
            if let doubled = DoubledSlash.inEveryValue(site, subject) { return doubled.reason(site) }
        }
        return nil
    }

    private static func emptyVariable(_ site: PatternSite, _ subject: LintSubject) -> String? {
        guard !subject.emptyVariables.isEmpty else { return nil }
        let empty = UnusedVariable.names(in: site.text).first(where: subject.emptyVariables.contains)
        return empty.map { "the variable \(Quoted.json($0)) in \(Quoted.json(site.text)) has no value" }
    }

    /// A sign that the part of the URL does not hold.
    private static func foreignSign(_ site: PatternSite) -> String? {
        let text = Quoted.json(site.text)
        // Values of variables have their own signs.
        let bytes = Array(site.literal.utf8)
        func holds(_ sign: Character) -> Bool { bytes.contains { Character(UnicodeScalar($0)) == sign } }
        if site.part == .queryItem, site.rule.isPercentEncoded, holds("&") {
            return "'&' in \(text) ends the value of a query item"
        }
        guard site.rule.isPercentEncoded else { return nil }
        if site.part != .fragment, site.part != .path, holds("#") { return "'#' in \(text) ends the query of a URL" }
        if let byte = bytes.first(where: { $0 < 0x80 && !PercentCoding.mayStand($0) }) {
            let sign = Unicode.Scalar(byte)
            let escape = PercentCoding.encodingWhatMustBe(String(Character(sign)))
            return "\(Quoted.text(String(sign))) in \(text) stands in URLs as \(escape) only"
        }
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            let digits = bytes[(index + 1)...].prefix(2)
            // A wildcard may stand for a digit.
            let isEscape = digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit || "*?$".utf8.contains($0) }
            if !isEscape { return "'%' in \(text) is not followed by two hexadecimal digits" }
        }
        return nil
    }
}
