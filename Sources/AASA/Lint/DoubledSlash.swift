// A variable in a path whose values bring a slash to where one stands already, or where devices put one: no path that is
// compared holds two in a row.

struct DoubledSlash {
    let name: String
    private let side: Side

    private enum Side: String {
        case front = "begin"
        case back = "end"
    }

    /// The first variable of a path of which every value does so; then the path matches nothing.
    static func inEveryValue(_ site: PatternSite, _ subject: LintSubject) -> DoubledSlash? {
        first(site, subject) { values, hasSlash in values.allSatisfy(hasSlash) }
    }

    /// The same of some value; then the path matches by the others.
    static func inSomeValue(_ site: PatternSite, _ subject: LintSubject) -> DoubledSlash? {
        first(site, subject) { values, hasSlash in values.contains(where: hasSlash) }
    }

    private static func first(
        _ site: PatternSite, _ subject: LintSubject, where isMeant: ([String], (String) -> Bool) -> Bool
    ) -> DoubledSlash? {
        guard site.part == .path, let custom = subject.applinks?.variables.custom else { return nil }
        let read = PathNormalization.normalize(site.text)
        for name in UnusedVariable.names(in: site.text) {
            guard let values = custom.last(where: { $0.name == name })?.values, !values.isEmpty else { continue }
            if read.contains("/$(\(name))"), isMeant(values, { $0.utf8.first == UInt8(ascii: "/") }) {
                return DoubledSlash(name: name, side: .front)
            }
            if read.contains("$(\(name))/"), isMeant(values, { $0.utf8.last == UInt8(ascii: "/") }) {
                return DoubledSlash(name: name, side: .back)
            }
        }
        return nil
    }

    func reason(_ site: PatternSite) -> NoMatchReason {
        let (variable, text) = (Quoted.json(name), Quoted.json(site.text))
        let isWritten =
            switch side {
            case .front: site.text.contains("/$(\(name))")
            case .back: site.text.contains("$(\(name))/")
            }
        let place = side == .front ? "in front of" : "behind"
        let other = isWritten ? "one stands \(place) the variable in \(text)" : "devices put one \(place) \(text)"
        return NoMatchReason(
            text: "the values of the variable \(variable) \(side.rawValue) with a slash, and \(other); no path holds "
                + "'//'",
            fix: fix)
    }

    /// What to do before anything else.
    var fix: String {
        let place = side == .front ? "beginning" : "end"
        return "take the slash off the \(place) of the values of \(Quoted.json(name))"
    }
}
